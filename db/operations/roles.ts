import { inOrder, type Role } from "../../domain/people/roles.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as endedCreators from "../queries/bulk-job/plan/ended-creators.ts";
import * as userRoles from "../queries/people/user-roles.ts";
import type { HeldRoles } from "../queries/people/user-roles.ts";
import * as consoleSessions from "../queries/sign-in/console-sessions.ts";
import type { UserChange } from "./user-change.ts";

/** Returns a person's roles, assigned here or by the provider. */
export const heldRoles = ({ given, fromProvider }: HeldRoles): Role[] => inOrder([...given, ...fromProvider]);

/**
 * Sets a person's roles, with the audit entry, and returns them. If the roles that the person has change, their console
 * renews its tokens with the next call, and their waiting bulk jobs do not run without the required roles; otherwise
 * there is no audit entry. Throws a violation of {@link userRoles.keepsAnAdministrator} if the realm would have no
 * administrator left. Call in a transaction, with the person's row locked.
 */
export async function set(
  tx: Db,
  {
    realmId,
    userId,
    before,
    after,
    source,
    actor,
    at,
    replayed,
  }: UserChange<HeldRoles, "console" | "provider" | "operator"> & { replayed?: true },
): Promise<HeldRoles> {
  const now = { given: inOrder(after.given), fromProvider: inOrder(after.fromProvider) };
  if (same(before.given, now.given) && same(before.fromProvider, now.fromProvider)) return now;
  await userRoles.update(tx, { realmId, userId, ...now });
  const [held, holds] = [heldRoles(before), heldRoles(now)];
  if (same(held, holds)) return now;
  await consoleSessions.renewSoon(tx, { userId, at });
  await endedCreators.stopOfEnded(tx, { realmId, creators: { userIds: [userId] }, at });
  await audit.record(tx, {
    realmId,
    event: "user_role_update",
    actor,
    at,
    properties: { userID: userId, before: held, after: holds, source, ...(replayed && { replayed }) },
  });
  return now;
}

const same = (a: readonly Role[], b: readonly Role[]): boolean =>
  a.length === b.length && a.every((role) => b.includes(role));
