import type { Request } from "express";
import type { Deps } from "../../contract/deps.ts";
import type { Form } from "../../http/form.ts";
import type { TokenAnswer } from "../answers.ts";

export interface GrantRequest {
  deps: Deps;
  form: Form;
  request: Request;
}

/** What one grant type does with a token request: authenticate the caller, check, and answer. Throws OAuthError. */
export type Grant = (request: GrantRequest) => Promise<TokenAnswer>;
