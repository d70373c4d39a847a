import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import {
  answerOf,
  authorizationOn,
  drawPkce,
  expectShownOnPage,
  expectSentToApplication,
  markedState,
  redirectUri,
} from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const { allow, authorizeUrl, browser, codeFor, redeem, signIn, token } = authorizationOn(api);

let application: GivenApplication;
let few: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  const useragent = { realmId: api.realmId, type: "useragent" } as const;
  application = await given.application(useragent);
  few = await given.application({ ...useragent, scopes: ["openid", "offline_access", "profile.read"] });
  user = await given.user({ realmId: api.realmId });
});

/** Sends the request of a signed-in browser, without following redirects. */
const ask = async (parameters: Record<string, string | undefined>) =>
  (await browser(user)).get(authorizeUrl(few, parameters), { follow: false });

const age = (seconds: number): Promise<unknown> =>
  api.database.owner.query(
    sql`update authorization_codes set expires_at = expires_at - make_interval(secs => ${seconds}) where consumed_at is null`,
  );

describe("a code", () => {
  test("is exchanged for a response with exactly five properties, including the code itself", async () => {
    const code = await codeFor(user, application);
    const answer = await redeem(application, code);
    expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      id_token: expect.any(String),
      refresh_token: expect.stringMatching(/^rpr_[\w-]{43}$/),
      token_type: "Bearer",
      code,
    });
    expect(await as.token(answer.body.access_token).get(`/api/user/${user.id}`)).toMatchObject({ status: 200 });
  });

  test("without openid yields no id token, without offline_access no refresh token", async () => {
    for (const [scope, more] of [
      ["profile.read", []],
      ["openid profile.read", ["id_token"]],
      ["offline_access profile.read", ["refresh_token"]],
    ] as const) {
      const { body } = await redeem(application, await codeFor(user, application, { scope }));
      expect(Object.keys(body).sort()).toEqual(["access_token", "code", "token_type", ...more].sort());
    }
  });
});

describe("4.1.2.1 a page shows the error, without a redirect, for an invalid client or redirection URI:", () => {
  test.each<[string, Record<string, string | undefined>]>([
    ["no client_id", { client_id: undefined }],
    ["an empty client_id", { client_id: "" }],
    ["an unknown client", { client_id: "nobody" }],
    ["a client_id of another kind", { client_id: "__proto__" }],
    ["no redirect_uri", { redirect_uri: undefined }],
    ["a redirect_uri with a slash more", { redirect_uri: `${redirectUri}/` }],
    ["a redirect_uri with a query more", { redirect_uri: `${redirectUri}?a=b` }],
    ["a redirect_uri in capitals", { redirect_uri: redirectUri.toUpperCase() }],
    ["a redirect_uri of someone else", { redirect_uri: "https://evil.example/back" }],
  ])("%s", async (_, parameters) => {
    expectShownOnPage(await ask(parameters));
  });

  test.each([
    ["a repeated redirect_uri", (url: string) => `${url}&redirect_uri=${encodeURIComponent(redirectUri)}`],
    ["a repeated client_id", (url: string) => `${url}&client_id=x`],
  ])("%s", async (_, change) => {
    expectShownOnPage(await (await browser(user)).get(change(authorizeUrl(few)), { follow: false }));
  });
});

describe("4.1.2.1 the application receives the error for:", () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ["no response_type", { response_type: undefined }, "invalid_request"],
    ["an empty response_type", { response_type: "" }, "invalid_request"],
    ["response_type token", { response_type: "token" }, "unsupported_response_type"],
    ["response_type id_token", { response_type: "id_token" }, "unsupported_response_type"],
    ["response_type code token", { response_type: "code token" }, "unsupported_response_type"],
    ["an unregistered scope", { scope: "openid user.read" }, "invalid_scope"],
    ["an unknown scope", { scope: "everything" }, "invalid_scope"],
    ["a scope that every object has", { scope: "constructor" }, "invalid_scope"],
  ])("%s", async (_, parameters, error) => {
    expectSentToApplication(await ask({ state: markedState, ...parameters }), { error, iss: api.url });
  });

  test("a repeated parameter, and a repeated state is not returned", async () => {
    const visit = await (await browser(user)).get(`${authorizeUrl(few, { state: "a" })}&state=b`, { follow: false });
    expect(answerOf(visit)).toEqual({ error: "invalid_request", error_description: expect.any(String), iss: api.url });
  });
});

test.each([
  ["omitted", undefined],
  ["empty", ""],
])("3.3 an %s scope means all registered scopes", async (_, scope) => {
  const who = await browser(await given.user({ realmId: api.realmId }));
  await allow(who, authorizeUrl(few, { scope }));
  const [row] = await api.database.owner.query<{ scopes: string[] }>(
    sql`select scopes from sessions order by created_at desc limit 1`,
  );
  expect(row?.scopes.sort()).toEqual(["offline_access", "openid", "profile.read"]);
});

test("4.1.2 the response has the code, the exact state and iss, and keeps the query of the redirect URI", async () => {
  const own = "https://client.example/back?tenant=a%20b&x";
  const other = await given.application({ realmId: api.realmId, type: "useragent", redirectUri: own });
  const visit = await allow(await browser(user), authorizeUrl(other, { redirect_uri: own, state: "~/&?=%" }));
  expect(visit.status).toBe(303);
  expect(visit.headers.location).toMatch(/^https:\/\/client\.example\/back\?tenant=a%20b&x&code=rpc_[\w-]{43}&state=/);
  expect(answerOf(visit)).toMatchObject({ tenant: "a b", state: "~/&?=%", iss: api.url });
});

test("4.1.2 a code expires after 60 seconds", async () => {
  const [early, late] = [await codeFor(user, application), await codeFor(user, application)];
  await age(50);
  expect(await redeem(application, early)).toMatchObject({ status: 200 });
  await age(11);
  expect(await redeem(application, late)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("4.1.2 a code works once; a second use is refused and ends the session with all its tokens", async () => {
  const code = await codeFor(user, application);
  const { body } = await redeem(application, code);
  expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });

  expect(await as.token(body.access_token).get("/api/realm")).toBeError("unauthenticated");
  const refresh = { grant_type: "refresh_token", client_id: application.clientId, refresh_token: body.refresh_token };
  expect(await token(refresh)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  const audited = await api.database.owner.query(
    sql`select properties ->> 'reason' as reason from audit_entries where event = 'session_end'`,
  );
  expect(audited).toContainEqual({ reason: "code_replayed" });
});

test("4.1.3 another client, another redirect_uri or a verifier without a challenge is rejected, and the code stays valid", async () => {
  const code = await codeFor(user, application);
  const other = await given.application({ realmId: api.realmId, type: "useragent" });
  for (const attempt of [
    redeem(other, code),
    redeem(application, code, { redirect_uri: `${redirectUri}/` }),
    redeem(application, code, { code_verifier: drawPkce().verifier }),
  ]) {
    expect(await attempt).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  }
  expect(await redeem(application, code)).toMatchObject({ status: 200 });
});

test.each(["code", "redirect_uri"])("4.1.3 a token request without %s is invalid_request", async (name) => {
  const answer = await redeem(application, await codeFor(user, application), { [name]: "" });
  expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});

test("5.2 unknown codes, and tokens in place of a code, are invalid_grant", async () => {
  const { body } = await signIn(user, application);
  for (const code of ["rpc_unknown", body.refresh_token, body.access_token]) {
    expect(await redeem(application, String(code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  }
});

test("5.2 a service that uses a code gets unauthorized_client", async () => {
  const service = await given.application({ realmId: api.realmId });
  const answer = await redeem(service, "rpc_x", { client_secret: service.secret });
  expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
});
