import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { CommandError } from "../../terminal/failure.ts";
import type { Resource } from "../output/resource.ts";

/** A row of a job's results: the columns of the input, what became of it, and the profile that was issued. */
export type ResultRow = Record<string, unknown>;

/** What is in a file alone: keys do not belong on a screen or into a log. */
const inFilesOnly: ReadonlySet<string> = new Set(["data", "certificate", "privateKey"]);

/** The rows of results in NDJSON as they come, without keys. */
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
    // Cut off in the middle of a row, as below.
  }
  throw new CommandError("broken_off", "The answer broke off; what has come is not all of it.");
}

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** How these rows are shown; which columns the input had is known from the first row. */
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
