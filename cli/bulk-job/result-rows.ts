import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { CommandError } from "../../terminal/failure.ts";
import type { Resource } from "../output/resource.ts";

/** A row of a job's results: the columns of the input, the outcome, and the issued profile. */
export type ResultRow = Record<string, unknown>;

/** Columns for files only: keys must not appear on a screen or in a log. */
const inFilesOnly: ReadonlySet<string> = new Set(["data", "certificate", "privateKey"]);

/**
 * Yields the rows of NDJSON results as they arrive, without the columns for files only. Throws if a row is incomplete.
 */
export async function* resultRows({ body }: Response): AsyncGenerator<ResultRow> {
  if (body === null) return;
  const lines = createInterface({ input: Readable.fromWeb(body), crlfDelay: Infinity });
  for await (const line of lines) {
    if (line === "") continue;
    yield Object.fromEntries(Object.entries(rowOf(line)).filter(([name]) => !inFilesOnly.has(name)));
  }
}

function rowOf(line: string): object {
  try {
    const row: unknown = JSON.parse(line);
    if (typeof row === "object" && row !== null) return row;
  } catch {
    // The last line is an incomplete row; the code below reports it.
  }
  throw new CommandError("broken_off", "The response broke off; it is incomplete.");
}

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** Returns the resource that shows these rows; the first row shows which columns the input had. */
export const resultResource = (first: ResultRow): Resource<ResultRow> => ({
  fields: Object.keys(first),
  columns: [
    { title: "Row", text: (row) => text(row["row"]) },
    { title: "Person", text: (row) => text(row["pairwiseID"]) || text(row["userID"]) },
    {
      title: "Status",
      text: (row, colors) => (row["status"] === "failed" ? colors.red("failed") : text(row["status"])),
    },
    { title: "Error", text: (row) => text(row["error"]) },
    { title: "Message", text: (row) => text(row["message"]) },
    { title: "Serial", text: (row) => text(row["serial"]) },
  ],
});
