import { isColumnOf, readHeading } from "../../../../../domain/bulk-job/input/columns.ts";
import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import type { Chosen } from "../file-type.ts";
import { namedColumns, faultsOf, firstChoices, type Choice } from "./column-choice.ts";
import type { CsvHead } from "./read-csv-head.ts";
import { rememberedChoices, type Shelf } from "./remembered-choices.ts";
import type { Workbook } from "./workbook.ts";
import { faultHeading, spoils, type ChosenColumns, type FaultyCell } from "./sheet.ts";
import { headerRowsMax, samplesMax, type TopRow } from "./top-row.ts";

/** A file that the page has inspected; the user may have to answer questions about it. */
export type Proposal =
  | { form: "csv"; name: string | undefined; file: Blob; head: CsvHead }
  | { form: "xlsx"; name: string; workbook: Workbook };

/** The answers about a file. */
export interface Answers {
  sheet: number;
  /** The number of the row with the headings, or of the first row of data if the file has no headings. */
  headerRow: number;
  headed: boolean;
  choices: readonly Choice[];
  /** Whether the job uses the rows that the spreadsheet hides; undefined until the user has decided. */
  usesHidden: boolean | undefined;
  /** Whether the choices come from the last file with these headings. */
  remembered?: boolean;
}

/** Where a table begins in a file. */
type Place = Pick<Answers, "sheet" | "headerRow">;

/** Returns the rows that may contain the headings. */
export const headerRowsOf = (proposal: Proposal, sheet: number): TopRow[] =>
  (proposal.form === "csv" ? proposal.head.top : (proposal.workbook.sheets[sheet]?.top ?? [])).slice(0, headerRowsMax);

/** Returns the headings and samples of the table at a place in the file. */
export function tableOf(proposal: Proposal, { sheet, headerRow }: Place): { headings: string[]; samples: string[][] } {
  if (proposal.form === "csv") {
    const top = proposal.head.top.find(({ row }) => row === headerRow);
    return { headings: top?.cells ?? [], samples: top?.samples ?? [] };
  }
  const top = proposal.workbook.sheets[sheet]?.top ?? [];
  const at = top.findIndex(({ row }) => row === headerRow);
  return { headings: top[at]?.cells ?? [], samples: top.slice(at + 1, at + 1 + samplesMax).map(({ cells }) => cells) };
}

/**
 * Returns the visible sheets, beginning with the sheet that the spreadsheet showed last. If all sheets are hidden,
 * returns the first sheet.
 */
function proposedSheets(proposal: Proposal): number[] {
  if (proposal.form === "csv") return [0];
  const shown = [...proposal.workbook.sheets.entries()].filter(([, { hidden }]) => !hidden);
  const activeFirst = shown.toSorted(([, one], [, other]) => Number(other.active) - Number(one.active));
  return shown.length === 0 ? [0] : activeFirst.map(([at]) => at);
}

/** Returns the name of the sheet that the workbook opens with; undefined if that is the given sheet. */
export function opensWith(proposal: Proposal, sheet: number): string | undefined {
  const [first = 0] = proposedSheets(proposal);
  return proposal.form === "csv" || sheet === first ? undefined : proposal.workbook.sheets[first]?.name;
}

type Knows = (cells: readonly string[]) => boolean;

const hasKnownHeading =
  (kind: JobKind): Knows =>
  (cells) =>
    cells.some((cell) => isColumnOf(kind, readHeading(kind, cell) ?? ""));

/**
 * Returns the first row that one of the `ways` recognises, in the given sheet or in the first sheet with such a row;
 * otherwise the first row.
 */
function firstPlace(proposal: Proposal, sheet: number | undefined, ...ways: readonly Knows[]): Place {
  const sheets = sheet === undefined ? proposedSheets(proposal) : [sheet];
  const places = sheets.flatMap((at) =>
    ways.flatMap((knows) =>
      headerRowsOf(proposal, at).flatMap(({ row, cells }) => (knows(cells) ? [{ sheet: at, headerRow: row }] : [])),
    ),
  );
  const [first = 0] = sheets;
  return places[0] ?? { sheet: first, headerRow: headerRowsOf(proposal, first)[0]?.row ?? 1 };
}

/**
 * Returns the answers to propose. Takes the headings from the first row with a known heading, otherwise from the first
 * row.
 */
export const firstAnswers = (kind: JobKind, proposal: Proposal, sheet?: number): Answers =>
  answersAt(kind, proposal, firstPlace(proposal, sheet, hasKnownHeading(kind)));

/** Returns the answers to propose for a table that begins at a place. */
export function answersAt(kind: JobKind, proposal: Proposal, place: Place): Answers {
  const { headings } = tableOf(proposal, place);
  return { ...place, headed: true, choices: firstChoices(kind, headings), usesHidden: undefined };
}

/**
 * Replaces the choices with those for the last file with the same headings, if the browser remembers that file's
 * choices.
 */
export function withRemembered(shelf: Shelf, kind: JobKind, proposal: Proposal, answers: Answers): Answers {
  const choices = rememberedChoices(shelf, kind, tableOf(proposal, answers).headings);
  return choices === undefined ? answers : { ...answers, choices, remembered: true };
}

/** Returns the answers to propose, preferring a row of headings that the user has used before. */
export function proposedAnswers(shelf: Shelf, kind: JobKind, proposal: Proposal, sheet?: number): Answers {
  const isRemembered: Knows = (cells) => rememberedChoices(shelf, kind, cells) !== undefined;
  const place = firstPlace(proposal, sheet, isRemembered, hasKnownHeading(kind));
  return withRemembered(shelf, kind, proposal, answersAt(kind, proposal, place));
}

/** Returns how many rows of data the spreadsheet hides. */
export function hiddenRows(proposal: Proposal, answers: Pick<Answers, "sheet" | "headerRow" | "headed">): number {
  if (proposal.form === "csv") return 0;
  return (proposal.workbook.sheets[answers.sheet]?.hiddenRows ?? []).filter((row) => isData(row, answers)).length;
}

const isData = (row: number, { headerRow, headed }: Pick<Answers, "headerRow" | "headed">): boolean =>
  headed ? row > headerRow : row >= headerRow;

/** Returns the cells of the chosen columns that the spreadsheet changed. */
export function faultyCells(proposal: Proposal, answers: Answers): FaultyCell[] {
  if (proposal.form === "csv") return [];
  const { sheet, headed, choices, usesHidden } = answers;
  const summary = proposal.workbook.sheets[sheet];
  const leftOut = new Set(usesHidden === false ? summary?.hiddenRows : []);
  const isSpoilt = ({ row, column, fault }: FaultyCell): boolean => {
    if (!isData(row, answers) || leftOut.has(row)) return false;
    if (!headed) return column === 0;
    const choice = choices[column];
    return choice !== undefined && choice !== "ignore" && choice !== "fault" && spoils(fault, choice);
  };
  return (summary?.faulty ?? []).filter(isSpoilt);
}

/** Returns true if the user must answer questions about the file before the console sends it. */
export function hasQuestions(kind: JobKind, proposal: Proposal): boolean {
  const answers = firstAnswers(kind, proposal);
  return (
    (proposal.form === "csv" && proposal.head.charset !== undefined) ||
    (proposal.form === "xlsx" && proposal.workbook.sheets.length > 1) ||
    answers.headerRow !== headerRowsOf(proposal, answers.sheet)[0]?.row ||
    hiddenRows(proposal, answers) > 0 ||
    faultyCells(proposal, answers).length > 0 ||
    faultsOf(kind, answers.choices).length > 0
  );
}

/** Returns the file or text to send for an inspected file. */
export async function chosenOf(kind: JobKind, proposal: Proposal, answers: Answers): Promise<Chosen> {
  const { headed, headerRow, choices, usesHidden } = answers;
  const { headings } = tableOf(proposal, answers);
  if (proposal.form === "csv") {
    const { file, head, name } = proposal;
    const top = head.top.find(({ row }) => row === headerRow);
    const named = headed ? namedColumns(kind, headings, choices) : {};
    const isAsked = headed && faultsOf(kind, firstChoices(kind, headings)).length > 0;
    const before = top === undefined || top.offset === 0 ? 0 : headerRow - 1;
    return {
      // Names the separator that the user saw, because the rows above, which show it, are cut off.
      body: before === 0 ? file : new Blob([`sep=${top?.separator ?? ","}\n`, file.slice(top?.offset)]),
      type: head.charset === undefined ? "text/csv" : `text/csv; charset=${head.charset}`,
      ...(name !== undefined && { name }),
      rowOffset: headed ? before + 1 : before,
      withoutHeader: !headed,
      ...(isAsked || Object.keys(named).length > 0 ? { columns: named } : {}),
    };
  }
  const sheet = proposal.workbook.sheets[answers.sheet];
  if (sheet === undefined) throw new Error("the workbook has no such sheet");
  const columns = headed ? chosenColumns(kind, headings, choices) : "bare";
  return {
    body: await proposal.workbook.csv(sheet, { kind, columns, headerRow, leavesHidden: usesHidden === false }),
    type: "text/csv",
    name: proposal.name,
    columns: { [faultHeading]: "fault" },
    rowOffset: headed ? headerRow : headerRow - 1,
  };
}

/**
 * Returns a proposal, whose workbook the caller closes, if the user must answer questions about the file; otherwise what
 * to send. Returns undefined once `isWanted` returns false: the user has chosen another file, or has left.
 */
export async function nextStep(
  kind: JobKind,
  proposal: Proposal,
  isWanted: () => boolean,
): Promise<{ ask: Proposal } | { send: Chosen } | undefined> {
  let isAsked = false;
  try {
    if (!isWanted()) return undefined;
    isAsked = hasQuestions(kind, proposal);
    if (isAsked) return { ask: proposal };
    const send = await chosenOf(kind, proposal, firstAnswers(kind, proposal));
    return isWanted() ? { send } : undefined;
  } finally {
    if (!isAsked && proposal.form === "xlsx") proposal.workbook.close();
  }
}

/** Returns the chosen columns. A column keeps its own heading if the service knows that heading. */
const chosenColumns = (kind: JobKind, headings: readonly string[], choices: readonly Choice[]): ChosenColumns =>
  headings.map((heading, index) => {
    const column = choices[index];
    if (column === undefined || column === "ignore" || column === "fault") return undefined;
    return { column, heading: readHeading(kind, heading) === column ? heading : column };
  });
