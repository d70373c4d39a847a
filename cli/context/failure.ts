import { CommandError, interruption, unexpected } from "../../terminal/failure.ts";
import { ServiceError } from "../service/refusal.ts";

/** Returns an error as a failure of the command. */
export function asFailure(error: unknown, interrupted: AbortSignal): CommandError {
  if (error instanceof CommandError) return error;
  if (interrupted.aborted) return interruption();
  const { code, message } = error as { code?: unknown; message?: unknown };
  // A file that does not exist, or may not be read or written: Node's message names it.
  if (typeof code === "string" && /^E[A-Z]+$/.test(code))
    return new CommandError("file", `${String(message)}.`, { cause: error });
  return unexpected(error);
}

/** Returns a failure as programs read it: in the service's own wrapper, as far as it applies. */
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
