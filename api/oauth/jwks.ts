import { sendJson } from "../http/respond.ts";
import { KeysAnswer } from "./answers.ts";
import type { OAuthCall } from "./oauth-route.ts";

/**
 * How long clients may cache documents about keys and addresses, in seconds. New keys are published a day before use.
 */
export const publishedMaxAgeSeconds = 300;

/** `GET /oauth/jwks` (RFC 7517): the keys that verify tokens. */
export async function jwks({ deps, response }: OAuthCall): Promise<void> {
  const keys = await deps.signingKeys.publicKeys();
  response.setHeader("Cache-Control", `public, max-age=${publishedMaxAgeSeconds}`);
  response.removeHeader("Pragma");
  sendJson(response, 200, KeysAnswer.parse({ keys }));
}
