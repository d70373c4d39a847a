import { createHash } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { sql, verbatim } from "../../../../db/sql.ts";
import { useApi } from "../../../support/service/api.ts";
import { answerOf, authorizationOn, drawPkce, redirectUri } from "../../../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const { authorizeUrl, browser, allow, redeem, signIn, token } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId, pairwiseId: "pairwise-1" });
});

const codeFor = async (
  parameters: Record<string, string> = {},
  of: GivenApplication = application,
  who: GivenUser = user,
): Promise<string> => answerOf(await allow(await browser(who), authorizeUrl(of, parameters)))["code"] ?? "";

const age = (seconds: number): Promise<unknown> =>
  api.database.owner.query(
    sql`update authorization_codes set expires_at = expires_at - make_interval(secs => ${seconds}) where consumed_at is null`,
  );

describe("a code", () => {
  test("becomes exactly the five properties, with the code itself among them", async () => {
    const code = await codeFor();
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

  test("without openid there is no id token, without offline_access no refresh token", async () => {
    const { body } = await redeem(application, await codeFor({ scope: "profile.read" }));
    expect(Object.keys(body).sort()).toEqual(["access_token", "code", "token_type"]);
  });

  test("the id token is RS256 under the published keys and says who, when, for whom and in which session", async () => {
    const { body } = await redeem(application, await codeFor({ nonce: "n-1" }));
    const { body: jwks } = await as.nobody().get("/oauth/jwks");
    const { payload } = await jwtVerify(body.id_token, createLocalJWKSet(jwks), {
      issuer: api.url,
      audience: application.clientId,
      algorithms: ["RS256"],
    });
    expect(decodeProtectedHeader(body.id_token).typ).toBe("JWT");
    expect(payload).toEqual({
      iss: api.url,
      aud: application.clientId,
      sub: user.id,
      pairwise_id: "pairwise-1",
      sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      auth_time: expect.any(Number),
      nonce: "n-1",
      iat: expect.any(Number),
      exp: Number(payload.iat) + 1800,
    });
  });

  test("is bound by PKCE", async () => {
    const { verifier, challenge } = drawPkce();
    const code = await codeFor({ code_challenge: challenge, code_challenge_method: "S256" });
    expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    for (const wrong of [drawPkce().verifier, challenge, "short"]) {
      const answer = await redeem(application, code, { code_verifier: wrong });
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    expect(await redeem(application, code, { code_verifier: verifier })).toMatchObject({ status: 200 });
  });

  test("works with a client secret by both methods, and without only for clients that have none", async () => {
    const confidential = await given.application({ realmId: api.realmId, type: "useragent", useClientSecret: true });
    const { clientId, secret } = confidential;
    expect(await redeem(confidential, await codeFor({}, confidential))).toMatchObject({
      status: 401,
      body: { error: "invalid_client" },
    });
    expect(await redeem(confidential, await codeFor({}, confidential), { client_secret: secret })).toMatchObject({
      status: 200,
    });
    const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`;
    const fields = { grant_type: "authorization_code", redirect_uri: redirectUri };
    expect(await token({ ...fields, code: await codeFor({}, confidential) }, { authorization: basic })).toMatchObject({
      status: 200,
    });
    // A secret is only used when the client was registered with one.
    expect(await redeem(application, await codeFor(), { client_secret: "whatever" })).toMatchObject({ status: 200 });
  });
});

describe("refused with invalid_grant", () => {
  test("unknown codes and those of another kind", async () => {
    const { body } = await signIn(user, application);
    for (const code of ["rpc_unknown", body.refresh_token, body.access_token]) {
      expect(await redeem(application, String(code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
  });

  test("another client, another redirect_uri, a verifier that was never announced; and the code survives all of them", async () => {
    const code = await codeFor();
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

  test("after 60 seconds", async () => {
    const [early, late] = [await codeFor(), await codeFor()];
    await age(50);
    expect(await redeem(application, early)).toMatchObject({ status: 200 });
    await age(11);
    expect(await redeem(application, late)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test("a second time, which ends the session with everything in it", async () => {
    const code = await codeFor();
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

  test("a stranger who has the used code logs nobody out", async () => {
    const code = await codeFor();
    const { body } = await redeem(application, code);
    const other = await given.application({ realmId: api.realmId, type: "useragent" });
    await redeem(other, code);
    await redeem(application, code, { redirect_uri: "https://evil.example/" });
    expect(await as.token(body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
  });

  test("of a person who was offboarded in between; nothing of it is left after reactivation", async () => {
    const leaver = await given.user({ realmId: api.realmId });
    const code = await codeFor({}, application, leaver);
    expect(await as.admin().delete(`/api/user/${leaver.id}`)).toMatchObject({ status: 200 });
    expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await as.admin().put(`/api/user/${leaver.id}/undelete`)).toMatchObject({ status: 200 });
    expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });

  test.each(["code", "redirect_uri"])("without %s it is invalid_request", async (name) => {
    const answer = await redeem(application, await codeFor(), { [name]: "" });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("a service has no codes", async () => {
    const service = await given.application({ realmId: api.realmId });
    const answer = await redeem(service, "rpc_x", { client_secret: service.secret });
    expect(answer).toMatchObject({ status: 400, body: { error: "unauthorized_client" } });
  });
});

test("neither code, refresh token, access token nor login is readable in the database", async () => {
  const code = await codeFor();
  const who = await browser(user);
  const { body } = await redeem(application, code);
  const secrets = [code, body.refresh_token, body.access_token, ...who.cookies.values()].map(String);
  const tables = await api.database.owner.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  for (const { name } of tables) {
    const [row] = await api.database.owner.query<{ found: boolean }>(
      verbatim(
        `select bool_or(exists (select 1 from unnest($1::text[]) s where strpos(t::text, s) > 0
                                      or strpos(t::text, encode(convert_to(s, 'utf8'), 'hex')) > 0)) as found from ${name} t`,
        [secrets],
      ),
    );
    expect({ name, found: row?.found ?? false }).toEqual({ name, found: false });
  }
  const hashed = await api.database.owner.query(sql`
    select 1 as one from refresh_tokens where token_hash = ${createHash("sha256").update(String(body.refresh_token)).digest()}
  `);
  expect(hashed).toHaveLength(1);
});
