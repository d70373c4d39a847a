import { Tokenizer, TokenParser } from "@streamparser/json";
import { jobColumns } from "../../../../domain/bulk-job/input/columns.ts";
import type { RowSource, SourceRow } from "../../../../domain/bulk-job/input/row-source.ts";
import type { JobKind } from "../../../../domain/bulk-job/job.ts";
import { parseJson } from "../../../http/json-text.ts";
import { rowCharactersMax, UnusableFile, type FoundMatching } from "./input.ts";
import { createChecks, type ListName } from "./json-checks.ts";
import { rowOf } from "./json-row.ts";

/**
 * Reads `{"users": […]}` or `{"serials": […]}`: yields each row as soon as it is read and keeps no other text. Kinds of
 * job that support it also accept `{"matching": {…}}` instead.
 */
export async function jsonInput(kind: JobKind, text: AsyncIterable<string>): Promise<RowSource | FoundMatching> {
  const reader = createReader(kind === "revocation" ? "serials" : "users", { takesMatching: kind !== "onboarding" });
  const rows = rowsOf(kind, text, reader);
  const first = await rows.next();
  if (first.done === true) {
    const matching = reader.matching();
    if (matching !== undefined) return { matching };
  }
  return { columns: jobColumns[kind], headings: jobColumns[kind], rows: withFirst(first, rows) };
}

async function* withFirst<Row>(first: IteratorResult<Row>, rest: AsyncGenerator<Row>): AsyncGenerator<Row> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

async function* rowsOf(kind: JobKind, text: AsyncIterable<string>, reader: Reader): AsyncGenerator<SourceRow> {
  let read = 0;
  let sinceLast = 0;
  for await (const piece of text) {
    const values = reader.write(piece);
    sinceLast = values.length === 0 ? sinceLast + piece.length : 0;
    if (sinceLast > rowCharactersMax) {
      throw new UnusableFile(`Row ${read + 1} is longer than ${rowCharactersMax} characters.`);
    }
    for (const value of values) {
      read += 1;
      yield rowOf(kind, value);
    }
  }
  reader.end();
}

interface Reader {
  /** Returns the elements of the list that this piece completes. */
  write(piece: string): unknown[];
  /** Throws if the text is incomplete, is not a JSON object, or has both the list and `matching`. */
  end(): void;
  /** Returns the value of `matching` once the text is complete; undefined if there is none. */
  matching(): object | undefined;
}

/** Creates a reader for the elements of the list with this name in a JSON object. */
function createReader(list: ListName, { takesMatching }: { takesMatching: boolean }): Reader {
  const tokenizer = new Tokenizer();
  const parser = new TokenParser({ paths: ["$.*.*"], keepStack: false });
  const checks = createChecks(takesMatching ? [list, "matching"] : [list]);
  let found: unknown[] = [];
  const matching: [key: string, value: unknown][] = [];

  tokenizer.onToken = (token) => {
    checks.take(token);
    parser.write(token);
  };
  parser.onValue = ({ key, value, stack }) => {
    const property = String(stack[1]?.key).toLowerCase();
    if (property === list) found.push(value);
    else if (property === "matching") matching.push([String(key), value]);
  };
  const guarded = (run: () => void): void => {
    try {
      run();
    } catch (cause) {
      if (cause instanceof UnusableFile) throw cause;
      throw new UnusableFile("The body is not valid JSON.", { cause });
    }
  };

  return {
    write(piece) {
      found = [];
      guarded(() => {
        tokenizer.write(piece);
      });
      return found;
    },
    end() {
      guarded(() => {
        if (!parser.isEnded) parser.end();
      });
      if (!checks.beganWithObject()) throw new UnusableFile(`The body must be a JSON object: {"${list}": […]}.`);
      if (checks.has(list) && checks.has("matching")) {
        throw new UnusableFile(`The body has both ${list} and matching.`, { path: "matching" });
      }
    },
    matching() {
      if (!checks.has("matching")) return undefined;
      // Checks the value like every other JSON body.
      return parseJson(JSON.stringify(Object.fromEntries(matching))) as object;
    },
  };
}
