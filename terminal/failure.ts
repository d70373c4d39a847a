import { exitCodes, type ExitCode } from "./exit-codes.ts";

export interface FailureOptions extends ErrorOptions {
  exitCode?: ExitCode;
  notes?: readonly string[];
}

/** A failed command: a sentence for people and a stable word for programs. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  /** The stable word. */
  readonly code: string;
  readonly exitCode: ExitCode;
  /** Lines that people read below the sentence. */
  readonly notes: readonly string[];

  constructor(
    code: string,
    message: string,
    { exitCode = exitCodes.error, notes = [], ...options }: FailureOptions = {},
  ) {
    super(message, options);
    this.code = code;
    this.exitCode = exitCode;
    this.notes = notes;
  }
}

/** The command was called wrongly: an option is missing, or has a value that is not allowed. */
export const usageError = (message: string): CommandError =>
  new CommandError("usage", message, { exitCode: exitCodes.usage });

/** The user pressed Ctrl-C. `message` may add what continues nevertheless. */
export const interruption = (message = "Interrupted."): CommandError =>
  new CommandError("interrupted", message, { exitCode: exitCodes.interrupted });

/**
 * Returns the failure for an unexpected error, which is a bug: people also read its stack. `clean` removes from message
 * and stack what must not be shown.
 */
export function unexpected(error: unknown, clean: (text: string) => string = (text) => text): CommandError {
  const stack = error instanceof Error ? error.stack : undefined;
  return new CommandError("internal_error", `Something went wrong that should not: ${clean(messageOf(error))}.`, {
    cause: error,
    notes: stack === undefined ? [] : [clean(stack)],
  });
}

/** Returns the message of anything thrown; of an AggregateError without a message, its errors' messages. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
