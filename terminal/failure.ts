import { exitCodes, type ExitCode } from "./exit-codes.ts";

export interface FailureOptions extends ErrorOptions {
  exitCode?: ExitCode;
  notes?: readonly string[];
}

/** A failed command: a sentence for people and a stable code for programs. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  /** The stable code. */
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

/**
 * Returns the failure for a command that was called wrongly, for example without a required option or with an invalid
 * value.
 */
export const usageError = (message: string): CommandError =>
  new CommandError("usage", message, { exitCode: exitCodes.usage });

/** Returns the failure for a command that the user interrupted with Ctrl-C. `message` can add which work continues. */
export const interruption = (message = "Interrupted."): CommandError =>
  new CommandError("interrupted", message, { exitCode: exitCodes.interrupted });

/**
 * Returns the failure for an unexpected error, which is a bug: people also read its stack. `clean` removes everything
 * that must not be shown from the message and the stack.
 */
export function unexpected(error: unknown, clean: (text: string) => string = (text) => text): CommandError {
  const stack = error instanceof Error ? error.stack : undefined;
  return new CommandError("internal_error", `Something went wrong that should not: ${clean(messageOf(error))}.`, {
    cause: error,
    notes: stack === undefined ? [] : [clean(stack)],
  });
}

/** Returns the message of any thrown value; for an AggregateError without a message, its errors' messages. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
