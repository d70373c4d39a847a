/** What the command ends with. */
export const exitCodes = {
  done: 0,
  error: 1,
  usage: 2,
  /** Some of it was done, some was not. */
  partly: 3,
  notSignedIn: 4,
  /** By Ctrl-C; what runs in the service goes on. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** One part of a request that the service refused. */
export interface FieldFault {
  path: string;
  reason: string;
}

interface FailureDetails extends ErrorOptions {
  exitCode?: ExitCode;
  status?: number;
  fields?: readonly FieldFault[];
  requestId?: string;
}

/** Why a command did not do what it was asked, in a sentence for people and a stable word for programs. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: string;
  readonly exitCode: ExitCode;
  /** The HTTP status, when the service refused. */
  readonly status: number | undefined;
  readonly fields: readonly FieldFault[];
  /** What to quote to whoever operates the service. */
  readonly requestId: string | undefined;

  constructor(
    code: string,
    message: string,
    { exitCode = exitCodes.error, status, fields = [], requestId, ...options }: FailureDetails = {},
  ) {
    super(message, options);
    this.code = code;
    this.exitCode = exitCode;
    this.status = status;
    this.fields = fields;
    this.requestId = requestId;
  }
}

/** The command was called wrongly. */
export const usageError = (message: string): CliError => new CliError("usage", message, { exitCode: exitCodes.usage });

/** There are no credentials, or the service does not take them. */
export const notSignedIn = (message: string, options: ErrorOptions & { requestId?: string } = {}): CliError =>
  new CliError("not_signed_in", message, { ...options, exitCode: exitCodes.notSignedIn });

/** Somebody pressed Ctrl-C. `message` says what goes on all the same. */
export const interruption = (message = "Interrupted."): CliError =>
  new CliError("interrupted", message, { exitCode: exitCodes.interrupted });

/** The failure as programs read it: the service's own wrapper, as far as it applies. */
export const failureObject = ({ code, message, status, fields, requestId }: CliError): Record<string, unknown> => ({
  result: "error",
  ...(status === undefined ? {} : { code: status }),
  error: code,
  error_description: message,
  ...(requestId === undefined ? {} : { request_id: requestId }),
  ...(fields.length === 0 ? {} : { fields }),
});

/** Whatever was thrown as a failure with a sentence. Only what nobody foresaw carries its stack in `cause`. */
export function asFailure(error: unknown, interrupted: AbortSignal): CliError {
  if (error instanceof CliError) return error;
  if (interrupted.aborted) return interruption();
  const message = error instanceof Error ? error.message : String(error);
  const { code } = error as { code?: unknown };
  // A file that is not there, or may not be read or written: Node's sentence names it.
  if (typeof code === "string" && /^E[A-Z]+$/.test(code)) return new CliError("file", `${message}.`, { cause: error });
  return new CliError("internal_error", `Something went wrong that should not: ${message}.`, { cause: error });
}
