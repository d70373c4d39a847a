import type { Db } from "../../db/client.ts";
import * as signInLinks from "../../db/queries/sign-in/sign-in-links.ts";
import { drawSecretToken } from "../../runtime/keys/secret-token.ts";

/** Creates a link that signs a user in once, within 15 minutes, and returns its URL. Stores only its token's hash. */
export async function addSignInLink(
  tx: Db,
  { userId, authUrl, at }: { userId: string; authUrl: string; at: Date },
): Promise<string> {
  const { token, hash } = drawSecretToken("signInLink");
  await signInLinks.create(tx, { tokenHash: hash, userId, at });
  return `${authUrl}/sign-in/${token}`;
}
