import { sendJson } from "../http/respond.ts";
import { KeysAnswer } from "./answers.ts";
import type { OAuthCall } from "./oauth-route.ts";

/** For how long documents about keys and addresses may be kept, in seconds. New keys are published a day before use. */
export const publishedMaxAgeSeconds = 300;

/** `GET /oauth/jwks` (RFC 7517): the keys that tokens can be verified with. */
export async function jwks({ deps, response }: OAuthCall): Promise<void> {
  const keys = await deps.signingKeys.publicKeys();
  response.setHeader("Cache-Control", `public, max-age=${publishedMaxAgeSeconds}`);
  response.removeHeader("Pragma");
  sendJson(response, 200, KeysAnswer.parse({ keys }));
}
