import { useEffect, useRef, useState } from "react";
import { xlsxType, type Chosen } from "../file-type.ts";
import type { JobKind } from "../../job.ts";
import { nextStep, type Proposal } from "./proposal.ts";
import { readCsvHead, withoutUtf16 } from "./read-csv-head.ts";
import { columnsMax } from "./top-row.ts";
import { readXlsx, UnreadableWorkbook } from "./read-xlsx.ts";

interface Outcome {
  onChosen: (chosen: Chosen) => void;
  onRefused: (error: Error) => void;
}

/** Inspects a file before it is sent; sends the file immediately if there are no questions. */
export function useProposal(kind: JobKind, { onChosen, onRefused }: Outcome) {
  const [proposal, setProposal] = useState<Proposal>();
  const [reading, setReading] = useState(false);
  const last = useRef(0);
  useEffect(
    () => () => {
      last.current += 1;
    },
    [],
  );
  useEffect(
    () => () => {
      if (proposal?.form === "xlsx") proposal.workbook.close();
    },
    [proposal],
  );

  const inspect = async (chosen: Chosen) => {
    const mine = ++last.current;
    const isWanted = () => last.current === mine;
    setProposal(undefined);
    setReading(true);
    try {
      const found = await proposalOf(chosen);
      const step = found === undefined ? { send: chosen } : await nextStep(kind, found, isWanted);
      if (step === undefined || !isWanted()) return;
      if ("ask" in step) setProposal(step.ask);
      else onChosen(step.send);
    } catch (error) {
      if (isWanted()) onRefused(error as Error);
    } finally {
      if (isWanted()) setReading(false);
    }
  };
  return {
    proposal,
    reading,
    inspect: (chosen: Chosen) => void inspect(chosen),
    forget: () => {
      setProposal(undefined);
    },
  };
}

/**
 * Returns a proposal for a file; undefined for JSON, and for a table without readable rows or with too many columns:
 * the service reports the fault of such a table. Throws {@link UnreadableWorkbook} for a workbook that is empty or
 * cannot be read.
 */
async function proposalOf({ body, type, name }: Chosen): Promise<Proposal | undefined> {
  if (type === xlsxType) {
    const workbook = await readXlsx(body);
    if (workbook.sheets.length > 0) return { form: "xlsx", name: name ?? "", workbook };
    workbook.close();
    throw new UnreadableWorkbook("empty");
  }
  if (type !== "text/csv") return undefined;
  const file = await withoutUtf16(body);
  const head = await readCsvHead(file);
  // If the file is not a table, the service reports its fault.
  const isTable = head.top.length > 0 && head.top.every(({ cells }) => cells.length <= columnsMax);
  if (isTable) return { form: "csv", name, file, head };
  return undefined;
}
