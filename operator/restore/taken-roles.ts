import { z } from "zod";
import { UserID } from "../../domain/ids.ts";
import { roles as allRoles, type Role } from "../../domain/people/roles.ts";
import type { LostEntry } from "./lost-entries.ts";

/** Reads the roles in an entry, and skips roles that this version does not know. */
const RoleNames = z
  .array(z.string())
  .default([])
  .transform((names) => allRoles.filter((role) => names.includes(role)));

const Update = z.object({ userID: UserID, before: RoleNames, after: RoleNames });
const Offboarding = z.object({ userID: UserID, roles: RoleNames });

/** The roles that an entry removed, and the user who lost them. */
export interface Taken {
  userId: string;
  roles: Role[];
}

/**
 * Returns the roles that an entry removed and granted; undefined if the entry is neither a change of roles nor an
 * offboarding.
 */
function changeIn({ event, properties }: LostEntry): { userId: string; taken: Role[]; given: Role[] } | undefined {
  if (event === "user_role_update") {
    const { userID: userId, before, after } = Update.parse(JSON.parse(properties));
    return {
      userId,
      taken: before.filter((role) => !after.includes(role)),
      given: after.filter((role) => !before.includes(role)),
    };
  }
  if (event === "user_offboard") {
    const { userID: userId, roles } = Offboarding.parse(JSON.parse(properties));
    return { userId, taken: roles, given: [] };
  }
  return undefined;
}

/** Returns, for each entry that removed roles, the roles that no later entry granted again. */
export function takenRoles(entries: readonly LostEntry[]): ReadonlyMap<LostEntry, Taken> {
  const last = new Map<string, { entry: LostEntry; userId: string; role: Role }>();
  for (const entry of entries) {
    const change = changeIn(entry);
    if (change === undefined) continue;
    const { userId, taken, given } = change;
    for (const role of taken) last.set(`${userId} ${role}`, { entry, userId, role });
    for (const role of given) last.delete(`${userId} ${role}`);
  }
  const byEntry = new Map<LostEntry, Taken>();
  for (const { entry, userId, role } of last.values()) {
    const taken = byEntry.get(entry) ?? { userId, roles: [] };
    taken.roles.push(role);
    byEntry.set(entry, taken);
  }
  return byEntry;
}

/** Whether an entry granted a role, which only a person can grant again. */
export const gaveRole = (entry: LostEntry): boolean => (changeIn(entry)?.given.length ?? 0) > 0;
