import type { Db } from "../../../db/client.ts";
import * as activity from "../../../db/queries/certificates/profile-activity.ts";
import * as people from "../../../db/queries/people/people.ts";
import type { Actor } from "../../../domain/audit/audit.ts";
import { findOnboardingApp } from "../../../domain/onboarding-apps.ts";
import { hasStaffScope, type PrincipalFor } from "../../contract/access.ts";
import type { ActedByView } from "../../contract/views/activity-view.ts";

/**
 * Returns the actor of an event that concerns an owner. If the entry records no actor, the actor's kind is
 * `unrecorded`.
 */
export type NameActor = (
  actor: Actor,
  about: { ownerId: string | null; unrecorded: "operator" | "service" | "owner" },
) => ActedByView;

/** Reads the names of actors, including people's names if the caller may read people. */
export async function readActors(
  db: Db,
  { principal, actors }: { principal: PrincipalFor["staff"]; actors: readonly Actor[] },
): Promise<NameActor> {
  const { realmId } = principal;
  const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
  const userIds = hasStaffScope(principal, "user.read") ? distinct(actors.map(({ userId }) => userId)) : [];
  const [found, applications] = await Promise.all([
    userIds.length === 0 ? [] : people.listByIds(db, { realmId, userIds }),
    activity.namesOfApplications(db, { realmId, clientIds: distinct(actors.map(({ clientId }) => clientId)) }),
  ]);
  const names = new Map(found.map((person) => [person.id, nameOf(person)]));

  return ({ userId, clientId }, { ownerId, unrecorded }) => {
    const client = clientId === null ? {} : { client_id: clientId };
    if (userId !== null) {
      return {
        kind: userId === ownerId ? "owner" : "person",
        name: names.get(userId) ?? null,
        userID: userId,
        ...client,
      };
    }
    if (clientId !== null)
      return {
        kind: "application",
        name: findOnboardingApp(clientId)?.name ?? applications.get(clientId) ?? null,
        ...client,
      };
    return { kind: unrecorded, name: null };
  };
}

/** Returns the name to show for a person; null for a forgotten person. */
export const nameOf = ({ displayName, email, pairwiseId, forgottenAt }: people.Person): string | null =>
  displayName ?? (email !== "" ? email : forgottenAt === null ? pairwiseId : null);
