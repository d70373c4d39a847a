import type { Db } from "../../db/client.ts";
import type { Application } from "../../db/queries/oauth/applications.ts";
import * as users from "../../db/queries/people/users.ts";
import { isClaimScope, type Scope } from "../../domain/people/scopes.ts";
import { accessTokenSeconds } from "../../domain/lifetimes.ts";
import type { Deps } from "../contract/deps.ts";
import type { TokenAnswer } from "./answers.ts";
import { issueAccessToken } from "./access-token.ts";

/** The content and the owner of a user's tokens. */
export interface UserGrant {
  realmId: string;
  userId: string;
  pairwiseId: string;
  clientId: string;
  sessionId: string;
  /** The hash of the secret that the client authenticated with; null if the client needs no secret. */
  secretHash: Uint8Array | null;
  scopes: readonly Scope[];
  /** When the user authenticated. */
  signedInAt: Date;
  /** Echoed in the id token of the authorization that sent it, and in no later one (OpenID Connect Core 12.2). */
  nonce?: string | null;
  /** The profile that the user signed in with over mutual TLS, and its thumbprint (RFC 8705 section 3.1). */
  certificate?: { id: string; thumbprint: string };
}

type TokenDeps = Pick<Deps, "clock" | "signingKeys" | "settings">;

/** Issues an access token for a user and, if `openid` is among the scopes, an id token. */
export async function issueUserTokens(
  db: Db,
  deps: TokenDeps,
  grant: UserGrant,
): Promise<Pick<TokenAnswer, "access_token" | "id_token" | "token_type">> {
  const { realmId, userId, clientId, sessionId, secretHash, scopes, certificate } = grant;
  const [accessToken, idToken] = await Promise.all([
    issueAccessToken(db, deps, {
      realmId,
      clientId,
      userId,
      guestAccountId: null,
      secretHash,
      sessionId,
      certificateId: certificate?.id ?? null,
      scopes,
      subject: userId,
      ...(certificate && { certificateThumbprint: certificate.thumbprint }),
    }),
    scopes.includes("openid") ? signIdToken(db, deps, grant) : undefined,
  ]);
  return { access_token: accessToken, ...(idToken !== undefined && { id_token: idToken }), token_type: "Bearer" };
}

/**
 * Signs an id token (OpenID Connect Core section 2), valid as long as the access token, with RS256, which every client
 * can verify. With the scopes `profile` and `email` the token contains the person's name and e-mail address, if known.
 */
async function signIdToken(db: Db, { clock, signingKeys, settings }: TokenDeps, grant: UserGrant): Promise<string> {
  const { realmId, userId, scopes } = grant;
  const user = scopes.some(isClaimScope) ? await users.find(db, { realmId, userId, at: clock.now() }) : undefined;
  const { name, email } = claimsAbout(user);
  const issuedAt = Math.floor(clock.now().getTime() / 1000);
  const nonce = grant.nonce ?? undefined;
  return signingKeys.sign({
    algorithm: "RS256",
    type: "JWT",
    claims: {
      iss: settings.authUrl,
      sub: grant.userId,
      aud: grant.clientId,
      iat: issuedAt,
      exp: issuedAt + accessTokenSeconds,
      auth_time: Math.floor(grant.signedInAt.getTime() / 1000),
      sid: grant.sessionId,
      pairwise_id: grant.pairwiseId,
      ...(nonce !== undefined && { nonce }),
      ...(scopes.includes("profile") && name !== undefined && { name }),
      ...(scopes.includes("email") && email !== undefined && { email }),
    },
  });
}

/** Returns the claims about a person as id tokens and userinfo name them; unknown values are absent. */
export const claimsAbout = (
  user: { displayName: string | null; email: string } | undefined,
): { email?: string; name?: string } => ({
  ...(user?.email ? { email: user.email } : {}),
  ...(user?.displayName ? { name: user.displayName } : {}),
});

/**
 * Returns the further properties of a token response (RFC 6749 section 5.1) for an application whose setting asks for
 * them. Other applications get exactly what the specification lists.
 */
export const describedFor = (
  { fullTokenAnswers }: Pick<Application, "fullTokenAnswers">,
  scopes: readonly Scope[],
): Pick<TokenAnswer, "expires_in" | "scope"> =>
  fullTokenAnswers ? { expires_in: accessTokenSeconds, scope: scopes.join(" ") } : {};
