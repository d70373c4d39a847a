import { expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { ownScopes, type Role } from "../../../../domain/people/roles.ts";
import { allScopes, type Scope } from "../../../../domain/people/scopes.ts";
import { useApi } from "../../../support/service/api.ts";
import { answerOf, authorizationOn } from "../../../support/given/authorization.ts";
import type { GivenApplication } from "../../../support/given/given.ts";

const api = useApi();
const { given, as } = api;
const { signIn, refresh, browser, authorizeUrl } = authorizationOn(api);

const person = (...roles: Role[]) => given.user({ realmId: api.realmId, roles });
const client = (scopes: readonly Scope[]): Promise<GivenApplication> =>
  given.application({ realmId: api.realmId, type: "useragent", scopes });
const setRoles = (id: string, roles: readonly Role[]) =>
  api.database.owner.query(sql`update users set roles = ${roles} where id = ${id}`);

/** Returns the scopes that a token contains, in their order. */
const scopesIn = (accessToken: string): string[] => {
  const [, payload = ""] = accessToken.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { scope: string };
  return claims.scope.split(" ").filter((name) => name !== "");
};

const scopesOf = async (roles: Role[], asked: readonly Scope[]): Promise<string[]> => {
  const { body } = await signIn(await person(...roles), await client(asked));
  return scopesIn(body.access_token);
};

/** The scopes that an application could be registered for before there were roles. */
const before = allScopes.filter((scope) => !["user.lock", "guest.view", "role.modify"].includes(scope));

test("an administrator's tokens have the requested scopes, without the implied ones", async () => {
  const application = await client(before);
  const { body } = await signIn(await person("administrator"), application);
  expect(Object.keys(body)).toEqual(["access_token", "id_token", "token_type", "refresh_token", "code"]);
  expect(scopesIn(body.access_token)).toEqual(before);
  const again = await refresh(application, body.refresh_token);
  expect(Object.keys(again.body)).toEqual(["access_token", "id_token", "token_type"]);
  expect(scopesIn(again.body.access_token)).toEqual(before);
});

test("other users' tokens have the requested scopes that they and their roles can grant", async () => {
  expect(await scopesOf([], before)).toEqual(before.filter((scope) => ownScopes.includes(scope)));
  expect(
    await scopesOf(["guest_manager", "auditor"], ["user.read", "user.delete", "guest.read", "role.modify"]),
  ).toEqual(["user.read", "guest.read"]);
});

test("if a scope cannot be granted, an implied scope is granted if a role has the implied scope", async () => {
  const application = await client(["openid", "user.modify", "guest.read"]);
  const { body } = await signIn(await person("help_desk"), application);
  expect(scopesIn(body.access_token)).toEqual(["openid", "user.lock", "guest.view"]);
  const other = await given.user({ realmId: api.realmId });
  const { status } = await as.token(body.access_token).put(`/api/user/${other.id}/status`, { locked: true });
  expect(status).toBe(200);
});

test("a new role takes effect once the user was asked, and the removal of a role immediately", async () => {
  const user = await person();
  const application = await client(["openid", "offline_access", "user.read", "profile.read"]);
  const { body } = await signIn(user, application);
  const first = as.token(body.access_token);
  expect(await first.get("/api/user")).toBeError("forbidden");

  await setRoles(user.id, ["auditor"]);
  expect(await first.get("/api/user")).toBeError("insufficient_scope");
  // The token already has this scope for the person's own profiles. Now that a role has the scope, the token gives
  // access to the list.
  expect((await first.get("/api/profiles")).status).toBe(200);
  const refreshed = as.token((await refresh(application, body.refresh_token)).body.access_token);
  expect(await refreshed.get("/api/user")).toBeError("insufficient_scope");
  const second = as.token((await signIn(user, application)).body.access_token);
  expect((await second.get("/api/user")).status).toBe(200);

  await setRoles(user.id, ["guest_manager"]);
  expect(await second.get("/api/user")).toBeError("insufficient_scope");
  await setRoles(user.id, []);
  expect(await second.get("/api/user")).toBeError("forbidden");
  expect((await second.get("/api/profile")).status).toBe(200);
});

test("a refresh grants no scope that was not requested at the sign-in, whatever the roles", async () => {
  const user = await person("auditor");
  const application = await client(["openid", "offline_access", "user.read", "user.delete"]);
  const { body } = await signIn(user, application, { scope: "openid offline_access user.read" });
  await setRoles(user.id, ["administrator"]);
  const again = await refresh(application, body.refresh_token);
  expect(scopesIn(again.body.access_token)).toEqual(["openid", "offline_access", "user.read"]);
  expect((await refresh(application, body.refresh_token, { scope: "user.delete" })).body.error).toBe("invalid_scope");
});

test("the consent page lists the scopes that the user can grant", async () => {
  const application = await client(["openid", "user.read", "user.modify", "audit.read"]);
  const shown = async (...roles: Role[]): Promise<string> =>
    (await (await browser(await person(...roles))).get(authorizeUrl(application))).text;
  const helpDesk = await shown("help_desk");
  expect(helpDesk).toContain("See people");
  expect(helpDesk).toContain("Lock and unlock people");
  expect(helpDesk).not.toContain("Create, lock and reactivate people");
  expect(helpDesk).not.toContain("audit log");
  const administrator = await shown("administrator");
  expect(administrator).toContain("Create, lock and reactivate people");
  expect(administrator).toContain("Read the audit log");
  expect(administrator).not.toContain("Lock and unlock people");
});

test("a user who can grant none of the requested scopes is not asked", async () => {
  const application = await client(["audit.read"]);
  const visit = await (await browser(await person())).get(authorizeUrl(application));
  expect({ status: visit.status, error: answerOf(visit)["error"] }).toEqual({ status: 303, error: "access_denied" });
});

test("a token ends when its application loses the scope that implies the token's scope", async () => {
  const application = await client(["openid", "user.modify"]);
  const { body } = await signIn(await person("help_desk"), application);
  const holder = as.token(body.access_token);
  expect((await holder.get("/api/realm")).status).toBe(403);
  await as.admin().put(`/api/applications/${application.clientId}`, { scopes: ["openid"] });
  expect(await holder.get("/api/realm")).toBeError("unauthenticated");
});
