import type { FieldError } from "../../../../domain/errors.ts";

/** What stands in place of rows: the search and filter of a list, as they came. */
export interface FoundMatching {
  matching: object;
}

/** No row is longer, so that none is ever held that is. */
export const rowCharactersMax = 64 * 1024;

/** Rows and empty lines together: as many lines as a spreadsheet has. */
export const positionsMax = 1_048_576;

/** Why a file as a whole cannot be used: the message is for the client. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
  readonly fields: readonly FieldError[] | undefined;

  constructor(
    message: string,
    {
      path,
      reason = message,
      fields = path === undefined ? undefined : [{ path, reason }],
      cause,
    }: { path?: string; reason?: string; fields?: readonly FieldError[]; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.fields = fields;
  }
}

const keptCharactersMax = 1_000;

/** A value as it is kept beside what is made of it: as text that Postgres takes, cut when it is far too long. */
export function inputText(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, keptCharactersMax).replace(/[\0\p{Cs}]/gu, "\ufffd");
}
