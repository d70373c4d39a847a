import { beforeAll, expect, test } from "vitest";
import { sendRequest, useApi, type ApiAnswer } from "../support/service/api.ts";
import { answerOf, authorizationOn, drawPkce, postForm, redirectUri } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { givenIssuingRealm } from "../support/given/issuing.ts";

/** The requests of two existing client programs, in the order and form in which the programs send them. */

const api = useApi();
const { given } = api;
const { allow, authorizeUrl, browser } = authorizationOn(api);

let realmId: string;
beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await api.startWorker();
});

/** Calls the API with the headers that the two client programs always send. */
const call = (accessToken: string, method: string, path: string, body?: unknown): Promise<ApiAnswer> =>
  sendRequest(`${api.url}${path}`, method, {
    body,
    headers: { authorization: `Bearer ${accessToken}`, "x-api-version": "1.0" },
  });

const ok = { status: 200, body: { result: "ok", code: 200 } };

test("a service gets a token by client credentials, lists users by GET with a body, and locks a user", async () => {
  const service: GivenApplication = await given.application({ realmId, type: "service" });
  const users: GivenUser[] = [];
  for (const name of ["ann", "bob", "cyd"])
    users.push(await given.user({ realmId, pairwiseId: `${name}@uni.example` }));

  const token = await postForm(`${api.url}/oauth/token`, {
    grant_type: "client_credentials",
    client_id: service.clientId,
    client_secret: service.secret,
  });
  expect(token.status).toBe(200);
  expect(Object.keys(token.body).sort()).toEqual(["access_token", "token_type"]);
  const accessToken = token.body.access_token as string;

  const page = await call(accessToken, "GET", "/api/user", {
    offset: 1,
    limit: 1,
    search: "@uni.example",
    sort: { pairwiseid: "asc" },
    filter: { locked: "False" },
  });
  expect(page).toMatchObject({
    ...ok,
    body: {
      ...ok.body,
      offset: 1,
      limit: 1,
      total: 3,
      data: [{ userID: users[1]?.id, pairwiseID: "bob@uni.example" }],
    },
  });

  expect(await call(accessToken, "PUT", `/api/user/${users[1]?.id}/status`, { locked: true })).toMatchObject({
    ...ok,
    body: { ...ok.body, data: true },
  });
  expect((await call(accessToken, "GET", `/api/user/${users[1]?.id}`)).body.data).toMatchObject({ locked: true });
});

test("a browser client signs a user in with code and PKCE, creates and revokes a profile, and logs out", async () => {
  const application = await given.application({ realmId, type: "useragent" });
  const { verifier, challenge } = drawPkce();
  const request = authorizeUrl(application, {
    scope: "openid offline_access profile.create profile.read profile.delete",
    state: "a state",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const { code = "", state } = answerOf(await allow(await browser(await given.user({ realmId })), request));
  expect(state).toBe("a state");
  const tokens = await postForm(`${api.url}/oauth/token`, {
    grant_type: "authorization_code",
    client_id: application.clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });
  expect(Object.keys(tokens.body).sort()).toEqual(["access_token", "code", "id_token", "refresh_token", "token_type"]);
  const { access_token: accessToken, id_token: idToken } = tokens.body as Record<string, string>;
  const me = (method: string, path: string, body?: unknown) => call(accessToken ?? "", method, path, body);

  const created = await me("POST", "/api/profile/laptop", {
    format: "pkcs12",
    allowAuth: false,
    DeviceType: "Windows",
  });
  expect(created).toMatchObject(ok);
  expect(Buffer.from(created.body.data.data as string, "base64")[0]).toBe(0x30);
  const { serial } = created.body.data as { serial: string };
  expect((await me("GET", "/api/profile")).body.data).toMatchObject([{ serial, revokeTime: null }]);

  expect(await me("DELETE", `/api/profile/${serial}`)).toMatchObject({ ...ok, body: { ...ok.body, data: true } });
  expect((await me("GET", "/api/profile")).body.data).toEqual([]);

  const logout = `${api.url}/oauth/logout?id_token=${idToken}&client_id=${application.clientId}`;
  const answer = await sendRequest(`${logout}&logout_uri=https://client.example/?logout=true`, "GET");
  expect(answer).toMatchObject({ status: 303, headers: { location: "https://client.example/?logout=true" } });
  expect((await me("GET", "/api/profile")).status).toBe(401);
});
