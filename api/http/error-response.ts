import { InsufficientScope, Unauthenticated } from "./token-errors.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorCatalogue, ServiceError, type FieldError } from "../../domain/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { isPassing } from "./passing-failure.ts";
import { contextOf } from "./request-context.ts";
import { sendJson } from "./respond.ts";
import type { ErrorFormat, PlainExchange } from "./route.ts";

/** The default of `Retry-After`, for 429 and 503. */
const retryAfterSeconds = 2;

/** The JSON body of an error response. */
interface ErrorBody {
  result: "error";
  code: number;
  error: string;
  error_description: string;
  request_id: string;
  fields?: readonly FieldError[];
}

/** Converts a thrown value to an error for the caller. An unknown value is logged and becomes `internal_error`. */
export function asServiceError(thrown: unknown, log: () => Log): ServiceError {
  if (thrown instanceof ServiceError) {
    if (thrown.status >= 500) log().warn({ event: "request.failed", err: thrown }, "request failed");
    return thrown;
  }
  if (isPassing(thrown, log)) return new ServiceError("unavailable", { retryAfterSeconds, cause: thrown });
  if (isUndecodablePath(thrown)) {
    return new ServiceError("invalid_request", { description: "A percent escape is not valid.", cause: thrown });
  }
  log().error({ event: "request.failed", err: thrown, cause: causeOf(thrown) }, "unexpected error");
  return new ServiceError("internal_error", { cause: thrown });
}

const causeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause.message : undefined;

/** Returns whether Express's router refused a path with invalid percent escapes. */
const isUndecodablePath = (thrown: unknown): boolean =>
  thrown instanceof URIError && "status" in thrown && thrown.status === 400;

/**
 * Returns a function that sends an error in the format of `send`. 401 and 403 are counted per address. Beyond the limit
 * a 403 becomes a 429; a 401 stays and gets a `Retry-After`, so other clients at the same address still learn that they
 * need another token.
 */
export const refuseWith =
  (send: (request: IncomingMessage, response: ServerResponse, error: ServiceError) => void) =>
  async ({ request, response, limiter, address }: PlainExchange, thrown: unknown): Promise<void> => {
    const { log } = contextOf(response);
    let error = asServiceError(thrown, log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.status === 401 || error.status === 403) {
      const retryAfterSeconds = await limiter.countRefusal(response, address);
      if (retryAfterSeconds !== undefined && error.status === 401) {
        response.setHeader("Retry-After", String(retryAfterSeconds));
      } else if (retryAfterSeconds !== undefined) {
        error = new ServiceError("too_many_requests", { retryAfterSeconds, cause: error });
      }
    }
    if (!response.hasHeader("X-Rate-Limit-Limit")) await limiter.countPublic(response, address).catch(() => undefined);
    send(request, response, error);
  };

/** Sends an error in the wrapper, or as problem details (RFC 9457) if the client accepts those. */
export function sendError(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  const { id } = contextOf(response);
  setErrorHeaders(response, error);
  const body: ErrorBody = {
    result: "error",
    code: error.status,
    error: error.code,
    error_description: error.message,
    request_id: id,
    ...(error.fields === undefined ? {} : { fields: error.fields }),
  };
  if (wantsProblemDetails(request.headers.accept)) {
    sendJson(response, error.status, problemOf(body, error), "application/problem+json");
  } else {
    sendJson(response, error.status, body);
  }
}

/** The error format of the API and of every path without a special format: the wrapper, or problem details. */
export const problemErrors: ErrorFormat<PlainExchange> = { name: "problem", send: refuseWith(sendError) };

/** Sets `WWW-Authenticate` (RFC 6750) and `Retry-After` of an error. */
export function setErrorHeaders(response: ServerResponse, error: ServiceError): void {
  if (error instanceof Unauthenticated) {
    response.setHeader("WWW-Authenticate", `Bearer realm="api"${error.given ? ', error="invalid_token"' : ""}`);
  }
  if (error instanceof InsufficientScope) {
    response.setHeader("WWW-Authenticate", `Bearer realm="api", error="insufficient_scope", scope="${error.scope}"`);
  }
  const retryAfter =
    error.retryAfterSeconds ?? (error.status === 503 || error.status === 429 ? retryAfterSeconds : undefined);
  if (retryAfter !== undefined) response.setHeader("Retry-After", String(retryAfter));
}

const wantsProblemDetails = (accept: string | undefined): boolean =>
  accept !== undefined && /application\/problem\+json(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(accept);

const problemOf = ({ error, error_description, request_id, fields }: ErrorBody, { status, code }: ServiceError) => ({
  type: `urn:realmpass:error:${error}`,
  title: errorCatalogue[code].message,
  status,
  detail: error_description,
  instance: `urn:uuid:${request_id}`,
  error,
  request_id,
  ...(fields === undefined ? {} : { fields }),
});
