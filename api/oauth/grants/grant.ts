import type { Request } from "express";
import type { Deps } from "../../contract/deps.ts";
import type { Form } from "../../http/form.ts";

export interface GrantRequest {
  deps: Deps;
  form: Form;
  request: Request;
}

/** What a token request answers; the specification has exactly these properties. */
export interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  id_token?: string;
  refresh_token?: string;
  code?: string;
}

/** What one grant type does with a token request: authenticate the caller, check, and answer. Throws OAuthError. */
export type Grant = (request: GrantRequest) => Promise<TokenResponse>;
