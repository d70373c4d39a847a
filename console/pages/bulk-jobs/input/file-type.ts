import type { ColumnMeaning } from "../../../../domain/bulk-job/input/columns.ts";

/** What shall be sent, and what is said of it. */
export interface Chosen {
  body: Blob;
  /** A media type that jobs take, with its charset if that is not UTF-8. */
  type: string;
  /** What the file is called; undefined for rows that were pasted. */
  name?: string;
  /** How many rows come before the first, as the author counts them. */
  rowOffset?: number;
  /** What columns mean that the service would not know, by their headings; given: all others unknown are left out. */
  columns?: Readonly<Record<string, ColumnMeaning>>;
}

/** A workbook, which becomes CSV before it is sent. */
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

/** What a file dialog offers first. */
export const acceptedFiles = Object.keys(typeOfExtension)
  .map((extension) => `.${extension}`)
  .join(",");

/** What is in a file, by its name; undefined for one that jobs do not take. */
export const typeOfFile = ({ name }: Pick<File, "name">): string | undefined =>
  typeOfExtension[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];

/** What a text is, by how it begins: a table, unless it looks like JSON. */
export function typeOfText(text: string): string {
  const begin = text.trimStart();
  if (!begin.startsWith("{")) return "text/csv";
  const [line = ""] = begin.split("\n", 1);
  return isObjectOfAPerson(line) ? "application/x-ndjson" : "application/json";
}

/** Whether a line is a whole JSON object by itself, and not the one that has everybody in it. */
function isObjectOfAPerson(line: string): boolean {
  try {
    const value = JSON.parse(line) as object;
    return !("users" in value);
  } catch {
    return false;
  }
}
