import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../db/sql.ts";
import { answerOf, drawPkce, expectOAuthError, postForm } from "../../../support/given/authorization.ts";
import type { GivenUser } from "../../../support/given/given.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import { appsOn, mobile } from "./apps-support.ts";

const api = useApi();
const { given } = api;
let realm = "";
let other = "";
let realmId = "";
const { base, browser, tap, redeem, fetch, verifier } = appsOn(api, () => realm);

const named = async (id: string): Promise<string> => {
  await realms.update(api.database.owner, id, { onboardingApps: true });
  return (await realms.findById(api.database.owner, id))?.name ?? "";
};

beforeAll(async () => {
  realmId = await given.realm();
  [realm, other] = [await named(realmId), await named(await given.realm())];
});

const codeOf = async (user?: GivenUser): Promise<string> =>
  answerOf(await tap(await browser(user ?? (await given.user({ realmId })))))["code"] ?? "";

test("a code becomes a token of exactly these properties, with any client authentication or none", async () => {
  for (const [headers, secret] of [
    [{}, {}],
    [{}, { client_secret: "x" }],
    [{ authorization: `Basic ${Buffer.from("a:b").toString("base64")}` }, {}],
  ] as const) {
    const answer = await postForm(
      `${base()}oauth/token/`,
      {
        ...{ grant_type: "authorization_code", code: await codeOf(), code_verifier: verifier },
        ...{ client_id: "app.geteduroam.win", redirect_uri: "http://[::1]:50000/", ...secret },
      },
      headers,
    );
    expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store", pragma: "no-cache" } });
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^rpa_[\w-]{43}$/),
      token_type: "Bearer",
      expires_in: 1800,
    });
  }
});

const wrong: [string, Record<string, string>, { status: number; error: string }][] = [
  ["another verifier", { code_verifier: drawPkce().verifier }, { status: 400, error: "invalid_grant" }],
  ["another address", { redirect_uri: "http://[::1]:50001/" }, { status: 400, error: "invalid_grant" }],
  ["another app", { client_id: "app.geteduroam.sh" }, { status: 400, error: "invalid_grant" }],
  ["an unknown code", { code: "rpo_x" }, { status: 400, error: "invalid_grant" }],
  ["an unknown app", { client_id: "app.evil" }, { status: 401, error: "invalid_client" }],
  ["a refresh token", { grant_type: "refresh_token" }, { status: 400, error: "unsupported_grant_type" }],
  ["no verifier", { code_verifier: "" }, { status: 400, error: "invalid_request" }],
  ["no code", { code: "" }, { status: 400, error: "invalid_request" }],
];

test.each(wrong)("%s is refused, and the app can still redeem the code", async (_, fields, error) => {
  const code = await codeOf();
  expectOAuthError(await redeem(code, undefined, fields), error);
  expect((await redeem(code)).status).toBe(200);
});

test("a code cannot be redeemed at another realm's path", async () => {
  const code = await codeOf();
  expectOAuthError(await redeem(code, undefined, {}, other), { status: 400, error: "invalid_grant" });
  expect((await redeem(code)).status).toBe(200);
});

test("a code for an app cannot be redeemed at the authorization server's token endpoint", async () => {
  const code = await codeOf();
  expectOAuthError(
    await postForm(`${api.url}/oauth/token`, {
      ...{ grant_type: "authorization_code", code, code_verifier: verifier },
      ...{ client_id: mobile.client_id, redirect_uri: mobile.redirect_uri },
    }),
    { status: 401, error: "invalid_client" },
  );
  expect((await redeem(code)).status).toBe(200);
});

test("a code expires after a minute", async () => {
  const user = await given.user({ realmId });
  const code = await codeOf(user);
  const lasts = await api.database.owner.query(sql`
    select extract(epoch from code_expires_at - created_at)::integer as seconds
      from app_authorizations where user_id = ${user.id}
  `);
  expect(lasts).toEqual([{ seconds: 60 }]);
  await api.database.owner.query(sql`update app_authorizations set code_expires_at = now() - interval '1 second'`);
  expectOAuthError(await redeem(code), { status: 400, error: "invalid_grant" });
});

test("a second use of a code ends its token, with an audit entry", async () => {
  const user = await given.user({ realmId });
  const code = await codeOf(user);
  const { access_token: token } = (await redeem(code)).body as { access_token: string };
  expectOAuthError(await redeem(code, undefined, { code_verifier: drawPkce().verifier }), {
    status: 400,
    error: "invalid_grant",
  });
  // A stranger who has only the code has not ended the token.
  expect((await fetch(token, { query: "?format=x" })).status).toBe(400);
  const count = () => api.database.owner.query(sql`select id from app_authorizations where user_id = ${user.id}`);
  expect(await count()).toHaveLength(1);
  expectOAuthError(await redeem(code), { status: 400, error: "invalid_grant" });
  expect(await count()).toHaveLength(0);
  expect((await fetch(token)).status).toBe(401);
  const entries = await api.database.owner.query<{ properties: object }>(sql`
    select properties from audit_entries where event = 'session_end' and properties->>'userID' = ${user.id}
  `);
  expect(entries).toEqual([
    { properties: { userID: user.id, authorization: expect.any(String), reason: "code_replayed" } },
  ]);
});

test("only one of three concurrent requests with the same code gets a token", async () => {
  const code = await codeOf();
  const answers = await Promise.all([redeem(code), redeem(code), redeem(code)]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test.each(["GET", "PUT", "OPTIONS", "HEAD"])("%s returns 405", async (method) => {
  const answer = await sendRequest(`${base()}oauth/token/`, method);
  expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "POST" });
});

test("no code or token is stored in readable form", async () => {
  const code = await codeOf();
  const { access_token: token } = (await redeem(code)).body as { access_token: string };
  const [{ rows } = { rows: "" }] = await api.database.owner.query<{ rows: string }>(
    sql`select string_agg(a::text, '') as rows from app_authorizations a`,
  );
  for (const secret of [code, token]) {
    // Control: the rows contain the hash.
    expect(rows).toContain(createHash("sha256").update(secret).digest("hex"));
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(Buffer.from(secret).toString("hex"));
  }
});
