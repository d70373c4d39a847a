import type { Deps } from "../../deps.ts";
import type { Form } from "../form.ts";

interface GrantRequest {
  deps: Pick<Deps, "db" | "clock" | "signingKeys" | "settings">;
  form: Form;
  /** The Authorization header, as sent. */
  authorization: string | undefined;
}

/** What a token request answers; the specification has exactly these properties. */
interface TokenResponse {
  access_token: string;
  token_type: "Bearer";
  id_token?: string;
  refresh_token?: string;
  code?: string;
}

/** What one grant type does with a token request: authenticate whoever it has to, check, and answer. Throws OAuthError. */
export type Grant = (request: GrantRequest) => Promise<TokenResponse>;
