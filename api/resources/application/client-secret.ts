import { openUnderMasterKey, sealUnderMasterKey, type MasterKeys } from "../../../runtime/keys/master-key.ts";
import { drawSecretToken } from "../../../runtime/keys/secret-token.ts";

/**
 * Creates a client secret: its hash, and the secret sealed under the master key. The sealed secret may be stored with
 * an Idempotency-Key, so a repeated request gets the same response; the readable secret is stored nowhere.
 */
export function newClientSecret(masterKeys: MasterKeys, clientId: string): { hash: Buffer; sealed: string } {
  const { token, hash } = drawSecretToken("clientSecret");
  const sealed = sealUnderMasterKey(masterKeys, Buffer.from(token), contextOf(clientId));
  return { hash, sealed: sealed.toString("base64url") };
}

/** Opens a secret that {@link newClientSecret} sealed. */
export const openClientSecret = (masterKeys: MasterKeys, clientId: string, sealed: string): string =>
  openUnderMasterKey(masterKeys, Buffer.from(sealed, "base64url"), contextOf(clientId)).toString("utf8");

const contextOf = (clientId: string): string => `client_secret/${clientId}`;
