import { openUnderMasterKey, sealUnderMasterKey, type MasterKeys } from "../../../runtime/keys/master-key.ts";
import { drawSecretToken } from "../../../runtime/keys/secret-token.ts";

/** The kinds of an application's secrets, and the context under which each is sealed. */
const contexts = { clientSecret: "client_secret", staticToken: "static_token" } as const;
type SecretKind = keyof typeof contexts;

/**
 * Creates a secret: its hash, and the secret sealed under the master key. The sealed secret may be stored with an
 * Idempotency-Key, so a repeated request gets the same response; the readable secret is stored nowhere. `id`: of the
 * application or of the token.
 */
export function newSecret(masterKeys: MasterKeys, kind: SecretKind, id: string): { hash: Buffer; sealed: string } {
  const { token, hash } = drawSecretToken(kind);
  const sealed = sealUnderMasterKey(masterKeys, Buffer.from(token), contextOf(kind, id));
  return { hash, sealed: sealed.toString("base64url") };
}

/** Opens a secret that {@link newSecret} sealed. */
export const openSecret = (masterKeys: MasterKeys, kind: SecretKind, id: string, sealed: string): string =>
  openUnderMasterKey(masterKeys, Buffer.from(sealed, "base64url"), contextOf(kind, id)).toString("utf8");

const contextOf = (kind: SecretKind, id: string): string => `${contexts[kind]}/${id}`;
