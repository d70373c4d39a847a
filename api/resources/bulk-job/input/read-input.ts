import type { RowSource } from "../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import type { Upload } from "../../../contract/endpoint.ts";
import type { ColumnChoices } from "./csv-columns.ts";
import { csvInput } from "./csv-input.ts";
import { UnusableFile, type FoundMatching } from "./input.ts";
import { jsonInput } from "./json-input.ts";
import { ndjsonInput } from "./ndjson-input.ts";
import { decodeText } from "./decode-text.ts";

/**
 * Reads an uploaded file of any type that jobs take: its rows, or the search and filter that select the rows. Throws
 * {@link UnusableFile} if another file than CSV comes with a column of faults.
 */
export function readInput(
  kind: JobKind,
  { type, bytes, charset }: Pick<Upload, "type" | "bytes" | "charset">,
  choices: ColumnChoices,
): Promise<RowSource | FoundMatching> | RowSource {
  if (type !== "text/csv") requireNoFaultColumn(choices);
  const text = decodeText(bytes, charset);
  switch (type) {
    case "application/json":
      return jsonInput(kind, text);
    case "application/x-ndjson":
      return ndjsonInput(kind, text);
    case "text/csv":
      return csvInput(kind, text, choices);
    default:
      throw new Error(`jobs do not take ${type}`);
  }
}

/** Ignored, the choice would let the job work the rows that the client marked as faulty. */
function requireNoFaultColumn({ columns }: ColumnChoices): void {
  const headings = Object.entries(columns).flatMap(([heading, column]) => (column === "fault" ? [heading] : []));
  if (headings.length === 0) return;
  throw new UnusableFile(`Only a CSV file has a column of faults: ${headings.join(", ")}.`, {
    fields: headings.map((heading) => ({ path: `columns.${heading}`, reason: "is for a CSV file" })),
  });
}
