import { expect, test } from "vitest";
import { roles, scopesOfRoles } from "../../../../../domain/people/roles.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("each role has its scopes and its number of users, not counting offboarded users and users of other realms", async () => {
  const realmId = await given.realm();
  await given.user({ realmId, roles: ["administrator", "auditor"] });
  await given.user({ realmId, roles: ["auditor"] });
  await given.user({ realmId, roles: ["help_desk"], offboardedAt: new Date(0) });
  await given.user({ realmId });
  await given.user({ realmId: api.realmId, roles: ["help_desk"] });
  const { status, body } = await as.service({ realmId }).get("/api/roles");
  expect(status).toBe(200);
  expect(body.data.map(({ role, people }: { role: string; people: number }) => [role, people])).toEqual([
    ["administrator", 1],
    ["help_desk", 0],
    ["guest_manager", 0],
    ["auditor", 2],
  ]);
  expect(body.data.map(({ scopes }: { scopes: string[] }) => scopes)).toEqual(
    roles.map((role) => [...scopesOfRoles([role])]),
  );
  expect(body.data[1].scopes).toEqual([
    "user.read",
    "user.lock",
    "profile.read",
    "profile.offer",
    "profile.delete",
    "guest.view",
  ]);
});

test("any user with a role can list the roles, and sees numbers of users only with user.read", async () => {
  for (const role of roles) {
    const { body } = await as.user(given.user({ realmId: api.realmId, roles: [role] })).get("/api/roles");
    const type = scopesOfRoles([role]).has("user.read") ? "number" : "object";
    expect([role, ...body.data.map(({ people }: { people: unknown }) => typeof people)]).toEqual([
      role,
      ...roles.map(() => type),
    ]);
  }
  expect(await as.user(given.user({ realmId: api.realmId })).get("/api/roles")).toBeError("forbidden");
});
