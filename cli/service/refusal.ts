import { z } from "zod";
import { exitCodes } from "../../terminal/exit-codes.ts";
import { CommandError, type FailureOptions } from "../../terminal/failure.ts";
import { plain } from "../../terminal/output.ts";

/** One part of a request that the service refused. */
export interface FieldError {
  path: string;
  reason: string;
}

interface RefusalDetails {
  status?: number;
  fields?: readonly FieldError[];
  requestId?: string | undefined;
}

/** The service refused a request. */
export class ServiceError extends CommandError {
  override readonly name = "ServiceError";
  /**
   * The HTTP status. Undefined for 401, which concerns the credentials and not the request, and for a failure that
   * interrupted the watching of a job.
   */
  readonly status: number | undefined;
  readonly fields: readonly FieldError[];
  /** The id that the user quotes to the operator of the service. */
  readonly requestId: string | undefined;

  constructor(
    code: string,
    message: string,
    { status, fields = [], requestId, ...options }: RefusalDetails & Omit<FailureOptions, "notes"> = {},
  ) {
    const notes = fields.map(({ path, reason }) => `  ${path}: ${reason}`);
    super(code, message, {
      ...options,
      notes: requestId === undefined ? notes : [...notes, `Request id: ${requestId}`],
    });
    this.status = status;
    this.fields = fields;
    this.requestId = requestId;
  }
}

/** Makes the failure for missing or refused credentials. */
export const notSignedIn = (message: string, options: ErrorOptions = {}): CommandError =>
  new CommandError("not_signed_in", message, { ...options, exitCode: exitCodes.notSignedIn });

/** Text that is safe to write to a terminal. */
const Text = z.string().transform(plain);

/** The service's failure format; a proxy may have sent another body. */
const Refused = z.object({
  error: Text,
  error_description: Text.optional(),
  request_id: Text.optional(),
  fields: z.array(z.object({ path: Text, reason: Text })).optional(),
});

/** Returns the failure in an unsuccessful response, with the request id. */
export async function refusalOf(response: Response): Promise<ServiceError> {
  const refused = Refused.safeParse(await response.json().catch(() => undefined));
  const requestId = refused.data?.request_id ?? plain(response.headers.get("X-Request-Id") ?? "");
  const quoted = requestId === "" ? {} : { requestId };
  if (response.status === 401) {
    const message = refused.data?.error_description ?? "The service does not accept these credentials.";
    return new ServiceError("not_signed_in", message, { exitCode: exitCodes.notSignedIn, ...quoted });
  }
  if (!refused.success) {
    return new ServiceError("unexpected_answer", `The service answered ${response.status} in an unknown form.`, {
      status: response.status,
      ...quoted,
    });
  }
  const { error, error_description: description, fields } = refused.data;
  return new ServiceError(error, description ?? error, {
    status: response.status,
    ...(fields === undefined ? {} : { fields }),
    ...quoted,
  });
}
