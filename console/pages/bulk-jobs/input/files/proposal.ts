import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import type { Chosen } from "../file-type.ts";
import { columnsToTell, faultsOf, firstChoices, isBare, type Choice } from "./column-choice.ts";
import type { CsvHead } from "./read-csv-head.ts";
import type { Workbook } from "./read-xlsx.ts";
import { faultHeading, spoils, type ChosenColumns, type FaultyCell, type SheetSummary } from "./sheet.ts";
import { readHeading } from "../../../../../domain/bulk-job/input/columns.ts";

/** A file that was looked at, and about which something may have to be asked. */
export type Proposal =
  | { form: "csv"; name: string | undefined; file: Blob; head: CsvHead }
  | { form: "xlsx"; name: string; workbook: Workbook };

/** What is said of a file: which sheet, whether its first row has headings, and what its columns are. */
export interface Answers {
  sheet: number;
  headed: boolean;
  choices: readonly Choice[];
}

/** What a proposal shows of its columns. */
export const tableOf = (proposal: Proposal, sheet: number): { headings: string[]; samples: string[][] } =>
  proposal.form === "csv" ? proposal.head : (proposal.workbook.sheets[sheet] ?? { headings: [], samples: [] });

/** What would be said of a file if nobody was asked. */
export function firstAnswers(kind: JobKind, proposal: Proposal, sheet = 0): Answers {
  const { headings } = tableOf(proposal, sheet);
  return { sheet, headed: !isBare(kind, headings), choices: firstChoices(kind, headings) };
}

/** The cells of the chosen columns that a spreadsheet made something else of. */
export function faultyCells(proposal: Proposal, { sheet, headed, choices }: Answers): FaultyCell[] {
  if (proposal.form === "csv") return [];
  const isSpoilt = ({ column, fault }: FaultyCell): boolean => {
    if (!headed) return column === 0;
    const choice = choices[column];
    return choice !== undefined && choice !== "ignore" && choice !== "fault" && spoils(fault, choice);
  };
  return (proposal.workbook.sheets[sheet]?.faulty ?? []).filter(isSpoilt);
}

/** Whether a person has to look before a file is sent. A list without headings only needs that where it makes people. */
export function hasQuestions(kind: JobKind, proposal: Proposal): boolean {
  const answers = firstAnswers(kind, proposal);
  return (
    (proposal.form === "csv" && proposal.head.charset !== undefined) ||
    (proposal.form === "xlsx" && proposal.workbook.sheets.length > 1) ||
    faultyCells(proposal, answers).length > 0 ||
    (answers.headed ? faultsOf(kind, answers.choices).length > 0 : kind === "onboarding")
  );
}

/** What is sent of a file. */
export async function chosenOf(kind: JobKind, proposal: Proposal, answers: Answers): Promise<Chosen> {
  const { headed, choices } = answers;
  const { headings } = tableOf(proposal, answers.sheet);
  if (proposal.form === "csv") {
    const { file, head, name } = proposal;
    const told = headed ? columnsToTell(kind, headings, choices) : {};
    const isAsked = headed && faultsOf(kind, firstChoices(kind, headings)).length > 0;
    return {
      body: file,
      type: head.charset === undefined ? "text/csv" : `text/csv; charset=${head.charset}`,
      ...(name !== undefined && { name }),
      rowOffset: headed ? 1 : 0,
      ...(isAsked || Object.keys(told).length > 0 ? { columns: told } : {}),
    };
  }
  const sheet = proposal.workbook.sheets[answers.sheet];
  if (sheet === undefined) throw new Error("the workbook has no such sheet");
  const columns = headed ? chosenColumns(kind, sheet, choices) : "bare";
  return {
    body: await proposal.workbook.csv(sheet, { kind, columns }),
    type: "text/csv",
    name: proposal.name,
    columns: { [faultHeading]: "fault" },
    rowOffset: headed ? sheet.headerRow : sheet.headerRow - 1,
  };
}

/** Columns under their own headings where the service knows them. */
const chosenColumns = (kind: JobKind, { headings }: SheetSummary, choices: readonly Choice[]): ChosenColumns =>
  headings.map((heading, index) => {
    const column = choices[index];
    if (column === undefined || column === "ignore" || column === "fault") return undefined;
    return { column, heading: readHeading(kind, heading) === column ? heading : column };
  });
