import {
  foldHeading,
  isColumnOf,
  jobColumns,
  neededColumns,
  profileColumns,
  readHeading,
  type ColumnMeaning,
  type JobColumn,
} from "../../../../domain/bulk-job/input/columns.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import type { FieldError } from "../../../../domain/errors.ts";
import { inputText, UnusableFile } from "./input.ts";

/** A client's choices for the columns of its table. */
export interface ColumnChoices {
  /** The meanings of columns, by heading. */
  columns: Readonly<Record<string, ColumnMeaning>>;
  /** Whether unknown columns are left out instead of being faults. */
  ignoreUnknown: boolean;
  /** Whether the table has one column and no headings. */
  withoutHeader: boolean;
}

export interface HeadedColumn {
  /** The heading in the file; if the client assigned one of the job's columns to it, that column's name. */
  heading: string;
  column: JobColumn | "fault" | "ignored";
}

/** How many headings one response names, in its fields and in its text. */
const shownMax = 100;
const namedMax = 10;

/**
 * Reads the meanings of a table's columns from its headings. Returns `bare` for a table without headings, whose first
 * row is data like all others. Throws {@link UnusableFile} with every fault.
 */
export function readColumns(
  kind: JobKind,
  header: readonly string[],
  choices: ColumnChoices,
): readonly HeadedColumn[] | "bare" {
  if (choices.withoutHeader) return bareOrThrow(kind, header, choices);
  const meanings = new Map(Object.entries(choices.columns).map(([heading, column]) => [foldHeading(heading), column]));
  const faults = choiceFaults(kind, header, choices);
  const unknown: string[] = [];
  const columns = header.map((cell): HeadedColumn => {
    const heading = cell.trim();
    const meaning = meanings.get(foldHeading(heading));
    if (meaning === "ignore") return { heading, column: "ignored" };
    if (meaning === "fault") return { heading, column: "fault" };
    if (meaning !== undefined && isColumnOf(kind, meaning)) return { heading: meaning, column: meaning };
    const column = heading === "" ? "ignored" : readHeading(kind, heading);
    if (column !== undefined) return { heading, column };
    if (!choices.ignoreUnknown) unknown.push(inputText(heading)?.slice(0, shownMax) ?? "");
    return { heading, column: "ignored" };
  });
  faults.push(...unknownFaults(unknown), ...missingFaults(kind, columns), ...repeatedFaults(columns));
  if (faults.length === 0) return columns;
  const isKnown = (heading: string): boolean =>
    readHeading(kind, heading) !== undefined || meanings.has(foldHeading(heading));
  throw header.some((cell) => isKnown(cell.trim())) ? refusal(kind, faults) : unknownColumns(kind, header, faults);
}

/**
 * Throws {@link UnusableFile} if the client announced a table without headings and its first row is a heading, or gave
 * meanings for headings.
 */
function bareOrThrow(kind: JobKind, first: readonly string[], choices: ColumnChoices): "bare" {
  const heading = first.map((cell) => cell.trim()).find((cell) => isColumnOf(kind, readHeading(kind, cell) ?? ""));
  if (heading !== undefined) {
    throw new UnusableFile(`The file has a heading, “${inputText(heading) ?? ""}”: send it without header=none.`, {
      path: "header",
    });
  }
  const faults = choiceFaults(kind, [], choices);
  if (faults.length > 0) throw refusal(kind, faults);
  return "bare";
}

interface Fault {
  /** Completes the sentence “The file …”. */
  clause: string;
  fields: readonly FieldError[];
  /** Whether the message lists the known columns. */
  asksForKnown?: boolean;
}

/** Returns faults for choices about columns that the file lacks or that jobs of this kind do not have. */
function choiceFaults(kind: JobKind, header: readonly string[], { columns }: ColumnChoices): Fault[] {
  const present = new Set(header.map((cell) => foldHeading(cell.trim())));
  return Object.entries(columns).flatMap(([heading, meaning]): Fault[] => {
    if (meaning === "ignore") return [];
    const path = `columns.${heading}`;
    const isKnown: boolean = meaning === "fault" || isColumnOf(kind, meaning);
    if (!isKnown) {
      const clause = `cannot have “${heading}” as ${meaning}, which is no column of this kind of job`;
      return [
        { clause, fields: [{ path, reason: `${meaning} is no column of this kind of job` }], asksForKnown: true },
      ];
    }
    if (present.has(foldHeading(heading))) return [];
    return [{ clause: `has no column “${heading}”`, fields: [{ path, reason: "is not in the file" }] }];
  });
}

function unknownFaults(unknown: readonly string[]): Fault[] {
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, namedMax).map((heading) => `“${heading}”`);
  const more = unknown.length > namedMax ? [`${unknown.length - namedMax} more`] : [];
  const clause =
    unknown.length === 1
      ? `has a column ${named.join()} that is unknown`
      : `has columns that are unknown: ${[...named, ...more].join(", ")}`;
  const fields = unknown.slice(0, shownMax).map((path) => ({ path, reason: "is no column that is known" }));
  return [{ clause, fields, asksForKnown: true }];
}

/** Returns faults for a file without a column that identifies its rows, or with only some of a profile's columns. */
function missingFaults(kind: JobKind, columns: readonly HeadedColumn[]): Fault[] {
  const has = (column: JobColumn): boolean => columns.some((each) => each.column === column);
  const faults: Fault[] = [];
  const needed: readonly JobColumn[] = neededColumns[kind];
  if (!needed.some(has)) {
    const path = needed.join(" or ");
    faults.push({
      clause: `lacks the column ${path}`,
      fields: [{ path, reason: "is missing" }],
      asksForKnown: true,
    });
  }
  const absent = profileColumns.filter((column) => !has(column));
  if (absent.length > 0 && absent.length < profileColumns.length) {
    const given = profileColumns.filter(has).join(" and ");
    faults.push({
      clause: `has ${given} without ${absent.join(" and ")}, which a profile needs as well`,
      fields: absent.map((path) => ({ path, reason: "is missing" })),
    });
  }
  return faults;
}

function repeatedFaults(columns: readonly HeadedColumn[]): Fault[] {
  const repeated = columns.filter(
    ({ column }, index) => column !== "ignored" && columns.findIndex((other) => other.column === column) < index,
  );
  return repeated.map(({ heading, column }) => ({
    clause: `has two columns for ${column}`,
    fields: [{ path: heading, reason: "occurs twice" }],
  }));
}

/** Returns one error with every fault in the columns of a file. */
function refusal(kind: JobKind, faults: readonly Fault[]): UnusableFile {
  const known = faults.some(({ asksForKnown }) => asksForKnown) ? ` Known are ${jobColumns[kind].join(", ")}.` : "";
  return new UnusableFile(`The file ${faults.map(({ clause }) => clause).join("; it ")}.${known}`, {
    fields: faults.flatMap(({ fields }) => fields),
  });
}

/** Returns the error about a first line without a known heading. The message shows the line as the service read it. */
function unknownColumns(kind: JobKind, header: readonly string[], faults: readonly Fault[]): UnusableFile {
  const cells = header.slice(0, namedMax).map((cell) => `“${inputText(cell.trim())?.slice(0, shownMax) ?? ""}”`);
  const more = header.length > namedMax ? [`${header.length - namedMax} more`] : [];
  return new UnusableFile(
    `The first line has no heading that is known. It was read as ${[...cells, ...more].join(", ")}. ` +
      `Known are ${jobColumns[kind].join(", ")}. A file of one column without a heading needs header=none.`,
    { code: "unknown_columns", fields: faults.flatMap(({ fields }) => fields) },
  );
}
