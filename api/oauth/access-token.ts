import { randomUUID } from "node:crypto";
import { create } from "../../db/queries/access-tokens.ts";
import type { Scope } from "../../domain/scopes.ts";
import { hashOfToken } from "../../runtime/secret-token.ts";
import type { Deps } from "../deps.ts";

const accessTokenSeconds = 30 * 60;

export interface AccessTokenGrant {
  realmId: string;
  clientId: string;
  userId: string | null;
  guestAccountId: string | null;
  secretHash: Uint8Array | null;
  scopes: readonly Scope[];
  /** Whom it speaks for (RFC 9068 section 2.2): the user, or the client that acts on its own. */
  subject: string;
}

/**
 * A new access token: a JWT (RFC 9068) for clients that look into it, of which we ourselves keep the hash alone and look
 * that up on every call, so that it can end at any moment.
 */
export async function issueAccessToken(
  { db, clock, signingKeys, settings }: Pick<Deps, "db" | "clock" | "signingKeys" | "settings">,
  { subject, ...grant }: AccessTokenGrant,
): Promise<string> {
  const at = clock.now();
  const issuedAt = Math.floor(at.getTime() / 1000);
  const expires = issuedAt + accessTokenSeconds;
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
      client_id: grant.clientId,
      scope: grant.scopes.join(" "),
    },
  });
  await create(db, { ...grant, tokenHash: hashOfToken(token), at, expiresAt: new Date(expires * 1000) });
  return token;
}
