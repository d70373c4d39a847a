import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../../support/service/api.ts";
import type { GivenApplication } from "../../../support/given/given.ts";
import { authorizationOn, expectOAuthError, redirectUri } from "../../../support/given/authorization.ts";

const api = useApi();
const { as, given } = api;
const { refresh, signIn, token } = authorizationOn(api);

let service: GivenApplication;
beforeAll(async () => {
  service = await given.application({ realmId: api.realmId });
});

const form = (
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
  query = "",
): Promise<ApiAnswer> =>
  sendRequest(`${api.url}/oauth/token${query}`, "POST", {
    raw: typeof fields === "string" ? fields : new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

const grant = { grant_type: "client_credentials" };
const post = (fields: Record<string, string> = {}) =>
  form({ ...grant, client_id: service.clientId, client_secret: service.secret, ...fields });

describe("client_credentials", () => {
  // This test runs first, because the first token creates the key.
  test("concurrent requests create one signing key", async () => {
    const keys = () => api.database.owner.query(sql`select 1 from token_signing_keys where state = 'current'`);
    expect(await keys()).toEqual([]);
    await Promise.all(Array.from({ length: 8 }, () => post()));
    expect(await keys()).toHaveLength(1);
  });

  test("returns exactly access_token and token_type, and is not cacheable", async () => {
    const answer = await post();
    expect(answer).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store", "access-control-allow-origin": "*" },
    });
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: "Bearer" });
  });

  test("the token is stored as its hash, with the hash of the secret that was used", async () => {
    const { access_token: token } = (await post()).body;
    const rows = await api.database.owner.query(sql`
      select octet_length(secret_hash) as length from access_tokens where token_hash = ${createHash("sha256").update(String(token)).digest()}
    `);
    expect(rows).toEqual([{ length: 32 }]);
  });

  test("a requested narrower scope limits the token", async () => {
    const { access_token: token } = (await post({ scope: "realm.read" })).body;
    expect(await as.token(token).get("/api/realm")).toMatchObject({ status: 200 });
    expect(await as.token(token).get("/api/user")).toBeError("insufficient_scope");
  });

  test("a replaced secret ends its tokens", async () => {
    const application = await given.application({ realmId: api.realmId });
    const { access_token: token } = (await post({ client_id: application.clientId, client_secret: application.secret }))
      .body;
    await api.database.owner.query(sql`delete from application_secrets where client_id = ${application.clientId}`);
    expect(await as.token(token).get("/api/realm")).toBeError("unauthenticated");
  });
});

describe("a token request is refused:", () => {
  type Case = [name: string, send: () => Promise<ApiAnswer>, status: number, error: string];
  const cases: Case[] = [
    ["no grant type", () => post({ grant_type: "" }), 400, "invalid_request"],
    ["the grant password", () => post({ grant_type: "password" }), 400, "unsupported_grant_type"],
    ["the grant constructor", () => post({ grant_type: "constructor" }), 400, "unsupported_grant_type"],
    ["the grant __proto__", () => post({ grant_type: "__proto__" }), 400, "unsupported_grant_type"],
    ["openid for a service", () => post({ scope: "openid" }), 400, "invalid_scope"],
    ["offline_access for a service", () => post({ scope: "realm.read offline_access" }), 400, "invalid_scope"],
    ["an unknown scope", () => post({ scope: "everything" }), 400, "invalid_scope"],
    [
      "a repeated parameter",
      () => form("grant_type=client_credentials&grant_type=client_credentials"),
      400,
      "invalid_request",
    ],
    ["JSON", () => sendRequest(`${api.url}/oauth/token`, "POST", { body: grant }), 400, "invalid_request"],
    [
      "no content type",
      () => sendRequest(`${api.url}/oauth/token`, "POST", { raw: "grant_type=client_credentials" }),
      400,
      "invalid_request",
    ],
    ["NUL", () => form("grant_type=a%00b"), 400, "invalid_request"],
    ["a bad percent escape", () => form("grant_type=%zz"), 400, "invalid_request"],
    ["a lone surrogate", () => form("grant_type=%ED%A0%80"), 400, "invalid_request"],
    ["5 kB", () => form(`grant_type=${"x".repeat(5000)}`), 400, "invalid_request"],
    ["CRLF", () => post({ client_id: "a\r\nSet-Cookie: b" }), 401, "invalid_client"],
    ["a megabyte", () => form(`grant_type=${"x".repeat(1_000_000)}`), 400, "invalid_request"],
  ];

  test.each(cases)("%s", async (_, send, status, error) => {
    expectOAuthError(await send(), { status, error });
  });

  test("a switched-off client, and an expired secret", async () => {
    const off = await given.application({ realmId: api.realmId, active: false });
    const old = await given.application({ realmId: api.realmId });
    await api.database.owner.query(
      sql`update application_secrets set expires_at = now() - interval '1 second' where client_id = ${old.clientId}`,
    );
    for (const { clientId, secret } of [off, old]) {
      expect(await post({ client_id: clientId, client_secret: secret })).toMatchObject({
        status: 401,
        body: { error: "invalid_client" },
      });
    }
  });

  test("a useragent, with a secret or without", async () => {
    for (const useClientSecret of [true, false]) {
      const { clientId, secret } = await given.application({
        realmId: api.realmId,
        type: "useragent",
        useClientSecret,
      });
      expect(await post({ client_id: clientId, client_secret: secret })).toMatchObject({
        status: 400,
        body: { error: "unauthorized_client" },
      });
    }
  });

  test.each(["GET", "HEAD", "PUT"])("%s gets 405 with the allowed methods", async (method) => {
    const answer = await sendRequest(`${api.url}/oauth/token`, method, {});
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "POST, OPTIONS" });
  });
});

describe("fullTokenAnswers adds expires_in and scope to an application's token responses", () => {
  test.each([true, false])("%s", async (fullTokenAnswers) => {
    const admin = as.admin({ realmId: api.realmId });
    const home = { name: `Planner ${fullTokenAnswers}`, clientURI: "https://client.example", fullTokenAnswers };
    const person = { type: "useragent", scopes: ["openid", "offline_access"], redirectURI: redirectUri, ...home };
    const { client_id: clientId } = (await admin.post("/api/applications", { ...person, requirePKCE: false })).body
      .data;
    const program = { type: "service", scopes: ["user.read"], ...home };
    const service = (await admin.post("/api/applications", program)).body.data;
    const user = await given.user({ realmId: api.realmId });

    const code = await signIn(user, { clientId } as GivenApplication);
    const refreshed = await refresh({ clientId } as GivenApplication, code.body.refresh_token);
    const own = await token({
      grant_type: "client_credentials",
      client_id: service.client_id,
      client_secret: service.client_secret,
    });
    const added = (scope: string) => (fullTokenAnswers ? { expires_in: 1_800, scope } : {});
    for (const [answer, scope] of [
      [code, "openid offline_access"],
      [refreshed, "openid offline_access"],
      [own, "user.read"],
    ] as const) {
      const { expires_in, scope: named } = answer.body;
      expect(JSON.parse(JSON.stringify({ expires_in, scope: named }))).toEqual(added(scope));
    }
  });
});
