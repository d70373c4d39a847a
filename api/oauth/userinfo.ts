import { Unauthenticated } from "../http/token-errors.ts";
import * as users from "../../db/queries/people/users.ts";
import { authenticate, readBearerToken } from "../contract/authenticate.ts";
import { requireBoundCertificate } from "../contract/bound-certificate.ts";
import { rateLimitOf, type UserPrincipal } from "../contract/principal.ts";
import { contextOf } from "../http/request-context.ts";
import { sendJson } from "../http/respond.ts";
import { UserinfoAnswer } from "./answers.ts";
import { OAuthError } from "./oauth-error.ts";
import type { OAuthCall } from "./oauth-route.ts";
import { claimsAbout } from "./user-tokens.ts";

/** `GET` and `POST /oauth/userinfo` (OpenID Connect Core section 5.3): the signed-in user. */
export async function userinfo(call: OAuthCall): Promise<void> {
  const { deps, response } = call;
  const { realmId, userId } = await signedInUser(call);
  const user = await users.find(deps.db, { realmId, userId, at: deps.clock.now() });
  if (user === undefined) throw new OAuthError("invalid_token", { challenge: 'Bearer error="invalid_token"' });
  const answer = UserinfoAnswer.parse({
    sub: user.id,
    pairwise_id: user.pairwiseId,
    ...claimsAbout(user),
  });
  sendJson(response, 200, answer);
}

async function signedInUser({ deps, limiter, request, response, address }: OAuthCall): Promise<UserPrincipal> {
  try {
    const token = readBearerToken(request.headers.authorization);
    const principal = await authenticate(deps, token, address);
    await limiter.countToken(response, { hash: token.hash, limit: rateLimitOf(principal) });
    await requireBoundCertificate(deps, request, principal);
    if (principal.kind !== "user" || !principal.scopes.has("openid")) {
      throw new OAuthError("insufficient_scope", { challenge: 'Bearer error="insufficient_scope", scope="openid"' });
    }
    contextOf(response).who = { realmId: principal.realmId, userId: principal.userId };
    return principal;
  } catch (thrown) {
    if (!(thrown instanceof Unauthenticated)) throw thrown;
    const challenge = `Bearer realm="api"${thrown.given ? ', error="invalid_token"' : ""}`;
    throw new OAuthError("invalid_token", { challenge, cause: thrown });
  }
}
