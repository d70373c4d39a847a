import { CommandError, interruption, unexpected } from "../../terminal/failure.ts";
import { ServiceError } from "../service/refusal.ts";

/** Converts an error into a failure of the command. */
export function asFailure(error: unknown, interrupted: AbortSignal): CommandError {
  if (error instanceof CommandError) return error;
  if (interrupted.aborted) return interruption();
  const { code, message } = error as { code?: unknown; message?: unknown };
  // A failure of a file: for instance, it does not exist, or the user may not read or write it. Node's message contains
  // its path.
  if (typeof code === "string" && /^E[A-Z]+$/.test(code))
    return new CommandError("file", `${String(message)}.`, { cause: error });
  return unexpected(error);
}

/** Returns a failure as JSON for programs, in the service's failure format. */
export function failureObject(failure: CommandError): Record<string, unknown> {
  const { status, requestId, fields }: Partial<ServiceError> = failure instanceof ServiceError ? failure : {};
  return {
    result: "error",
    ...(status === undefined ? {} : { code: status }),
    error: failure.code,
    error_description: failure.message,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    ...(fields === undefined || fields.length === 0 ? {} : { fields }),
  };
}
