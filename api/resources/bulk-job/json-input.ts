import { Tokenizer, TokenParser, TokenType, type ParsedTokenInfo } from "@streamparser/json";
import { jobColumns } from "../../../domain/bulk-job/columns.ts";
import type { JobKind } from "../../../domain/bulk-job/job.ts";
import { rowCharactersMax, UnusableFile, type FoundInput, type ParsedRow } from "./input.ts";
import { rowOf } from "./json-row.ts";

/** `{"users": […]}`. Rows are there as soon as they have been read; nothing else of the text is kept. */
export const jsonInput = (kind: JobKind, text: AsyncIterable<string>): FoundInput => ({
  columns: jobColumns[kind],
  rows: rowsOf(kind, text),
});

async function* rowsOf(kind: JobKind, text: AsyncIterable<string>): AsyncGenerator<ParsedRow> {
  const reader = createReader();
  let position = 0;
  let sinceLast = 0;
  for await (const piece of text) {
    const values = reader.write(piece);
    sinceLast = values.length === 0 ? sinceLast + piece.length : 0;
    if (sinceLast > rowCharactersMax) {
      throw new UnusableFile(`Row ${position + 1} is longer than ${rowCharactersMax} bytes.`);
    }
    for (const value of values) yield rowOf(kind, ++position, value);
  }
  reader.end();
}

const depthMax = 32;

interface Reader {
  /** The elements of `users` that this piece completes. */
  write(piece: string): unknown[];
  /** Throws when the text is not complete. */
  end(): void;
}

function createReader(): Reader {
  const tokenizer = new Tokenizer();
  const parser = new TokenParser({ paths: ["$.*.*"], keepStack: false });
  const checks = createChecks();
  let found: unknown[] = [];
  let users: unknown;

  tokenizer.onToken = (token) => {
    checks.take(token);
    parser.write(token);
  };
  parser.onValue = ({ value, parent, stack }) => {
    const name = stack[1]?.key;
    if (typeof name !== "string" || name.toLowerCase() !== "users") return;
    if (!Array.isArray(parent)) throw new UnusableFile("users must be an array.", { path: "users" });
    users ??= parent;
    if (parent !== users)
      throw new UnusableFile("The body has users twice.", { path: "users", reason: "occurs twice" });
    found.push(value);
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
      if (!checks.beganWithObject()) throw new UnusableFile('The body must be a JSON object: {"users": […]}.');
    },
  };
}

/** What a parser does not mind: any depth, and a property that occurs twice in one object. */
function createChecks() {
  /** The names seen in each open object; null for an open array. */
  const open: (Set<string> | null)[] = [];
  let first: TokenType | undefined;
  let last: unknown;
  return {
    take({ token, value }: ParsedTokenInfo): void {
      first ??= token;
      if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) {
        if (open.push(token === TokenType.LEFT_BRACE ? new Set() : null) > depthMax) {
          throw new UnusableFile(`The body is nested deeper than ${depthMax} levels.`);
        }
      } else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) {
        open.pop();
      } else if (token === TokenType.COLON) {
        const names = open.at(-1);
        if (names?.has(String(last)) === true) throw new UnusableFile("A property occurs twice in one object.");
        names?.add(String(last));
      }
      last = value;
    },
    beganWithObject: () => first === TokenType.LEFT_BRACE,
  };
}
