import {
  foldHeading,
  isColumnOf,
  jobColumns,
  neededColumns,
  profileColumns,
  readHeading,
  type ColumnMeaning,
  type JobColumn,
} from "../../../../../domain/bulk-job/input/columns.ts";
import type { JobKind } from "../../../../../domain/bulk-job/job.ts";

/** The user's choice for a column; undefined before a choice. */
export type Choice = ColumnMeaning | undefined;

/** A fault of the choices, by its key below `jobs.columnsDialog`. */
export type ChoiceFault =
  | { key: "needed" | "twice" | "profile" | "open"; columns: readonly JobColumn[] }
  | { key: "heading"; headings: readonly string[] };

/** The headings of a table, and the form of its file. */
interface HeadedTable {
  form: "csv" | "xlsx";
  headings: readonly string[];
}

/** Returns true if a table may be one column of identifiers or addresses without a heading. */
export const isBare = (kind: JobKind, headings: readonly string[]): boolean =>
  headings.filter((heading) => heading !== "").length === 1 &&
  headings[0] !== undefined &&
  headings[0] !== "" &&
  readHeading(kind, headings[0]) === undefined;

/** Returns the choices that follow from the headings of a table. */
export function firstChoices(kind: JobKind, headings: readonly string[]): Choice[] {
  return headings.map((heading): Choice => {
    const column = heading === "" ? "ignored" : readHeading(kind, heading);
    return column === "ignored" ? "ignore" : column;
  });
}

/** Returns all faults of the choices for a table. */
export function faultsOf(kind: JobKind, choices: readonly Choice[], table?: HeadedTable): ChoiceFault[] {
  const chosen = choices.filter((choice): choice is JobColumn => choice !== undefined && isColumnOf(kind, choice));
  const has = (column: JobColumn): boolean => chosen.includes(column);
  const needed: readonly JobColumn[] = neededColumns[kind];
  const twice = jobColumns[kind].filter((column) => chosen.filter((other) => other === column).length > 1);
  const absent = profileColumns.filter((column) => !has(column));
  return [
    ...(choices.includes(undefined) ? [{ key: "open", columns: [] } as const] : []),
    ...(needed.some(has) ? [] : [{ key: "needed", columns: needed } as const]),
    ...(twice.length > 0 ? [{ key: "twice", columns: twice } as const] : []),
    ...(absent.length > 0 && absent.length < profileColumns.length
      ? [{ key: "profile", columns: absent } as const]
      : []),
    ...(table?.form === "csv" ? headingFaults(table.headings, choices) : []),
  ];
}

/**
 * Returns a fault for each heading of several columns whose choices differ: the service knows the columns of a CSV file
 * only by their headings, so it would treat these columns alike.
 */
function headingFaults(headings: readonly string[], choices: readonly Choice[]): ChoiceFault[] {
  const folded = headings.map(foldHeading);
  return [...new Set(folded)].flatMap((same): ChoiceFault[] => {
    const columns = [...headings.keys()].filter((index) => folded[index] === same);
    const chosen = new Set(columns.map((index) => choices[index]).filter((choice) => choice !== undefined));
    if (chosen.size < 2) return [];
    return [{ key: "heading", headings: [...new Set(columns.map((index) => headings[index] ?? ""))] }];
  });
}

/**
 * Returns true if only e-mail addresses identify the people of an onboarding, which cannot add anyone by address alone.
 */
export const isByAddressAlone = (kind: JobKind, choices: readonly Choice[]): boolean =>
  kind === "onboarding" && choices.includes("email") && !choices.includes("pairwiseID");

/** Returns the choices, with every column that has no choice ignored. */
export const withoutRest = (choices: readonly Choice[]): Choice[] => choices.map((choice) => choice ?? "ignore");

/** Returns the choices that differ from the meanings that the service reads from the headings. */
export function namedColumns(
  kind: JobKind,
  headings: readonly string[],
  choices: readonly Choice[],
): Record<string, ColumnMeaning> {
  const named = headings.flatMap((heading, index): [string, ColumnMeaning][] => {
    const choice = choices[index] ?? "ignore";
    if (heading === "") return [];
    const read = readHeading(kind, heading);
    // The service ignores all unknown columns, so these need no name.
    return (read === undefined || read === "ignored" ? "ignore" : read) === choice ? [] : [[heading, choice]];
  });
  return Object.fromEntries(named);
}
