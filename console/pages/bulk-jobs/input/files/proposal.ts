import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import type { Chosen } from "../file-type.ts";
import { namedColumns, faultsOf, firstChoices, isBare, type Choice } from "./column-choice.ts";
import type { CsvHead } from "./read-csv-head.ts";
import type { Workbook } from "./read-xlsx.ts";
import { faultHeading, spoils, type ChosenColumns, type FaultyCell, type SheetSummary } from "./sheet.ts";
import { readHeading } from "../../../../../domain/bulk-job/input/columns.ts";

/** An inspected file, about which the user may have to answer questions. */
export type Proposal =
  | { form: "csv"; name: string | undefined; file: Blob; head: CsvHead }
  | { form: "xlsx"; name: string; workbook: Workbook };

/** The answers about a file: which sheet, whether its first row has headings, and what its columns are. */
export interface Answers {
  sheet: number;
  headed: boolean;
  choices: readonly Choice[];
}

/** Returns the headings and samples that a proposal shows. */
export const tableOf = (proposal: Proposal, sheet: number): { headings: string[]; samples: string[][] } =>
  proposal.form === "csv" ? proposal.head : (proposal.workbook.sheets[sheet] ?? { headings: [], samples: [] });

/** Returns the answers that apply if the user is not asked. */
export function firstAnswers(kind: JobKind, proposal: Proposal, sheet = 0): Answers {
  const { headings } = tableOf(proposal, sheet);
  return { sheet, headed: !isBare(kind, headings), choices: firstChoices(kind, headings) };
}

/** Returns the cells of the chosen columns that the spreadsheet changed. */
export function faultyCells(proposal: Proposal, { sheet, headed, choices }: Answers): FaultyCell[] {
  if (proposal.form === "csv") return [];
  const isSpoilt = ({ column, fault }: FaultyCell): boolean => {
    if (!headed) return column === 0;
    const choice = choices[column];
    return choice !== undefined && choice !== "ignore" && choice !== "fault" && spoils(fault, choice);
  };
  return (proposal.workbook.sheets[sheet]?.faulty ?? []).filter(isSpoilt);
}

/**
 * Returns true if a user has to look at the file before it is sent. A list without headings needs that only if the job
 * creates people.
 */
export function hasQuestions(kind: JobKind, proposal: Proposal): boolean {
  const answers = firstAnswers(kind, proposal);
  return (
    (proposal.form === "csv" && proposal.head.charset !== undefined) ||
    (proposal.form === "xlsx" && proposal.workbook.sheets.length > 1) ||
    faultyCells(proposal, answers).length > 0 ||
    (answers.headed ? faultsOf(kind, answers.choices).length > 0 : kind === "onboarding")
  );
}

/** Returns what to send for a file. */
export async function chosenOf(kind: JobKind, proposal: Proposal, answers: Answers): Promise<Chosen> {
  const { headed, choices } = answers;
  const { headings } = tableOf(proposal, answers.sheet);
  if (proposal.form === "csv") {
    const { file, head, name } = proposal;
    const named = headed ? namedColumns(kind, headings, choices) : {};
    const isAsked = headed && faultsOf(kind, firstChoices(kind, headings)).length > 0;
    return {
      body: file,
      type: head.charset === undefined ? "text/csv" : `text/csv; charset=${head.charset}`,
      ...(name !== undefined && { name }),
      rowOffset: headed ? 1 : 0,
      withoutHeader: !headed,
      ...(isAsked || Object.keys(named).length > 0 ? { columns: named } : {}),
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

/** Returns the chosen columns, under their own headings if the service knows these. */
const chosenColumns = (kind: JobKind, { headings }: SheetSummary, choices: readonly Choice[]): ChosenColumns =>
  headings.map((heading, index) => {
    const column = choices[index];
    if (column === undefined || column === "ignore" || column === "fault") return undefined;
    return { column, heading: readHeading(kind, heading) === column ? heading : column };
  });
