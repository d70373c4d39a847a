import type { RowSource } from "../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import type { Upload } from "../../../contract/endpoint.ts";
import type { ColumnChoices } from "./csv-columns.ts";
import { csvInput } from "./csv-input.ts";
import type { FoundMatching } from "./input.ts";
import { jsonInput } from "./json-input.ts";
import { ndjsonInput } from "./ndjson-input.ts";
import { decodeText } from "./decode-text.ts";

/** Reads an uploaded file of any type that jobs take: its rows, or the search and filter that select the rows. */
export function readInput(
  kind: JobKind,
  { type, bytes, charset }: Pick<Upload, "type" | "bytes" | "charset">,
  choices: ColumnChoices,
): Promise<RowSource | FoundMatching> | RowSource {
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
