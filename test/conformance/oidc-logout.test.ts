import { createHmac } from "node:crypto";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { authorizationOn } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { sendRequest, useApi, type ApiAnswer } from "../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const { logoutUrl, signIn } = authorizationOn(api);

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

test("2 and 3 RP-Initiated Logout ends a session and returns the state", async () => {
  const { body } = await signIn(user, application);
  const answer = await get(logoutUrl({ id_token_hint: body.id_token, post_logout_redirect_uri: home, state: "s t" }));
  expect({ status: answer.status, location: answer.headers.location }).toEqual({
    status: 303,
    location: `${home}?state=s+t`,
  });
  expect(await isAlive(body.access_token)).toBe(false);
});

test("2 and 4 logout needs no cookie, and a second logout succeeds", async () => {
  const { body } = await signIn(user, application);
  for (let round = 0; round < 2; round++) {
    const answer = await logOut(body.id_token);
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 303, location: home });
    expect(await isAlive(body.access_token)).toBe(false);
  }
});

/** Expects a page without a redirect, and a session that continues. */
const expectPageOnly = async (answer: ApiAnswer, { status, accessToken }: { status: number; accessToken: string }) => {
  expect({ status: answer.status, location: answer.headers.location }).toEqual({ status, location: undefined });
  expect(answer.headers["content-type"]).toMatch(/^text\/html/);
  expect(await isAlive(accessToken)).toBe(true);
};

describe("2 a page asks the person first, and the session continues, without an id token of this service and client:", () => {
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
  ])("%s", async (_, change) => {
    const { body } = await signIn(user, application);
    const answer = await logOut(body.id_token, await change(body as Tokens));
    await expectPageOnly(answer, { status: 200, accessToken: body.access_token });
    expect(answer.text).toContain("Sign out?");
  });
});

describe("4 a page shows the error, and the session continues:", () => {
  test.each<[string, Record<string, string>]>([
    ["a relative logout_uri", { logout_uri: "/goodbye" }],
    ["a scheme-relative logout_uri", { logout_uri: "//client.example/" }],
    ["a logout_uri of another host", { logout_uri: "https://evil.example/" }],
    ["a logout_uri of another port", { logout_uri: "https://client.example:8443/" }],
    ["a logout_uri of another scheme", { logout_uri: "http://client.example/" }],
    ["a javascript: logout_uri", { logout_uri: "javascript:alert(1)//client.example" }],
    ["a logout_uri with a user", { logout_uri: "https://client.example@evil.example/" }],
    ["a logout_uri with our user", { logout_uri: "https://a:b@client.example/" }],
    ["a logout_uri with a line end in it", { logout_uri: "https://evil.example\r\n.client.example/" }],
  ])("%s", async (_, change) => {
    const { body } = await signIn(user, application);
    const answer = await logOut(body.id_token, change);
    await expectPageOnly(answer, { status: 400, accessToken: body.access_token });
    expect(answer.text).toContain("You were not signed out");
    expect(answer.text).not.toContain("evil.example");
  });
});
