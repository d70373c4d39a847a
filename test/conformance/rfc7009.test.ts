import { beforeAll, expect, test } from "vitest";
import { authorizationOn, postForm } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const { signIn, token } = authorizationOn(api);

let application: GivenApplication;
let service: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  service = await given.application({ realmId: api.realmId });
  user = await given.user({ realmId: api.realmId });
});

const revoke = (value: string, of = application, fields: Record<string, string> = {}) =>
  postForm(`${api.url}/oauth/revoke`, { token: value, client_id: of.clientId, ...fields });
const isAlive = async (accessToken: string) => (await as.token(accessToken).get("/api/realm")).status === 200;
const refreshes = async (refreshToken: string) =>
  (await token({ grant_type: "refresh_token", client_id: application.clientId, refresh_token: refreshToken }))
    .status === 200;

test("2.1 revoking an access token ends only that token", async () => {
  const { body } = await signIn(user, application);
  expect(await revoke(body.access_token)).toMatchObject({ status: 200, text: "{}" });
  expect(await isAlive(body.access_token)).toBe(false);
  expect(await refreshes(body.refresh_token)).toBe(true);
});

test("2.1 revoking a refresh token ends the session, with any token_type_hint", async () => {
  for (const hint of ["refresh_token", "access_token", "unknown"]) {
    const { body } = await signIn(user, application);
    expect(await revoke(body.refresh_token, application, { token_type_hint: hint })).toMatchObject({ status: 200 });
    expect(await isAlive(body.access_token)).toBe(false);
    expect(await refreshes(body.refresh_token)).toBe(false);
  }
});

test("2.2 another client's tokens stay valid, and the response is the same as for unknown tokens", async () => {
  const { body } = await signIn(user, application);
  const other = await given.application({ realmId: api.realmId, type: "useragent" });
  for (const value of [body.access_token, body.refresh_token, "unknown"]) {
    expect(await revoke(String(value), other)).toMatchObject({ status: 200, text: "{}" });
  }
  expect(await isAlive(body.access_token)).toBe(true);
  expect(await refreshes(body.refresh_token)).toBe(true);
});

test("2.1 clients must authenticate", async () => {
  expect(await revoke("x", service)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect(await revoke("", application)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  expect(await postForm(`${api.url}/oauth/revoke`, { token: "x" })).toMatchObject({ status: 400 });
});
