import type { Db } from "../../db/client.ts";
import * as audit from "../../db/queries/audit/audit-entries.ts";
import * as signInLinks from "../../db/queries/sign-in/sign-in-links.ts";
import { operatorActor } from "../../domain/audit/audit.ts";
import { drawSecretToken } from "../../runtime/keys/secret-token.ts";

/**
 * Creates a link that signs a user in once, within 15 minutes, with its audit entry, and returns its URL. Stores only
 * the hash of the link's token. Call in a transaction.
 */
export async function addSignInLink(
  tx: Db,
  { realmId, userId, authUrl, at }: { realmId: string; userId: string; authUrl: string; at: Date },
): Promise<string> {
  const { token, hash } = drawSecretToken("signInLink");
  await audit.record(tx, {
    realmId,
    event: "sign_in_link_create",
    actor: operatorActor,
    at,
    properties: { userID: userId },
  });
  await signInLinks.create(tx, { tokenHash: hash, userId, at });
  return `${authUrl}/sign-in/${token}`;
}
