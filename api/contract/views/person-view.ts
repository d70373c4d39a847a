import { z } from "zod";
import * as people from "../../../db/queries/people/people.ts";
import type { Db } from "../../../db/client.ts";
import { requireStaffScope, type PrincipalFor } from "../access.ts";

/** A person to whom a list refers by userID. */
export const PersonView = z
  .object({
    pairwiseID: z.string().describe("Empty for a person who was forgotten."),
    email: z.string(),
    displayName: z.string().nullable(),
    state: z.enum(["active", "locked", "offboarded"]),
  })
  .meta({ id: "Person" });
export type PersonView = z.infer<typeof PersonView>;

/** People by userID, as `include=people` returns them. */
export const PeopleView = z.record(z.string(), PersonView);

/**
 * Returns the people of a page for `include=people`, with one query; nothing if not requested. Throws if the caller may
 * not read people.
 */
export async function includedPeople(
  {
    includes,
    principal,
    deps: { db },
  }: { includes: ReadonlySet<string>; principal: PrincipalFor["staff"]; deps: { db: Db } },
  userIds: readonly (string | null)[],
): Promise<{ people?: Record<string, PersonView> }> {
  if (!includes.has("people")) return {};
  requireStaffScope(principal, "user.read");
  return { people: await findPeople(db, { realmId: principal.realmId, userIds }) };
}

/** Returns people by userID. */
export async function findPeople(
  db: Db,
  { realmId, userIds }: { realmId: string; userIds: readonly (string | null)[] },
): Promise<Record<string, PersonView>> {
  const named = [...new Set(userIds.filter((id) => id !== null))];
  const found = named.length === 0 ? [] : await people.listByIds(db, { realmId, userIds: named });
  return Object.fromEntries(found.map((person) => [person.id, personView(person)]));
}

export const personView = ({
  pairwiseId,
  email,
  displayName,
  lockedAt,
  offboardedAt,
  forgottenAt,
}: Omit<people.Person, "id">): PersonView => ({
  pairwiseID: forgottenAt === null ? pairwiseId : "",
  email,
  displayName,
  state: offboardedAt !== null ? "offboarded" : lockedAt !== null ? "locked" : "active",
});
