import type { Response } from "express";
import { sendJson } from "../respond.ts";

/** The errors of the token endpoint (RFC 6749 section 5.2), and the ones of ours that can befall it. */
export const oauthErrors = {
  invalid_request: {
    status: 400,
    description: "The request is missing a parameter, repeats one, or is otherwise malformed.",
  },
  invalid_client: { status: 401, description: "The client is unknown, is switched off, or did not authenticate." },
  invalid_grant: {
    status: 400,
    description: "What was presented is not valid, has ended, or belongs to another client.",
  },
  unauthorized_client: { status: 400, description: "This client may not use this grant type." },
  unsupported_grant_type: { status: 400, description: "There is no such grant type here." },
  invalid_scope: { status: 400, description: "The client is not registered for a scope that it asks for." },
  slow_down: { status: 429, description: "Too many requests; try again later." },
  server_error: { status: 500, description: "Something went wrong on our side." },
  temporarily_unavailable: { status: 503, description: "A part of the service is away. Please try again shortly." },
} as const satisfies Record<string, { status: number; description: string }>;

export type OAuthErrorCode = keyof typeof oauthErrors;

/** A failure in the words of RFC 6749. The description is our own text, never the request's. */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;
  /** The client used the Basic scheme, which the challenge of a 401 then names. */
  readonly basic: boolean;
  constructor(
    code: OAuthErrorCode,
    { description, basic = false, ...options }: { description?: string; basic?: boolean } & ErrorOptions = {},
  ) {
    super(description ?? oauthErrors[code].description, options);
    this.code = code;
    this.basic = basic;
  }

  get status(): number {
    return oauthErrors[this.code].status;
  }
}

/** Sends an error of the token endpoint. */
export function sendOAuthError(response: Response, error: OAuthError): void {
  if (error.basic) response.setHeader("WWW-Authenticate", 'Basic realm="oauth", charset="UTF-8"');
  if (error.status === 503 || error.status === 429) response.setHeader("Retry-After", "2");
  sendJson(response, error.status, { error: error.code, error_description: error.message });
}
