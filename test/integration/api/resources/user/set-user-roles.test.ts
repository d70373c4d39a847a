import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { Role } from "../../../../../domain/people/roles.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";
import { openConsole } from "../../../../support/browser/console-browser.ts";
import { fromNow, type GivenUser } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given, database } = api;

let admin: Caller;
beforeAll(() => {
  admin = as.admin();
});

const set = (who: Caller, { id }: GivenUser, roles: Role[]) => who.put(`/api/user/${id}/roles`, { roles });
const entriesAbout = ({ id }: GivenUser) =>
  database.owner.query<{ userId: string; properties: unknown }>(sql`
    select user_id as "userId", properties
      from audit_entries
     where event = 'user_role_update' and properties->>'userID' = ${id}
     order by id
  `);
const active = fromNow(0);

test("roles are set as a whole, and an audit entry is written only if they change", async () => {
  const user = await given.user({ realmId: api.realmId });
  const answer = await set(admin, user, ["auditor", "help_desk", "auditor"]);
  const held = { roles: ["help_desk", "auditor"], given: ["help_desk", "auditor"], fromProvider: [] };
  expect(answer).toMatchObject({ status: 200, body: { data: held } });
  expect((await admin.get(`/api/user/${user.id}/roles`)).body.data).toEqual(held);
  await set(admin, user, ["auditor", "help_desk"]);
  await set(admin, user, []);
  expect(await entriesAbout(user)).toMatchObject([
    { properties: { userID: user.id, before: [], after: ["help_desk", "auditor"], source: "console" } },
    { properties: { userID: user.id, before: ["help_desk", "auditor"], after: [], source: "console" } },
  ]);
  expect(await admin.put(`/api/user/${user.id}/roles`, { roles: ["root"] })).toBeError("invalid_request");
  expect(await admin.put("/api/user/999999/roles", { roles: [] })).toBeError("user_not_found");
});

test("a service cannot assign roles, whatever its scopes, and cannot be registered with the scope for it", async () => {
  const user = await given.user({ realmId: api.realmId });
  expect(await set(as.service(), user, ["auditor"])).toBeError("insufficient_scope");
  const settings = { name: "a service", clientURI: "https://client.example", scopes: ["user.read", "role.modify"] };
  expect(await admin.post("/api/applications", { ...settings, type: "service" })).toBeError("invalid_request");
  await expect(
    database.owner.query(sql`
      update applications set scopes = '{role.modify}' where client_id in (select client_id from applications where type = 'service' limit 1)
    `),
  ).rejects.toThrow(/applications_service_gives_no_roles/);
});

test("a newly assigned role takes effect in an open console with the next request", async () => {
  const user = await given.user({ realmId: api.realmId, roles: ["guest_manager"] });
  const { send } = await openConsole(api, user);
  expect(await send("GET", "/console/api/user")).toBeError("insufficient_scope");
  await set(admin, user, ["guest_manager", "help_desk"]);
  expect((await send("GET", "/console/session")).body).toMatchObject({
    roles: ["help_desk", "guest_manager"],
    scopes: expect.arrayContaining(["user.read", "guest.create"]),
  });
  expect((await send("GET", "/console/api/user")).status).toBe(200);
  await set(admin, user, []);
  expect(await send("GET", "/console/api/user")).toBeError("forbidden");
});

test("if a user loses the role for a waiting bulk job, the job waits for another user to start it", async () => {
  const user = await given.user({ realmId: api.realmId, roles: ["administrator"] });
  const [job] = await database.owner.query<{ id: string }>(sql`
    insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, total, progress_at, created_by_user_id, execute_at)
    values (gen_random_uuid(), ${api.realmId}, 'offboarding', 'scheduled', false, '{userID}', now(), 0, now(), ${user.id},
            ${fromNow(3_600_000)})
    returning id
  `);
  await set(admin, user, ["auditor"]);
  expect((await admin.get(`/api/jobs/${job!.id}`)).body.data).toMatchObject({ state: "ready", error: "creator_ended" });
});

test("the last administrator of a realm cannot lose the role; a second administrator can", async () => {
  const realmId = await given.realm();
  await given.user({ realmId, roles: ["administrator"], offboardedAt: active });
  const last = await given.user({ realmId, roles: ["administrator"] });
  const caller = as.user(last);
  expect(await set(caller, last, ["help_desk"])).toBeError("last_administrator");
  expect(await caller.delete(`/api/user/${last.id}`)).toBeError("last_administrator");
  expect(await entriesAbout(last)).toEqual([]);
  expect((await caller.get(`/api/user/${last.id}/roles`)).body.data.roles).toEqual(["administrator"]);

  const second = await given.user({ realmId });
  expect((await set(caller, second, ["administrator"])).status).toBe(200);
  expect((await set(caller, last, [])).status).toBe(200);
  expect(await set(as.user(second), second, [])).toBeError("last_administrator");
});

test("if both administrators of a realm give up their role or leave concurrently, one of them is refused", async () => {
  for (let round = 0; round < 5; round++) {
    const realmId = await given.realm();
    const both = await Promise.all(["a", "b"].map(() => given.user({ realmId, roles: ["administrator"] })));
    const answers = await Promise.all(
      both.map((one, index) => (index === 0 ? set(as.user(one), one, []) : as.user(one).delete(`/api/user/${one.id}`))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const left = await database.owner.query(sql`
      select id from users where realm_id = ${realmId} and administrator and offboarded_at is null
    `);
    expect(left).toHaveLength(1);
  }
});

test("a role from the identity provider cannot be assigned here to users who sign in through it", async () => {
  const realmId = await given.realm();
  const issuer = "https://idp.example";
  const claims = { roles: { help_desk: [{ claim: "groups", value: "it-support" }] } };
  await database.owner.query(sql`
    update realms
       set upstream_issuer = ${issuer}, upstream_client_id = 'us', upstream_claims = ${JSON.stringify(claims)}
     where id = ${realmId}
  `);
  const caller = as.admin({ realmId });
  const local = await given.user({ realmId });
  const known = await given.user({ realmId });
  await database.owner.query(sql`
    insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
    values (${realmId}, ${issuer}, 'sub', ${known.id}, now())
  `);
  expect((await set(caller, local, ["help_desk"])).status).toBe(200);
  expect(await set(caller, known, ["help_desk"])).toBeError("role_from_provider");
  expect((await set(caller, known, ["auditor"])).status).toBe(200);
  // A role given earlier stays until the next sign-in.
  await database.owner.query(sql`update users set roles = '{help_desk}' where id = ${known.id}`);
  expect((await set(caller, known, ["help_desk", "guest_manager"])).status).toBe(200);
});

test("assigning a role requires the role administrator and the scope", async () => {
  const user = await given.user({ realmId: api.realmId });
  for (const role of ["help_desk", "guest_manager", "auditor"] as const) {
    const caller = as.user(given.user({ realmId: api.realmId, roles: [role] }), { scopes: allScopes });
    expect(await set(caller, user, ["auditor"])).toBeError("insufficient_scope");
  }
  const scopes = allScopes.filter((scope) => scope !== "role.modify");
  expect(await set(as.admin({ scopes }), user, ["auditor"])).toBeError("insufficient_scope");
});

test("the roles are changed only if `If-Match` names their current version", async () => {
  const user = await given.user({ realmId: api.realmId });
  const tag = (await admin.get(`/api/user/${user.id}/roles`)).headers.etag ?? "";
  const change = (...roles: Role[]) =>
    admin.put(`/api/user/${user.id}/roles`, { roles }, { headers: { "if-match": tag } });
  const answers = await Promise.all([change("auditor"), change("help_desk"), change("guest_manager")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await change("auditor", "help_desk")).toBeError("precondition_failed");
  expect(await entriesAbout(user)).toHaveLength(1);
});
