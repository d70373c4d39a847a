import type { Response } from "express";
import { ServiceError } from "../../domain/errors.ts";
import { asServiceError } from "../http/error-response.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import { MethodNotAllowed, type ErrorFormat } from "../http/route.ts";
import { Unauthenticated } from "../http/token-errors.ts";

/** The reasons why an app gets no file, each with its HTTP status and a sentence that some apps show to the user. */
const errors = {
  invalid_request: { status: 400, description: "The request for the file is not valid." },
  invalid_token: { status: 401, description: "Sign in again: the permission for this file has ended." },
  user_locked: { status: 403, description: "Your account is locked. Ask your help desk." },
  user_not_permitted: {
    status: 403,
    description: "Your organization says that you may not use this service. Ask your help desk.",
  },
  profile_limit_reached: { status: 409, description: "You have as many profiles as you may have. Revoke one first." },
  format_conflict: { status: 409, description: "The file was already made in another format." },
  output_erased: { status: 410, description: "The file is no longer kept. Sign in again for a new one." },
  issuance_failed: { status: 500, description: "The profile could not be made. Sign in again." },
  no_issuer: { status: 503, description: "Your organization has not finished setting this up." },
  issuer_expiring: { status: 503, description: "Your organization has to renew something first." },
  temporarily_unavailable: { status: 503, description: "The profile is not ready yet. Try again." },
  slow_down: { status: 429, description: "Too many requests. Try again later." },
  server_error: { status: 500, description: "Something went wrong on our side." },
} as const satisfies Record<string, { status: number; description: string }>;

export type FileErrorCode = keyof typeof errors;

interface FileErrorOptions extends ErrorOptions {
  /** Replaces the status of the error code. */
  status?: number;
  /** Replaces the sentence of the error code. */
  description?: string;
  /** The value of `WWW-Authenticate`. */
  challenge?: string;
  retryAfterSeconds?: number | undefined;
}

/** Thrown when an app gets no file, with the reason. */
export class FileError extends Error {
  override readonly name = "FileError";
  readonly code: FileErrorCode;
  readonly status: number;
  readonly challenge: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: FileErrorCode,
    { status, description, challenge, retryAfterSeconds, ...options }: FileErrorOptions = {},
  ) {
    super(description ?? errors[code].description, options);
    this.code = code;
    this.status = status ?? errors[code].status;
    this.challenge = challenge;
    this.retryAfterSeconds = retryAfterSeconds ?? (this.status === 503 ? 2 : undefined);
  }
}

/** Returns the error for a token that is unknown, has ended, or belongs to another realm. */
export const invalidToken = (): FileError =>
  new FileError("invalid_token", { challenge: 'Bearer error="invalid_token"' });

/** The format of the file endpoint's errors: `error` and one plain sentence. */
export const fileErrors: ErrorFormat = {
  name: "oauth",
  send({ response }, thrown) {
    sendFileError(response, asFileError(response, thrown));
  },
};

function sendFileError(response: Response, { code, status, message, challenge, retryAfterSeconds }: FileError): void {
  if (challenge !== undefined) response.setHeader("WWW-Authenticate", challenge);
  if (retryAfterSeconds !== undefined) response.setHeader("Retry-After", String(retryAfterSeconds));
  sendJson(response, status, { error: code, error_description: message });
}

/** Converts a thrown value to a {@link FileError}. */
function asFileError(response: Response, thrown: unknown): FileError {
  if (thrown instanceof FileError) return thrown;
  if (thrown instanceof Unauthenticated) {
    return thrown.given ? invalidToken() : new FileError("invalid_token", { challenge: "Bearer", cause: thrown });
  }
  if (thrown instanceof MethodNotAllowed) {
    const description = `This endpoint takes ${thrown.methods.join(" and ")} only.`;
    return new FileError("invalid_request", { status: 405, description, cause: thrown });
  }
  const { code, status, retryAfterSeconds } = asServiceError(thrown, contextOf(response).log);
  const options = { retryAfterSeconds, cause: thrown };
  if (code === "unavailable") return new FileError("temporarily_unavailable", options);
  if (code === "too_many_requests") return new FileError("slow_down", options);
  if (thrown instanceof ServiceError && status < 500) return new FileError("invalid_request", { status, ...options });
  return new FileError("server_error", options);
}
