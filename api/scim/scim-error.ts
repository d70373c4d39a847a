import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "../../domain/errors.ts";
import { refuseWith, setErrorHeaders } from "../http/error-response.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import type { ErrorFormat } from "../http/route.ts";

export const scimType = "application/scim+json";

/** The values of `scimType` (RFC 7644 section 3.12) that this server sends. */
export type ScimFault =
  "invalidSyntax" | "invalidValue" | "invalidPath" | "invalidFilter" | "noTarget" | "mutability" | "uniqueness";

/** A failure that only SCIM reports. */
export class ScimError extends ServiceError {
  readonly fault: ScimFault | undefined;
  /** The refused path or attribute: for the log, and to drop it if the person leaves. */
  readonly path: string | undefined;
  readonly #status: number;

  /**
   * `detail` appears in the directory's log: it contains our own words and the name of the attribute, never a value.
   */
  constructor(
    detail: string,
    { status = 400, fault, path, cause }: { status?: number; fault?: ScimFault; path?: string; cause?: unknown },
  ) {
    super("invalid_request", { description: detail, cause });
    this.fault = fault;
    this.path = path;
    this.#status = status;
  }

  override get status(): number {
    return this.#status;
  }
}

export const syntaxFault = (detail: string): ScimError => new ScimError(detail, { fault: "invalidSyntax" });

export const valueFault = (path: string, detail: string): ScimError =>
  new ScimError(`${path} ${detail}.`, { fault: "invalidValue", path });

/** The log and the response contain at most this many characters of a refused path. */
const shownMax = 100;

export const pathFault = (path: string): ScimError => {
  const shown = path.slice(0, shownMax);
  return new ScimError(`The path ${JSON.stringify(shown)} is not understood.`, { fault: "invalidPath", path: shown });
};

export const mutabilityFault = (path: string, detail: string): ScimError =>
  new ScimError(`${path} ${detail}.`, { fault: "mutability", path });

export const uniquenessFault = (path: string, cause?: unknown): ScimError =>
  new ScimError(`Another person has this ${path}.`, { status: 409, fault: "uniqueness", path, cause });

/** Sends an error in the format of RFC 7644 section 3.12. */
function sendScimError(_request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  const { status } = error;
  const fault = error instanceof ScimError ? error.fault : status === 400 ? "invalidSyntax" : undefined;
  const path = error instanceof ScimError ? error.path : undefined;
  const { log, route, who } = contextOf(response);
  log().info({ event: "scim.refused", route, status, scimType: fault, path, ...who }, "a SCIM request was refused");
  setErrorHeaders(response, error);
  sendJson(
    response,
    status,
    {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      ...(fault !== undefined && { scimType: fault }),
      detail: status === 415 ? `The request body must be ${scimType} or application/json.` : error.message,
    },
    scimType,
  );
}

/** The error format of everything below `/scim/v2`. */
export const scimErrors: ErrorFormat = { name: "scim", send: refuseWith(sendScimError) };
