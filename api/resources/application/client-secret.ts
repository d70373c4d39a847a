import { openUnderMasterKey, sealUnderMasterKey, type MasterKeys } from "../../../runtime/keys/master-key.ts";
import { drawSecretToken } from "../../../runtime/keys/secret-token.ts";

/**
 * A new client secret: its hash, and itself sealed under the master key. Sealed it may be remembered with an
 * Idempotency-Key, so that a repeat of the request that made it gets the same answer; readable it is kept nowhere.
 */
export function newClientSecret(masterKeys: MasterKeys, clientId: string): { hash: Buffer; sealed: string } {
  const { token, hash } = drawSecretToken("clientSecret");
  const sealed = sealUnderMasterKey(masterKeys, Buffer.from(token), contextOf(clientId));
  return { hash, sealed: sealed.toString("base64url") };
}

/** The secret that {@link newClientSecret} sealed. */
export const openClientSecret = (masterKeys: MasterKeys, clientId: string, sealed: string): string =>
  openUnderMasterKey(masterKeys, Buffer.from(sealed, "base64url"), contextOf(clientId)).toString("utf8");

const contextOf = (clientId: string): string => `client_secret/${clientId}`;
