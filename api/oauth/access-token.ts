import { randomUUID } from "node:crypto";
import type { Db } from "../../db/client.ts";
import * as accessTokens from "../../db/queries/oauth/access-tokens.ts";
import type { Scope } from "../../domain/people/scopes.ts";
import { accessTokenSeconds } from "../../domain/lifetimes.ts";
import { hashOfToken } from "../../runtime/keys/secret-token.ts";
import type { Deps } from "../contract/deps.ts";

export interface AccessTokenGrant {
  realmId: string;
  /** Null for a guest account, which needs no client. */
  clientId: string | null;
  userId: string | null;
  guestAccountId: string | null;
  secretHash: Uint8Array | null;
  sessionId: string | null;
  certificateId: string | null;
  scopes: readonly Scope[];
  /** The token's subject (RFC 9068 section 2.2): the user, or the client or guest account acting for itself. */
  subject: string;
  /** When the token expires; omitted: 30 minutes from now. */
  expiresAt?: Date;
  /** The thumbprint of the certificate that the token is bound to (RFC 8705 section 3.1). */
  certificateThumbprint?: string;
}

/**
 * Issues an access token: a JWT (RFC 9068) for clients that inspect it. We store only the token's hash and look it up
 * at every call, so a token can be ended at any moment.
 */
export async function issueAccessToken(
  db: Db,
  { clock, signingKeys, settings }: Pick<Deps, "clock" | "signingKeys" | "settings">,
  { subject, expiresAt, certificateThumbprint, ...grant }: AccessTokenGrant,
): Promise<string> {
  const at = clock.now();
  const issuedAt = Math.floor(at.getTime() / 1000);
  const expires = expiresAt === undefined ? issuedAt + accessTokenSeconds : Math.floor(expiresAt.getTime() / 1000);
  const token = await signingKeys.sign({
    algorithm: "ES256",
    type: "at+jwt",
    claims: {
      iss: settings.authUrl,
      sub: subject,
      aud: settings.baseUrl,
      iat: issuedAt,
      exp: expires,
      jti: randomUUID(),
      client_id: grant.clientId ?? subject,
      scope: grant.scopes.join(" "),
      ...(certificateThumbprint === undefined ? {} : { cnf: { "x5t#S256": certificateThumbprint } }),
    },
  });
  await accessTokens.create(db, { ...grant, tokenHash: hashOfToken(token), at, expiresAt: new Date(expires * 1000) });
  return token;
}
