import type { Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import type { Log } from "../../runtime/log.ts";
import { isPassing } from "../http/passing-failure.ts";
import { sendJson } from "../http/respond.ts";
import { MethodNotAllowed } from "../http/route.ts";

/**
 * The errors of the endpoints that clients call: those of RFC 6749 section 5.2 and RFC 6750 section 3.1, and the API's
 * errors that can occur there.
 */
export const oauthErrors = {
  invalid_request: {
    status: 400,
    description: "The request is missing a parameter, repeats one, or is otherwise malformed.",
  },
  invalid_client: { status: 401, description: "The client is unknown, is switched off, or did not authenticate." },
  invalid_token: { status: 401, description: "The access token is missing, unknown, or has ended." },
  invalid_grant: {
    status: 400,
    description: "The grant is not valid, has ended, or belongs to another client.",
  },
  unauthorized_client: { status: 400, description: "This client may not use this grant type." },
  unsupported_grant_type: { status: 400, description: "There is no such grant type here." },
  invalid_scope: { status: 400, description: "The client is not registered for a scope that it asks for." },
  insufficient_scope: { status: 403, description: "The access token lacks a scope that this needs." },
  slow_down: { status: 429, description: "Too many requests; try again later." },
  server_error: { status: 500, description: "Something went wrong on our side." },
  temporarily_unavailable: {
    status: 503,
    description: "A part of the service is not available. Please try again shortly.",
  },
} as const satisfies Record<string, { status: number; description: string }>;

export type OAuthErrorCode = keyof typeof oauthErrors;

interface OAuthErrorOptions extends ErrorOptions {
  /** Our own text, never the request's. */
  description?: string;
  /** The `WWW-Authenticate` of a 401 or 403. */
  challenge?: string;
  /** For 429 and 503. */
  retryAfterSeconds?: number | undefined;
  /** Replaces the status of the error code. */
  status?: number;
}

/** An error in the format of RFC 6749. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly challenge: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: OAuthErrorCode,
    { description, challenge, retryAfterSeconds, status, ...options }: OAuthErrorOptions = {},
  ) {
    super(description ?? oauthErrors[code].description, options);
    this.code = code;
    this.status = status ?? oauthErrors[code].status;
    this.challenge = challenge;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The challenge for a client that used the Basic scheme (RFC 6749 section 5.2). */
export const basicChallenge = 'Basic realm="oauth", charset="UTF-8"';

/** The default of `Retry-After`, for 429 and 503. */
const retryAfterSeconds = 2;

export function sendOAuthError(response: Response, error: OAuthError): void {
  if (error.challenge !== undefined) response.setHeader("WWW-Authenticate", error.challenge);
  if (error.status === 503 || error.status === 429) {
    response.setHeader("Retry-After", String(error.retryAfterSeconds ?? retryAfterSeconds));
  }
  sendJson(response, error.status, { error: error.code, error_description: error.message });
}

/** Converts a thrown value to an error of RFC 6749. An unknown value is logged and becomes `server_error`. */
export function asOAuthError(thrown: unknown, log: () => Log): OAuthError {
  if (thrown instanceof OAuthError) return thrown;
  if (thrown instanceof MethodNotAllowed) {
    const methods = thrown.methods.filter((method) => method !== "HEAD" && method !== "OPTIONS");
    return new OAuthError("invalid_request", {
      status: thrown.status,
      description: `This endpoint takes ${methods.join(" and ")} only.`,
    });
  }
  if (isPassing(thrown, log)) return new OAuthError("temporarily_unavailable", { cause: thrown });
  if (thrown instanceof ServiceError && thrown.code === "too_many_requests") {
    return new OAuthError("slow_down", { retryAfterSeconds: thrown.retryAfterSeconds });
  }
  if (thrown instanceof ServiceError && thrown.code === "invalid_request") {
    return new OAuthError("invalid_request", { description: thrown.message, cause: thrown });
  }
  log().error({ event: "request.failed", err: thrown }, "unexpected error");
  return new OAuthError("server_error", { cause: thrown });
}
