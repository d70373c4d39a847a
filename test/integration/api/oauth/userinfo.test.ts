import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import type { GivenUser } from "../../../support/given/given.ts";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";

const api = useApi();
const { as, given } = api;
const { refresh, signIn } = authorizationOn(api);

test("userinfo returns the signed-in user, by GET and POST", async () => {
  const application = await given.application({ realmId: api.realmId, type: "useragent" });
  const user = await given.user({ realmId: api.realmId, email: "mia@example.org", pairwiseId: "mia" });
  const { body } = await signIn(user, application, { scope: "openid" });
  for (const method of ["GET", "POST"]) {
    const answer = await as.token(body.access_token).send(method, "/oauth/userinfo");
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { sub: user.id, pairwise_id: "mia", email: "mia@example.org" },
    });
  }
});

describe("the scopes that most libraries ask for by default", () => {
  const mia = async (): Promise<GivenUser> => {
    const user = await given.user({ realmId: api.realmId, email: "mia@example.org" });
    await api.database.owner.query(sql`update users set display_name = 'Mia Example' where id = ${user.id}`);
    return user;
  };
  const grantedTo = (answer: { body: { access_token: string } }): unknown =>
    decodeJwt(answer.body.access_token)["scope"];

  test("can be requested by every useragent, registered or not; profile and email add name and address to the ID token", async () => {
    const application = await given.application({ realmId: api.realmId, type: "useragent", scopes: ["openid"] });
    const user = await mia();
    const answer = await signIn(user, application, { scope: "openid profile email address phone" });
    expect(answer.status).toBe(200);
    expect(decodeJwt(answer.body.id_token)).toMatchObject({ name: "Mia Example", email: "mia@example.org" });
    const { body } = await as.token(answer.body.access_token).get("/oauth/userinfo");
    expect(body).toMatchObject({ name: "Mia Example", email: "mia@example.org" });

    const less = await signIn(user, application, { scope: "openid" });
    expect(decodeJwt(less.body.id_token)).not.toMatchObject({ name: expect.anything() });
    expect(decodeJwt(less.body.id_token)).not.toMatchObject({ email: expect.anything() });
  });

  test("stay after a refresh, and are granted only if they are requested", async () => {
    const scopes = ["openid", "offline_access"] as const;
    const application = await given.application({ realmId: api.realmId, type: "useragent", scopes });
    const user = await mia();
    const named = await signIn(user, application, { scope: "openid offline_access profile" });
    const refreshed = await refresh(application, named.body.refresh_token);
    expect(decodeJwt(refreshed.body.id_token)).toMatchObject({ name: "Mia Example" });
    expect(grantedTo(await signIn(user, application))).toBe("openid offline_access");
  });

  test("grant no access to the API", async () => {
    const application = await given.application({ realmId: api.realmId, type: "useragent", scopes: ["openid"] });
    const user = await given.user({ realmId: api.realmId, roles: ["administrator"] });
    const { body } = await signIn(user, application, { scope: "profile email address phone" });
    for (const path of ["/api/user", "/api/profiles", "/api/realm", "/oauth/userinfo"]) {
      expect((await as.token(body.access_token).get(path)).status, path).toBe(403);
    }
  });

  test("can be registered for useragents, but not for services", async () => {
    const admin = as.admin({ realmId: api.realmId });
    const about = {
      type: "useragent",
      name: "Planner",
      clientURI: "https://client.example",
      scopes: ["openid", "profile"],
    };
    const made = await admin.post("/api/applications", { ...about, redirectURI: "https://client.example/back" });
    expect(made.body.data.scopes).toEqual(["openid", "profile"]);
    expect((await admin.post("/api/applications", { ...about, type: "service" })).status).toBe(400);
  });
});
