import { randomUUID } from "node:crypto";
import type { Db } from "../../db/client.ts";
import * as codes from "../../db/queries/oauth/authorization-codes.ts";
import type { Login } from "../../db/queries/sign-in/logins.ts";
import * as sessions from "../../db/queries/sign-in/sessions.ts";
import { drawSecretToken } from "../../runtime/keys/secret-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { authorizationCodeSeconds } from "../../domain/lifetimes.ts";

/**
 * Creates a session and its authorization code. Until the client redeems the code, the session lasts no longer than the
 * code. Returns undefined if the user was offboarded in the meantime.
 */
export async function issueCode(
  tx: Db,
  { request, login, at }: { request: AuthorizationRequest; login: Login; at: Date },
): Promise<string | undefined> {
  const { application, redirectUri, scopes, nonce, codeChallenge } = request;
  const { token: code, hash: codeHash } = drawSecretToken("authorizationCode");
  const id = randomUUID();
  const expiresAt = new Date(at.getTime() + authorizationCodeSeconds * 1_000);
  const made = await sessions.create(tx, {
    id,
    realmId: login.realmId,
    userId: login.userId,
    clientId: application.clientId,
    loginId: login.id,
    certificateId: null,
    scopes,
    signedInAt: login.signedInAt,
    at,
    expiresAt,
  });
  if (!made) return undefined;
  await codes.create(tx, {
    codeHash,
    sessionId: id,
    redirectUri,
    codeChallenge: codeChallenge ?? null,
    nonce: nonce ?? null,
    at,
    expiresAt,
  });
  return code;
}
