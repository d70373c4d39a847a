/** Why a command did not do what it was asked, in a sentence for the person who asked. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  /** A stable word for programs. */
  readonly code: string;
  /** 1: it failed. 2: it was called wrongly. */
  readonly exitCode: 1 | 2;

  constructor(code: string, message: string, options: ErrorOptions & { exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.code = code;
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The command was called wrongly: an option is missing, or has a value that cannot be. */
export const usageError = (message: string): OperatorError => new OperatorError("usage", message, { exitCode: 2 });
