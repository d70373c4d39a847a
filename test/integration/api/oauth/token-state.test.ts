import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn, postForm } from "../../../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const { signIn, token } = authorizationOn(api);

let application: GivenApplication;
let service: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  service = await given.application({ realmId: api.realmId });
  user = await given.user({ realmId: api.realmId, email: "mia@example.org", pairwiseId: "mia" });
});

describe("revocation (RFC 7009)", () => {
  const revoke = (value: string, of = application, fields: Record<string, string> = {}) =>
    postForm(`${api.url}/oauth/revoke`, { token: value, client_id: of.clientId, ...fields });
  const isAlive = async (accessToken: string) => (await as.token(accessToken).get("/api/realm")).status === 200;
  const refreshes = async (refreshToken: string) =>
    (await token({ grant_type: "refresh_token", client_id: application.clientId, refresh_token: refreshToken }))
      .status === 200;

  test("an access token ends alone", async () => {
    const { body } = await signIn(user, application);
    expect(await revoke(body.access_token)).toMatchObject({ status: 200, text: "" });
    expect(await isAlive(body.access_token)).toBe(false);
    expect(await refreshes(body.refresh_token)).toBe(true);
  });

  test("a refresh token ends the session", async () => {
    const { body } = await signIn(user, application);
    expect(await revoke(body.refresh_token, application, { token_type_hint: "access_token" })).toMatchObject({
      status: 200,
    });
    expect(await isAlive(body.access_token)).toBe(false);
    expect(await refreshes(body.refresh_token)).toBe(false);
  });

  test("tokens of other clients and unknown ones are left alone, with the same answer", async () => {
    const { body } = await signIn(user, application);
    const other = await given.application({ realmId: api.realmId, type: "useragent" });
    for (const value of [body.access_token, body.refresh_token, "unknown"]) {
      expect(await revoke(String(value), other)).toMatchObject({ status: 200, text: "" });
    }
    expect(await isAlive(body.access_token)).toBe(true);
    expect(await refreshes(body.refresh_token)).toBe(true);
  });

  test("clients authenticate", async () => {
    expect(await revoke("x", service)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(await revoke("", application)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await postForm(`${api.url}/oauth/revoke`, { token: "x" })).toMatchObject({ status: 400 });
  });
});

describe("introspection (RFC 7662)", () => {
  const introspect = (value: string, of = service) =>
    postForm(`${api.url}/oauth/introspect`, { token: value, client_id: of.clientId, client_secret: of.secret });

  test("tells what an access token is", async () => {
    const { body } = await signIn(user, application, { scope: "openid realm.read" });
    const answer = await introspect(body.access_token);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        active: true,
        sub: user.id,
        client_id: application.clientId,
        scope: "openid realm.read",
        token_type: "Bearer",
        iss: api.url,
        aud: api.url,
      },
    });
    expect(answer.body.exp - answer.body.iat).toBe(1800);
  });

  test("says no more than that of tokens that are unknown, ended, of another realm, or another client's refresh tokens", async () => {
    const { body } = await signIn(user, application);
    const stranger = await given.application({ realmId: await given.realm() });
    await postForm(`${api.url}/oauth/revoke`, { token: body.access_token, client_id: application.clientId });
    const living = await signIn(user, application);
    for (const [value, of] of [
      ["unknown", service],
      [body.access_token, service],
      [living.body.access_token, stranger],
      [living.body.refresh_token, service],
    ] as const) {
      expect((await introspect(String(value), of)).body).toEqual({ active: false });
    }
  });

  test("is for clients with a secret alone", async () => {
    expect(await introspect("x", application)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    expect(await introspect("x", { ...service, secret: "wrong" })).toMatchObject({ status: 401 });
  });
});

describe("userinfo (OpenID Connect Core 5.3)", () => {
  test("says who is signed in, by GET and POST", async () => {
    const { body } = await signIn(user, application, { scope: "openid" });
    for (const method of ["GET", "POST"]) {
      const answer = await as.token(body.access_token).send(method, "/oauth/userinfo");
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 200,
        body: { sub: user.id, pairwise_id: "mia", email: "mia@example.org" },
      });
    }
  });

  test("needs a person's token with openid", async () => {
    const { body } = await signIn(user, application, { scope: "realm.read" });
    const narrow = await as.token(body.access_token).get("/oauth/userinfo");
    expect(narrow).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
    expect(narrow.headers["www-authenticate"]).toBe('Bearer error="insufficient_scope", scope="openid"');
    expect(await as.service().get("/oauth/userinfo")).toMatchObject({ status: 403 });
    const bad = await as.token("bad").get("/oauth/userinfo");
    expect(bad).toMatchObject({ status: 401, body: { error: "invalid_token" } });
    expect(bad.headers["www-authenticate"]).toBe('Bearer realm="api", error="invalid_token"');
    expect((await as.nobody().get("/oauth/userinfo")).headers["www-authenticate"]).toBe('Bearer realm="api"');
  });
});
