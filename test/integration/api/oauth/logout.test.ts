import { createHmac } from "node:crypto";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const { authorizeUrl, logoutUrl, signIn, token } = authorizationOn(api);

const home = "https://client.example/goodbye";
let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId });
});

const get = (url: string) => sendRequest(url, "GET", {});

const logOut = (idToken: string, parameters: Record<string, string> = {}) =>
  get(logoutUrl({ id_token: idToken, client_id: application.clientId, logout_uri: home, ...parameters }));

const isAlive = async (accessToken: string): Promise<boolean> =>
  (await as.token(accessToken).get("/api/realm")).status === 200;

describe("a session ends", () => {
  test("with its tokens and the browser login it came from, and leads to the logout_uri", async () => {
    const { body, browser: who } = await signIn(user, application);
    const other = await given.application({ realmId: api.realmId, type: "useragent" });
    const elsewhere = await signIn(user, other);

    const visit = await who.get(
      logoutUrl({ id_token: body.id_token, client_id: application.clientId, logout_uri: home }),
      { follow: false },
    );
    expect({ status: visit.status, location: visit.headers.location }).toEqual({ status: 303, location: home });
    expect(await isAlive(body.access_token)).toBe(false);
    const refresh = { grant_type: "refresh_token", client_id: application.clientId, refresh_token: body.refresh_token };
    expect(await token(refresh)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect([...who.cookies.keys()].some((name) => name.endsWith("login"))).toBe(false);
    expect((await who.get(authorizeUrl(application), { follow: false })).headers.location).toMatch(/^\/login/);
    expect(await isAlive(elsewhere.body.access_token)).toBe(true);
  });

  test("without a cookie, with an id token that has expired, and again", async () => {
    const { body } = await signIn(user, application);
    for (let round = 0; round < 2; round++) {
      const answer = await logOut(body.id_token);
      expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 303, location: home });
      expect(await isAlive(body.access_token)).toBe(false);
    }
  });

  test("with a logout_uri that is not escaped and has a query of its own", async () => {
    const { body } = await signIn(user, application);
    const answer = await get(
      `${api.url}/oauth/logout?id_token=${body.id_token}&client_id=${application.clientId}&logout_uri=https://client.example/?logout=true`,
    );
    expect(answer.headers.location).toBe("https://client.example/?logout=true");
  });

  test("by the names of OpenID Connect RP-Initiated Logout", async () => {
    const { body } = await signIn(user, application);
    const answer = await get(logoutUrl({ id_token_hint: body.id_token, post_logout_redirect_uri: home, state: "s t" }));
    expect({ status: answer.status, location: answer.headers.location }).toEqual({
      status: 303,
      location: `${home}?state=s+t`,
    });
    expect(await isAlive(body.access_token)).toBe(false);
  });

  test("with a page, when there is nowhere to go", async () => {
    const { body } = await signIn(user, application);
    const answer = await get(logoutUrl({ id_token: body.id_token, client_id: application.clientId }));
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 200, location: undefined });
    expect(await isAlive(body.access_token)).toBe(false);
  });

  test("is in the audit log once", async () => {
    const { body } = await signIn(user, application);
    const sid = String(decodeJwt(body.id_token)["sid"]);
    await logOut(body.id_token);
    await logOut(body.id_token);
    const entries = await api.database.owner.query(
      sql`select user_id::text as "userId" from audit_entries where event = 'session_end' and properties ->> 'sid' = ${sid}`,
    );
    expect(entries).toEqual([{ userId: user.id }]);
  });
});

describe("refused on a page, and the session stays", () => {
  const unsigned = (claims: object, header: object): string =>
    `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".")}.`;

  const forged = async (idToken: string): Promise<string> => {
    const { privateKey } = await generateKeyPair("RS256");
    return new SignJWT(decodeJwt(idToken)).setProtectedHeader({ alg: "RS256", typ: "JWT" }).sign(privateKey);
  };

  const confused = async (idToken: string): Promise<string> => {
    const { keys } = (await as.nobody().get("/oauth/jwks")).body;
    const key = JSON.stringify(keys[0]);
    const input = unsigned(decodeJwt(idToken), { alg: "HS256", typ: "JWT", kid: keys[0].kid }).slice(0, -1);
    return `${input}.${createHmac("sha256", key).update(input).digest("base64url")}`;
  };

  const selfMade = async (idToken: string): Promise<string> => {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    return new SignJWT(decodeJwt(idToken)).setProtectedHeader({ alg: "RS256", typ: "JWT", jwk }).sign(privateKey);
  };

  interface Tokens {
    id_token: string;
    access_token: string;
  }
  test.each<[string, (tokens: Tokens) => Promise<Record<string, string>> | Record<string, string>]>([
    ["no id token", () => ({ id_token: "" })],
    ["garbage", () => ({ id_token: "garbage" })],
    ["a forged signature", async ({ id_token }) => ({ id_token: await forged(id_token) })],
    ["a key that it brought itself", async ({ id_token }) => ({ id_token: await selfMade(id_token) })],
    ["the public key as an HMAC key", async ({ id_token }) => ({ id_token: await confused(id_token) })],
    ["alg none", ({ id_token }) => ({ id_token: unsigned(decodeJwt(id_token), { alg: "none" }) })],
    ["an access token instead", ({ access_token }) => ({ id_token: access_token })],
    ["another client's id", () => ({ client_id: "other" })],
    ["a relative logout_uri", () => ({ logout_uri: "/goodbye" })],
    ["a scheme-relative logout_uri", () => ({ logout_uri: "//client.example/" })],
    ["a logout_uri of another host", () => ({ logout_uri: "https://evil.example/" })],
    ["a logout_uri of another port", () => ({ logout_uri: "https://client.example:8443/" })],
    ["a logout_uri of another scheme", () => ({ logout_uri: "http://client.example/" })],
    ["a javascript: logout_uri", () => ({ logout_uri: "javascript:alert(1)//client.example" })],
    ["a logout_uri with a user", () => ({ logout_uri: "https://client.example@evil.example/" })],
    ["a logout_uri with our user", () => ({ logout_uri: "https://a:b@client.example/" })],
    ["a logout_uri with a line end in it", () => ({ logout_uri: "https://evil.example\r\n.client.example/" })],
  ])("%s", async (_, change) => {
    const { body } = await signIn(user, application);
    const answer = await logOut(body.id_token, await change(body as Tokens));
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 400, location: undefined });
    expect(answer.headers["content-type"]).toMatch(/^text\/html/);
    expect(answer.text).not.toContain("evil.example");
    expect(await isAlive(body.access_token)).toBe(true);
  });

  test("a parameter that occurs twice", async () => {
    const { body } = await signIn(user, application);
    const url = logoutUrl({ id_token: body.id_token, client_id: application.clientId, logout_uri: home });
    expect((await get(`${url}&logout_uri=${encodeURIComponent(home)}`)).status).toBe(400);
    expect(await isAlive(body.access_token)).toBe(true);
  });

  test.each(["HEAD", "POST"])("%s", async (method) => {
    const { body } = await signIn(user, application);
    const url = logoutUrl({ id_token: body.id_token, client_id: application.clientId, logout_uri: home });
    const answer = await sendRequest(url, method, {});
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "GET" });
    expect(await isAlive(body.access_token)).toBe(true);
  });
});
