import { decodeJwt } from "jose";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { ownScopes } from "../../../../domain/people/roles.ts";
import { scopesAllowedTo, type Scope } from "../../../../domain/people/scopes.ts";
import { useApi, type ApiAnswer, type Caller } from "../../../support/service/api.ts";
import {
  bearer,
  deviceSignInOn,
  profileFor,
  profilePath,
  send,
  withClientCertificates,
  type Device,
} from "../../../support/given/device-sign-in.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";

/** A sign-in with a profile grants no more than the profile's creator holds. */

const api = useApi(withClientCertificates);
const devices = deviceSignInOn(api);
const { issue } = devices;
const { as, given } = api;

let realm: IssuingRealm;
let user: GivenUser;
let client: GivenApplication;

beforeAll(async () => {
  realm = await givenIssuingRealm(api.database.owner, { maxProfiles: 100 });
  user = await given.user({ realmId: realm.realmId });
  client = await given.application({ realmId: realm.realmId, type: "useragent" });
  await api.startWorker();
});

const asAdmin = () => as.admin({ realmId: realm.realmId });

const signIn = (device: Device, fields?: Record<string, string>): Promise<ApiAnswer> =>
  devices.signIn(client, device, fields);

const scopesOf = ({ body }: ApiAnswer): string[] => String(decodeJwt(body.access_token)["scope"]).split(" ");

/** Makes a caller with the token of an application that is registered for these scopes. */
const through = async (
  scopes: readonly Scope[],
  { person }: { person?: GivenUser } = {},
): Promise<{ caller: Caller; clientId: string }> => {
  const { realmId } = realm;
  const type = person === undefined ? "service" : "useragent";
  const { clientId } = await given.application({ realmId, type, scopes });
  const token = await given.token({ realmId, clientId, ...(person && { userId: person.id }) }, { scopes });
  return { caller: as.token(token), clientId };
};

test("the token has the requested scopes, or all registered ones that every user has, and never offline_access", async () => {
  const device = await issue(await given.user({ realmId: realm.realmId, administrator: true }));
  const all = await signIn(device);
  expect(scopesOf(all)).toEqual([
    "openid",
    "profile.create",
    "profile.delete",
    "profile.modify",
    "profile.read",
    "realm.read",
  ]);
  const some = await signIn(device, { scope: "profile.read realm.read" });
  expect(some.body).toEqual({ access_token: expect.any(String), token_type: "Bearer" });
  expect(scopesOf(some)).toEqual(["profile.read", "realm.read"]);
  // The user has this scope only through a role.
  expect(await signIn(device, { scope: "user.read" })).toMatchObject({
    status: 400,
    body: { error: "invalid_scope" },
  });

  const few: Scope[] = ["openid", "profile.read", "offline_access"];
  const { clientId } = await given.application({ realmId: realm.realmId, type: "useragent", scopes: few });
  for (const scope of ["offline_access", "openid offline_access", "user.delete", "profile.delete", "nonsense"]) {
    expect(await signIn(device, { client_id: clientId, scope })).toMatchObject({
      status: 400,
      body: { error: "invalid_scope" },
    });
  }
});

test("the token covers the owner's own resources and nothing from a role", async () => {
  const admin = await given.user({ realmId: realm.realmId, administrator: true });
  const device = await issue(admin);
  const headers = bearer(String((await signIn(device)).body.access_token));
  expect((await send(`${api.tlsUrl}/api/profile`, { headers, device })).status).toBe(200);
  expect(await send(`${api.tlsUrl}/api/profiles`, { headers, device })).toBeError("forbidden");
  expect(await send(`${api.tlsUrl}/api/user/${admin.id}/profiles`, { headers, device })).toBeError("forbidden");
  // With a token from an application, the same scope of the same person gives access.
  expect((await as.user(admin, { scopes: ["profile.read"] }).get("/api/profiles")).status).toBe(200);
});

test("the token has only scopes that the service which created the profile is registered for", async () => {
  const { caller, clientId } = await through(["profile.create"]);
  const device = await issue(user, { by: caller });
  expect(scopesOf(await signIn(device))).toEqual(["openid", "profile.create"]);
  expect(await signIn(device, { scope: "profile.delete" })).toMatchObject({
    status: 400,
    body: { error: "invalid_scope" },
  });

  const scopes = ["profile.create", "profile.read", "user.read"];
  expect((await asAdmin().put(`/api/applications/${clientId}`, { scopes })).status).toBe(200);
  expect(scopesOf(await signIn(device))).toEqual(["openid", "profile.create", "profile.read"]);
});

test.each([
  ["switched off", (clientId: string) => asAdmin().put(`/api/applications/${clientId}`, { active: false })],
  ["deleted", (clientId: string) => asAdmin().delete(`/api/applications/${clientId}`)],
])("the certificate grants no more than openid once the service that created the profile is %s", async (_, end) => {
  const { caller, clientId } = await through(["profile.create", "profile.read"]);
  const device = await issue(user, { by: caller });
  expect(scopesOf(await signIn(device))).toEqual(["openid", "profile.create", "profile.read"]);
  expect((await end(clientId)).status).toBe(200);
  expect(scopesOf(await signIn(device))).toEqual(["openid"]);
});

test("for a user with a role, the service must hold every scope of the role", async () => {
  const helper = await given.user({ realmId: realm.realmId, roles: ["help_desk"] });
  const held: Scope[] = ["profile.create", "profile.read", "profile.delete", "user.read", "user.lock", "guest.view"];
  for (const lacking of ["user.read", "user.lock", "guest.view"] satisfies Scope[]) {
    const { caller } = await through(held.filter((scope) => scope !== lacking));
    const answer = await caller.post(profilePath(helper), profileFor());
    expect(answer).toBeError("insufficient_scope");
    expect(answer.headers["www-authenticate"]).toContain(`scope="${lacking}"`);
    expect((await caller.post(profilePath(helper), profileFor({ allowAuth: false }))).status).toBe(200);
  }
  // A scope that implies another scope counts as both scopes.
  const implied = held.map((scope) => (scope === "user.lock" ? "user.modify" : scope));
  for (const scopes of [held, implied]) {
    expect((await (await through(scopes)).caller.post(profilePath(helper), profileFor())).status).toBe(200);
  }
});

test("no service can create an authable profile for an administrator, but another administrator with all scopes can", async () => {
  const admin = await given.user({ realmId: realm.realmId, administrator: true });
  const all = await through(scopesAllowedTo("service"));
  expect(await all.caller.post(profilePath(admin), profileFor())).toBeError("insufficient_scope");
  const few = as.admin({ realmId: realm.realmId, scopes: [...ownScopes, "user.read"] });
  expect(await few.post(profilePath(admin), profileFor())).toBeError("insufficient_scope");
  expect((await asAdmin().post(profilePath(admin), profileFor())).status).toBe(200);
});

test("roles from the identity provider count like assigned roles", async () => {
  const auditor = await given.user({ realmId: realm.realmId });
  const { caller } = await through(["profile.create"]);
  expect((await caller.post(profilePath(auditor), profileFor())).status).toBe(200);
  await api.database.owner.query(sql`update users set provider_roles = '{auditor}' where id = ${auditor.id}`);
  expect(await caller.post(profilePath(auditor), profileFor())).toBeError("insufficient_scope");
});

test("for the user's own profile, the application must hold every scope that the certificate would grant", async () => {
  for (const person of [user, await given.user({ realmId: realm.realmId, administrator: true })]) {
    const { caller } = await through(["profile.create"], { person });
    const answer = await caller.post(profilePath(person, { own: true }), profileFor());
    expect(answer).toBeError("insufficient_scope");
    expect(answer.headers["www-authenticate"]).toContain(
      'scope="openid profile.read profile.delete profile.modify realm.read"',
    );
    const without = profileFor({ allowAuth: false });
    expect((await caller.post(profilePath(person, { own: true }), without)).status).toBe(200);

    const full = await through(ownScopes, { person });
    const device = await issue(person, { by: full.caller, own: true });
    expect(scopesOf(await signIn(device))).toEqual(expect.arrayContaining(["profile.delete"]));
  }
});

test("an administrator's application that lacks scopes cannot create an authable profile for any user", async () => {
  const person = await given.user({ realmId: realm.realmId, administrator: true });
  const { caller } = await through(["profile.create"], { person });
  expect(await caller.post(profilePath(user), profileFor())).toBeError("insufficient_scope");
  expect((await caller.post(profilePath(user), profileFor({ allowAuth: false }))).status).toBe(200);
});
