import type { Request } from "express";
import type { Deps } from "../../contract/deps.ts";
import type { Form } from "../../http/form.ts";
import type { TokenHolder } from "../../http/rate-limit.ts";
import type { TokenAnswer } from "../answers.ts";

export interface GrantRequest {
  deps: Deps;
  form: Form;
  request: Request;
  /** Counts an access token just before it is issued. Throws `too_many_requests` beyond the limit of its holder. */
  countIssued: (holder: TokenHolder) => Promise<void>;
}

/**
 * Handles a token request of one grant type: authenticates the caller, checks the request, and issues the tokens.
 * Throws OAuthError.
 */
export type Grant = (request: GrantRequest) => Promise<TokenAnswer>;
