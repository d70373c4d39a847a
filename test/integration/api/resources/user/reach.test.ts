import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { Role } from "../../../../../domain/people/roles.ts";
import { scopesAllowedTo } from "../../../../../domain/people/scopes.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { expectEnded, expectGoingOn } from "../../../../support/given/session-state.ts";
import type { GivenUser } from "../../../../support/given/given.ts";

/** A caller can lock and sign out only users without more rights. A help desk user cannot change themselves. */

const api = useApi();
const { as, given } = api;
const person = (roles: Role[]): Promise<GivenUser> => given.user({ realmId: api.realmId, roles });

const lock = (caller: Caller, { id }: GivenUser, locked: boolean) => caller.put(`/api/user/${id}/status`, { locked });

/**
 * Locks, unlocks and signs out the target. Returns "done" if every request succeeded, or "refused" if every request
 * failed because the caller lacks a scope.
 */
async function attempt(caller: Caller, target: GivenUser): Promise<"done" | "refused"> {
  const session = await given.session({ user: target });
  const before = (await auditOf(api.database, "userID", target.id)).length;
  const answers = [
    await lock(caller, target, true),
    await lock(caller, target, false),
    await caller.delete(`/api/user/${target.id}/sessions/${session.id}`),
  ];
  if (answers.every(({ status }) => status === 200)) {
    await expectEnded([api], session);
    return "done";
  }
  for (const answer of answers) expect(answer).toBeError("insufficient_scope");
  await expectGoingOn([api], session);
  expect((await auditOf(api.database, "userID", target.id)).length).toBe(before);
  return "refused";
}

const cases: [Role[], Role[], "done" | "refused"][] = [
  [["help_desk"], [], "done"],
  [["help_desk"], ["help_desk"], "done"],
  [["help_desk"], ["administrator"], "refused"],
  [["help_desk"], ["auditor"], "refused"],
  [["help_desk"], ["guest_manager"], "refused"],
  [["help_desk"], ["help_desk", "guest_manager"], "refused"],
  [["help_desk", "guest_manager"], ["help_desk", "guest_manager"], "done"],
  [["administrator"], ["administrator"], "done"],
  [["administrator"], ["help_desk", "guest_manager", "auditor"], "done"],
];

test.each(cases)("a change by a user with %j to a user with %j is %s", async (callerRoles, targetRoles, outcome) => {
  expect(await attempt(as.user(await person(callerRoles)), await person(targetRoles))).toBe(outcome);
});

test("a role from the identity provider counts like an assigned role", async () => {
  const target = await person([]);
  await api.database.owner.query(sql`update users set provider_roles = '{auditor}' where id = ${target.id}`);
  expect(await attempt(as.user(await person(["help_desk"])), target)).toBe("refused");
});

test("a help desk user cannot change themselves, an administrator can", async () => {
  const [helper, administrator] = [await person(["help_desk"]), await person(["administrator"])];
  expect(await attempt(as.user(helper), helper)).toBe("refused");
  expect(await attempt(as.user(administrator), administrator)).toBe("done");
});

test("a service can change an administrator only if it has every scope that services can have", async () => {
  const target = await person(["administrator"]);
  expect(await attempt(as.service({ scopes: ["user.lock"] }), target)).toBe("refused");
  expect(await attempt(as.service({ scopes: ["user.lock"] }), await person([]))).toBe("done");
  expect(await attempt(as.service({ scopes: scopesAllowedTo("service") }), target)).toBe("done");
});
