import { z } from "zod";
import { violates, type Db } from "../../../db/client.ts";
import * as roleOperations from "../../../db/operations/roles.ts";
import * as userRoles from "../../../db/queries/people/user-roles.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import * as identities from "../../../db/queries/sign-in/upstream-identities.ts";
import { UserID } from "../../../domain/ids.ts";
import { Role, roles as allRoles } from "../../../domain/people/roles.ts";
import { mappedRoles } from "../../../domain/people/upstream-claims.ts";
import { endpoint, type Fail } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";
import { UserRolesView, userRolesView } from "./user-roles.ts";

export const setUserRoles = endpoint({
  operation: "setUserRoles",
  summary: "Assign roles to a user and remove them",
  description:
    "Replaces all roles that are assigned here; roles from the identity provider stay. A removed role loses its " +
    "effect at once; a new one works in the console when that refreshes its tokens, and in other applications once " +
    "the person agrees. The last administrator of a realm keeps the role. Roles end with an offboarding, and an " +
    "offboarded user cannot get any. " +
    "With `If-Match`, only what was read is changed.",
  method: "put",
  path: "/api/user/:userID/roles",
  access: "staff",
  scope: "role.modify",
  params: z.object({ userID: UserID }),
  body: z.object({ roles: z.array(Role).max(allRoles.length) }),
  data: UserRolesView,
  errors: ["user_not_found", "user_offboarded", "last_administrator", "role_from_provider"],
  unknown: { userID: "user_not_found" },
  conditional: true,

  async handle({ params: { userID: userId }, body: { roles }, principal, deps: { db, clock }, requireMatch, fail }) {
    const { realmId } = principal;
    try {
      const after = await db.transaction(async (tx) => {
        const before = await userRoles.lock(tx, { realmId, userId });
        if (before === undefined) throw fail("user_not_found");
        requireMatch(UserRolesView.parse(userRolesView(before)));
        const added = roles.filter((role) => !before.given.includes(role));
        if (before.isOffboarded && added.length > 0) {
          throw fail("user_offboarded", { description: "An offboarded user gets no role: reactivate them first." });
        }
        await requireOurs(tx, { realmId, userId, added }, fail);
        const after = { given: roles, fromProvider: before.fromProvider };
        const change = { realmId, userId, before, after, source: "console" } as const;
        return roleOperations.set(tx, { ...change, actor: actorOf(principal), at: clock.now() });
      });
      return userRolesView(after);
    } catch (error) {
      if (violates(error, userRoles.keepsAnAdministrator)) throw fail("last_administrator", { cause: error });
      throw error;
    }
  },
});

/** Throws for a role that the identity provider would remove at the next sign-in. */
async function requireOurs(
  tx: Db,
  { realmId, userId, added }: { realmId: string; userId: string; added: readonly Role[] },
  fail: Fail<"role_from_provider">,
): Promise<void> {
  const upstream = added.length === 0 ? undefined : await realms.findUpstream(tx, { id: realmId });
  const mapped = upstream === undefined ? [] : mappedRoles(upstream.claims).filter((role) => added.includes(role));
  if (upstream === undefined || mapped.length === 0) return;
  const subject = await identities.subjectOf(tx, { realmId, userId, issuer: upstream.issuer });
  if (subject === undefined) return;
  throw fail("role_from_provider", {
    description: `The identity provider gives and takes ${mapped.join(" and ")}, for everybody who signs in through it.`,
  });
}
