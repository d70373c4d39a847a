import { randomBytes } from "node:crypto";
import { violates, type Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as localCredentials from "../../db/queries/sign-in/local-credentials.ts";
import * as identities from "../../db/queries/sign-in/upstream-identities.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import * as users from "../../db/queries/people/users.ts";
import type { Role } from "../../domain/people/roles.ts";
import { operatorActor } from "../../domain/audit/audit.ts";
import { foldsAlike } from "../../domain/people/user-name.ts";
import { CommandError, usageError } from "../../terminal/failure.ts";

export interface NewLocalUser {
  realm: Pick<RealmRow, "id" | "name">;
  username: string;
  pairwiseId: string;
  email: string;
  roles: readonly Role[];
  /** Null: the user signs in by links only. */
  passwordHash: string | null;
  at: Date;
}

/** Draws an identifier that reveals nothing about the person (a SAML pairwise-id, unique within the realm's domain). */
export const drawPairwiseId = ({ domain }: Pick<RealmRow, "domain">): string =>
  `${randomBytes(16).toString("hex")}@${domain}`;

const idTaken = ({ name }: Pick<RealmRow, "name">): string =>
  `The realm ${name} has a user with this pairwise id already, in this or another spelling.`;

/**
 * Creates a user who signs in locally, with the audit entry, and returns the user's id. Refuses a name that can be
 * spelled or folded in two ways. Call in a transaction.
 */
export async function addLocalUser(tx: Db, user: NewLocalUser): Promise<string> {
  const { realm, username, pairwiseId, email, roles, passwordHash, at } = user;
  const taken = (constraints: readonly string[], sentence: string) => (error: unknown) => {
    if (!constraints.some((constraint) => violates(error, constraint))) throw error;
    throw new CommandError("name_taken", sentence, { cause: error });
  };

  if (!foldsAlike(username, await localCredentials.fold(tx, username))) {
    throw usageError(
      `The username ${JSON.stringify(username)} has characters that can be spelled or folded in two ways; use plain letters, in lower case where it helps.`,
    );
  }
  // The index alone would admit another spelling if an earlier version has forgotten the first of two people whose ids
  // differ only in spelling.
  const same = await identities.lockUserByPairwiseId(tx, { realmId: realm.id, pairwiseId });
  if (same !== undefined) throw new CommandError("name_taken", idTaken(realm));
  const userId = await users
    .create(tx, { realmId: realm.id, pairwiseId, email, roles, at })
    .catch(taken(["users_realm_id_pairwise_id_key", "users_folded_id"], idTaken(realm)));
  await localCredentials
    .create(tx, { userId, realmId: realm.id, username, passwordHash })
    .catch(taken(["local_credentials_username"], `The realm ${realm.name} has a user "${username}" already.`));
  await auditEntries.record(tx, {
    realmId: realm.id,
    event: "user_create",
    actor: operatorActor,
    at,
    properties: { userID: userId, administrator: roles.includes("administrator"), roles },
  });
  return userId;
}
