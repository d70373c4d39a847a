import { expect, test } from "vitest";
import { roles } from "../../../../domain/people/roles.ts";
import { claimScopes, scopesAllowedTo, type Scope } from "../../../../domain/people/scopes.ts";
import { sql } from "../../../../db/sql.ts";
import { givenDirectory } from "../../../support/given/directory.ts";
import { useApi } from "../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

/** Returns requests of every kind, about a person of a connection. */
const requestsAbout = (id: string) =>
  [
    ["GET", "/Users"],
    ["POST", "/Users"],
    ["POST", "/Users/.search"],
    ["POST", "/.search"],
    ["GET", `/Users/${id}`],
    ["PUT", `/Users/${id}`],
    ["PATCH", `/Users/${id}`],
    ["DELETE", `/Users/${id}`],
    ["GET", "/Groups"],
    ["GET", "/Me"],
    ["POST", "/Bulk"],
  ] as const;

test("only the scope scim grants access to SCIM, not another scope or a role, and it grants nothing else", async () => {
  const { realmId } = api;
  const directory = await givenDirectory(api, { realmId });
  const id = await directory.person();
  const services = [];
  for (const scope of ["radius.read", ...scopesAllowedTo("service")] as Scope[]) {
    const application = await given.application({ realmId, scopes: [scope] });
    services.push({ who: scope, caller: as.token(await given.token(application, { scopes: [scope] })) });
  }
  const people = roles.map((role) => ({ who: role, caller: as.user(given.user({ realmId, roles: [role] })) }));
  const others = [
    ...services,
    ...people,
    { who: "a person", caller: as.user(given.user({ realmId })) },
    { who: "a guest", caller: as.guest() },
    { who: "claims", caller: as.user(given.user({ realmId, administrator: true }), { scopes: claimScopes }) },
  ];
  for (const { who, caller } of others) {
    for (const [method, path] of requestsAbout(id)) {
      const { status } = await caller.send(method, `/scim/v2${path}`, { body: { active: false } });
      expect(status, `${who} ${method} ${path}`).toBe(403);
    }
  }
  expect(await directory.scim.get(`/Users/${id}`)).toMatchObject({ status: 200, body: { active: true } });
  const machine = as.token(await given.token(directory, { scopes: ["scim"] }));
  for (const path of [
    "/api/user",
    `/api/user/${id}`,
    "/api/realm",
    "/api/profiles",
    "/api/audit",
    "/api/radius/revoked",
  ]) {
    expect((await machine.get(path)).status, path).toBe(403);
  }
});

test("a request with an expired token, a token of a switched-off application or no token gets 401", async () => {
  const directory = await givenDirectory(api);
  const id = await directory.person();
  const ended = as.token(await given.token(directory, { scopes: ["scim"], expiresAt: new Date(0) }));
  const refused = async (caller: typeof ended): Promise<void> => {
    for (const [method, path] of requestsAbout(id)) {
      expect((await caller.send(method, `/scim/v2${path}`, { body: {} })).status, `${method} ${path}`).toBe(401);
    }
  };
  await refused(ended);
  await refused(as.nobody());
  expect(await directory.scim.get("/Users")).toMatchObject({ status: 200 });
  await api.database.owner.query(sql`update applications set active = false where client_id = ${directory.clientId}`);
  expect((await directory.scim.get("/Users")).status).toBe(401);
});
