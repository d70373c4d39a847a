import type { FieldError } from "../../../../domain/errors.ts";

/** The search and filter of a list that a client sent in place of rows, as received. */
export interface FoundMatching {
  matching: object;
}

/** The longest row, in characters (of CSV, in bytes of UTF-8); longer rows are never held in memory. */
export const rowCharactersMax = 64 * 1024;

/** The limit for rows and empty lines together: as many lines as a spreadsheet has. */
export const positionsMax = 1_048_576;

/** Thrown if a file as a whole cannot be used. The message is for the client. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
  readonly code: "invalid_request" | "unknown_columns";
  readonly fields: readonly FieldError[] | undefined;

  constructor(
    message: string,
    {
      path,
      reason = message,
      fields = path === undefined ? undefined : [{ path, reason }],
      code = "invalid_request",
      cause,
    }: {
      path?: string;
      reason?: string;
      fields?: readonly FieldError[];
      code?: UnusableFile["code"];
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.fields = fields;
  }
}

const keptCharactersMax = 1_000;

/**
 * Returns a value as text to store with the parsed row: as Postgres accepts it, and cut if it is far too long. Null for
 * an empty value.
 */
export function inputText(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, keptCharactersMax).replace(/[\0\p{Cs}]/gu, "\ufffd");
}
