import type { ColumnMeaning } from "../../../../domain/bulk-job/input/columns.ts";

/** A file or text to send, with its description. */
export interface Chosen {
  body: Blob;
  /** A media type that jobs take, with its charset unless that is UTF-8. */
  type: string;
  /** The name of the file; undefined for pasted rows. */
  name?: string;
  /** How many rows precede the first one, as the file's author counts them. */
  rowOffset?: number;
  /**
   * Meanings of columns whose headings the service would not recognise, by heading. If given, all other unknown columns
   * are left out.
   */
  columns?: Readonly<Record<string, ColumnMeaning>>;
  /** Whether the file has one column and no heading. */
  withoutHeader?: boolean;
}

/** A workbook, which is converted to CSV before it is sent. */
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

/** Returns the type of a file by its name; undefined for a type that jobs do not take. */
export const typeOfFile = ({ name }: Pick<File, "name">): string | undefined =>
  typeOfExtension[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];

/** Returns the type of a text by its beginning: a table, unless it looks like JSON. */
export function typeOfText(text: string): string {
  const begin = text.trimStart();
  if (!begin.startsWith("{")) return "text/csv";
  const [line = ""] = begin.split("\n", 1);
  return isObjectOfAPerson(line) ? "application/x-ndjson" : "application/json";
}

/** Returns true for a line that is a whole JSON object, but not the object that contains all people. */
function isObjectOfAPerson(line: string): boolean {
  try {
    const value = JSON.parse(line) as object;
    return !("users" in value);
  } catch {
    return false;
  }
}
