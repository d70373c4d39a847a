import type { ColumnMeaning } from "../../../../domain/bulk-job/input/columns.ts";

/** A file or text to send, with its description. */
export interface Chosen {
  body: Blob;
  /**
   * A media type that jobs accept, with its charset unless that is UTF-8; {@link xlsxType} before the console has
   * converted a workbook.
   */
  type: string;
  /** The name of the file; undefined for pasted rows. */
  name?: string;
  /** The number of rows before the first one, as the file's author counts rows. */
  rowOffset?: number;
  /**
   * Meanings of columns that differ from those that the service reads from the headings, by heading. If given, the
   * service ignores all other unknown columns.
   */
  columns?: Readonly<Record<string, ColumnMeaning>>;
  /** Whether the file has one column and no heading. */
  withoutHeader?: boolean;
}

/** The type of a workbook, which the console converts to CSV before it sends the file. */
export const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const typeOfExtension: Readonly<Record<string, string>> = {
  csv: "text/csv",
  tsv: "text/csv",
  txt: "text/csv",
  xlsx: xlsxType,
  json: "application/json",
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
};

/** The file types that a file dialog offers first. */
export const acceptedFiles = Object.keys(typeOfExtension)
  .map((extension) => `.${extension}`)
  .join(",");

/** Returns the type of a file by its name; undefined for a type that jobs do not accept. */
export const typeOfFile = ({ name }: Pick<File, "name">): string | undefined =>
  typeOfExtension[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];

/** Returns the type of a text by its beginning: a table, unless it looks like JSON. */
export function typeOfText(text: string): string {
  const begin = text.trimStart();
  if (!begin.startsWith("{")) return "text/csv";
  const [line = ""] = begin.split("\n", 1);
  return isObjectOfAPerson(line) ? "application/x-ndjson" : "application/json";
}

/** Returns true if a line is a whole JSON object, other than the object that contains all people. */
function isObjectOfAPerson(line: string): boolean {
  try {
    const value = JSON.parse(line) as object;
    return !("users" in value);
  } catch {
    return false;
  }
}
