import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import {
  answerOf,
  authorizationOn,
  expectShownOnPage,
  expectSentToApplication,
  markedState,
  postForm,
  redirectUri,
} from "../../../support/given/authorization.ts";
import { formsOf } from "../../../support/browser/browser-session.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

const api = useApi();
const { given } = api;
const { authorizeUrl, browser, allow, redeem } = authorizationOn(api);

let application: GivenApplication;
let service: GivenApplication;
let off: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  const { realmId } = api;
  const useragent = { realmId, type: "useragent" } as const;
  application = await given.application({ ...useragent, scopes: ["openid", "offline_access", "profile.read"] });
  service = await given.application({ realmId });
  off = await given.application({ ...useragent, active: false });
  user = await given.user({ realmId });
});

/** Sends the request of a signed-in browser, without following redirects. */
const ask = async (parameters: Record<string, string | undefined>, of: () => GivenApplication = () => application) =>
  (await browser(user)).get(authorizeUrl(of(), parameters), { follow: false });

describe("an error is shown on a page, never redirected", () => {
  test.each<[string, Record<string, string | undefined>, (() => GivenApplication)?]>([
    ["a switched-off client", {}, () => off],
    ["a service", {}, () => service],
    ["a state of 5 kB", { state: "x".repeat(5_000) }],
  ])("%s", async (_, parameters, of) => {
    expectShownOnPage(await ask(parameters, of));
  });

  test.each([
    ["NUL", (url: string) => `${url}&state=a%00b`],
    ["a bad percent escape", (url: string) => `${url}&state=%zz`],
    ["bytes that are no UTF-8", (url: string) => `${url}&state=%ff`],
  ])("%s", async (_, change) => {
    expectShownOnPage(await (await browser(user)).get(change(authorizeUrl(application)), { follow: false }));
  });
});

describe("an error is sent to the application", () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ["a request object", { request: "e30." }, "request_not_supported"],
    ["a request object by reference", { request_uri: "https://client.example/r" }, "request_uri_not_supported"],
    ["registration", { registration: "{}" }, "registration_not_supported"],
    ["response_mode fragment", { response_mode: "fragment" }, "invalid_request"],
    ["response_mode form_post", { response_mode: "form_post" }, "invalid_request"],
    ["prompt none and another", { prompt: "none login" }, "invalid_request"],
    ["a max_age that is no number", { max_age: "soon" }, "invalid_request"],
    ["prompt none without consent", { prompt: "none" }, "consent_required"],
  ])("%s", async (_, parameters, error) => {
    expectSentToApplication(await ask({ state: markedState, ...parameters }), { error, iss: api.url });
  });

  test("for prompt none, if no user is signed in, or the user signed in too long ago or to another realm", async () => {
    const stranger = await given.user({ realmId: await given.realm() });
    const long = await browser(user, { at: new Date(Date.parse("2026-01-01")) });
    for (const [who, parameters] of [
      [await browser(), {}],
      [long, { max_age: "60" }],
      [await browser(stranger), {}],
    ] as const) {
      const visit = await who.get(authorizeUrl(application, { prompt: "none", ...parameters }), { follow: false });
      expect(answerOf(visit)).toMatchObject({ error: "login_required" });
    }
  });

  test("CRLF in the state is returned unchanged and adds no header", async () => {
    const visit = await ask({ state: "a\r\nSet-Cookie: b=c", response_type: "token" });
    expect(visit.headers["set-cookie"]).toBeUndefined();
    expect(answerOf(visit)["state"]).toBe("a\r\nSet-Cookie: b=c");
  });
});

describe("the user must sign in first", () => {
  const continueOf = (location = ""): URL =>
    new URL(new URL(location, api.url).searchParams.get("continue") ?? "", api.url);

  test("and then returns with the same request", async () => {
    const url = authorizeUrl(application, { state: "a b", nonce: "n", scope: "openid" });
    const visit = await (await browser()).get(url, { follow: false });
    expect(visit.status).toBe(303);
    expect(visit.headers.location).toMatch(/^\/login\?continue=/);
    expect([...continueOf(visit.headers.location).searchParams]).toEqual([...new URL(url).searchParams]);
  });

  test.each([
    ["prompt=login", { prompt: "login consent" }, { prompt: "consent" }],
    ["prompt=select_account", { prompt: "select_account" }, {}],
    ["an old login and max_age", { max_age: "60" }, {}],
  ])("once for %s", async (_, parameters, left) => {
    const who = await browser(user, { at: new Date(Date.parse("2026-01-01")) });
    const visit = await who.get(authorizeUrl(application, parameters), { follow: false });
    expect(visit.headers.location).toMatch(/^\/login\?again=true&continue=/);
    const { prompt, max_age: maxAge } = Object.fromEntries(continueOf(visit.headers.location).searchParams);
    expect({ ...(prompt && { prompt }), ...(maxAge && { maxAge }) }).toEqual(left);
  });

  test("if the login is another realm's, expired or forged", async () => {
    const stranger = await given.user({ realmId: await given.realm() });
    const expired = await browser(user);
    await api.database.owner.query(sql`update logins set expires_at = now() - interval '1 second'`);
    const forged = await browser();
    forged.cookies.set(`${new URL(api.url).host} realmpass-login`, "rpb_made-up");
    for (const who of [await browser(stranger), expired, forged]) {
      expect((await who.get(authorizeUrl(application), { follow: false })).headers.location).toMatch(/^\/login\?/);
    }
  });
});

describe("consent", () => {
  test("is requested once, and again only for more scopes or when the application asks for it", async () => {
    const person = await given.user({ realmId: api.realmId });
    const who = await browser(person);
    await allow(who, authorizeUrl(application, { scope: "openid" }));

    expect((await who.get(authorizeUrl(application, { scope: "openid" }))).status).toBe(303);
    expect((await who.get(authorizeUrl(application, { scope: "openid profile.read" }))).status).toBe(200);
    expect((await who.get(authorizeUrl(application, { scope: "openid", prompt: "consent" }))).status).toBe(200);
    expect(answerOf(await who.get(authorizeUrl(application, { scope: "openid", prompt: "none" })))).toHaveProperty(
      "code",
    );
  });

  test("is not requested for a first-party application", async () => {
    const console_ = await given.application({ realmId: api.realmId, type: "useragent", firstParty: true });
    expect(answerOf(await (await browser(user)).get(authorizeUrl(console_)))).toHaveProperty("code");
  });

  test("is accepted only from the service's own page", async () => {
    const who = await browser(await given.user({ realmId: api.realmId }));
    const page = await who.get(authorizeUrl(application));
    const [form] = formsOf(page);
    if (form === undefined) throw new Error("no form");
    const decision = { ...form.fields, decision: "allow" };

    expect((await who.post(form.action, { ...decision, form_token: "x" })).status).toBe(403);
    expect((await who.post(form.action, decision, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await who.post(form.action, decision, { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403);
    const elsewhere = await browser(user);
    expect((await elsewhere.post(form.action, decision)).status).toBe(403);
    expect((await who.post(form.action, { ...form.fields, decision: "perhaps" })).status).toBe(400);
    expect(answerOf(await who.post(form.action, decision))).toHaveProperty("code");
  });

  test("is requested again if another user has signed in meanwhile", async () => {
    const who = await browser(await given.user({ realmId: api.realmId }));
    const page = await who.get(authorizeUrl(application));
    who.cookies.set(
      `${new URL(api.url).host} realmpass-login`,
      await given.login(await given.user({ realmId: api.realmId })),
    );
    const next = await who.submit(page, { decision: "allow" });
    expect(next.status).toBe(200);
    expect(formsOf(next)).toHaveLength(1);
  });
});

describe("methods and headers", () => {
  test.each(["HEAD", "PUT", "OPTIONS"])("%s is refused and issues nothing", async (method) => {
    const cookie = `realmpass-login=${await given.login(user)}`;
    const before = await api.database.owner.query(sql`select 1 as one from sessions`);
    const answer = await sendRequest(authorizeUrl(application), method, { headers: { cookie } });
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "GET, POST" });
    expect(await api.database.owner.query(sql`select 1 as one from sessions`)).toHaveLength(before.length);
  });

  test("the consent page is protected from framing, caching, other origins and scripts", async () => {
    const { headers } = await (await browser(user)).get(authorizeUrl(application, { prompt: "consent" }));
    expect(headers).toMatchObject({
      "x-frame-options": "DENY",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
    expect(headers["content-security-policy"]).not.toContain("form-action");
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });
});

test("a POST requests authorization like a GET", async () => {
  const fields = { response_type: "code", client_id: application.clientId, redirect_uri: redirectUri, scope: "openid" };
  const posted = await postForm(`${api.url}/oauth/authorize`, fields);
  expect(posted.status).toBe(303);
  const at = new URL(posted.headers.location ?? "", api.url);
  expect(Object.fromEntries(at.searchParams)).toEqual(fields);
  expect((await (await browser(user)).get(at.href)).status).toBe(200);
});

describe("an address on the user's own machine (RFC 8252 section 7.3)", () => {
  test.each(["http://127.0.0.1/cb", "http://[::1]:1234/cb"])("is %s with any port", async (registered) => {
    const app = await given.application({ realmId: api.realmId, type: "useragent", redirectUri: registered });
    const asked = registered.replace(/(?::1234)?\/cb/, ":51004/cb");
    const who = await browser(user);
    const visit = await allow(who, authorizeUrl(app, { redirect_uri: asked }));
    expect(visit.headers.location?.startsWith(`${asked}?code=`)).toBe(true);
    const code = answerOf(visit)["code"] ?? "";
    expect((await redeem(app, code, { redirect_uri: registered })).status).toBe(400);
    const again = answerOf(await allow(who, authorizeUrl(app, { redirect_uri: asked })))["code"] ?? "";
    expect((await redeem(app, again, { redirect_uri: asked })).status).toBe(200);
  });

  test.each([
    ["another path", "http://127.0.0.1/cb", "http://127.0.0.1:51004/other"],
    ["another scheme", "http://127.0.0.1/cb", "https://127.0.0.1:51004/cb"],
    ["a query", "http://127.0.0.1/cb", "http://127.0.0.1:51004/cb?next=1"],
    ["a user", "http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb"],
    ["no port that exists", "http://127.0.0.1/cb", "http://127.0.0.1:99999/cb"],
    ["a name, which can be another machine's", "http://localhost/cb", "http://localhost:51004/cb"],
    ["another address", "http://127.0.0.1/cb", "http://127.0.0.2:51004/cb"],
    ["a server's port", "https://client.example/back", "https://client.example:8443/back"],
  ])("is refused with %s", async (_, registered, asked) => {
    const app = await given.application({ realmId: api.realmId, type: "useragent", redirectUri: registered });
    expectShownOnPage(await (await browser(user)).get(authorizeUrl(app, { redirect_uri: asked }), { follow: false }));
  });
});

describe("with ten redirect URIs", () => {
  const uris = [
    "https://client.example/back",
    "https://client.example/back/2",
    "https://client.example/back?x=1",
    "https://client.example:8443/back",
    "https://other.example/back",
    "https://other.example/Back",
    "http://localhost:8080/back",
    "http://127.0.0.1/back",
    "http://[::1]/back",
    "com.example.app:/back",
  ];
  let ten: GivenApplication;
  beforeAll(async () => {
    ten = await given.application({ realmId: api.realmId, type: "useragent", redirectUris: uris, firstParty: true });
  });
  const askAt = (redirect_uri: string, parameters: Record<string, string> = {}) =>
    ask({ redirect_uri, ...parameters }, () => ten);
  const placeOf = (location = ""): string => location.replace(/[?&](?:code|error|error_description|state|iss)=.*$/, "");

  test.each(uris)(
    "%s receives its code and its errors, with the issuer, and the code cannot be redeemed with another URI",
    async (uri) => {
      const { headers } = await askAt(uri, { state: markedState });
      expect(placeOf(headers.location)).toBe(uri);
      const { searchParams } = new URL(headers.location ?? "");
      expect(searchParams.get("iss")).toBe(api.url);
      expect(searchParams.get("state")).toBe(markedState);
      const code = searchParams.get("code") ?? "";
      for (const other of uris.filter((each) => each !== uri)) {
        expect((await redeem(ten, code, { redirect_uri: other })).body.error).toBe("invalid_grant");
      }
      expect((await redeem(ten, code, { redirect_uri: uri })).status).toBe(200);

      const refused = await askAt(uri, { response_type: "token" });
      expect(placeOf(refused.headers.location)).toBe(uri);
      expect(new URL(refused.headers.location ?? "").searchParams.get("iss")).toBe(api.url);
    },
  );

  test.each([
    "https://client.example/back/",
    "https://client.example/back/3",
    "https://client.example/back?x=1&y=2",
    "https://client.example/Back",
    "https://client.example/back#f",
    "https://client.example.evil.example/back",
    "https://client.example@evil.example/back",
    "https://other.example:8443/back",
    "https://other.example/back?x=1",
    "http://localhost:8081/back",
    "http://127.0.0.1/other",
    "http://127.0.0.2/back",
    "com.example.app:/other",
    uris.slice(0, 2).join(" "),
    uris.slice(0, 2).join(","),
  ])("%s is not one of the ten URIs, and the error is shown on a page", async (uri) => {
    expectShownOnPage(await askAt(uri));
    expectShownOnPage(await askAt(uri, { response_type: "token" }));
  });

  test("a request with two of the ten URIs is refused on a page", async () => {
    const url = `${authorizeUrl(ten, { redirect_uri: uris[0] })}&${new URLSearchParams({ redirect_uri: uris[1] ?? "" }).toString()}`;
    expectShownOnPage(await (await browser(user)).get(url, { follow: false }));
  });

  test("a removed URI is refused, and a code that was issued for another URI can still be redeemed", async () => {
    const app = await given.application({
      realmId: api.realmId,
      type: "useragent",
      redirectUris: uris,
      firstParty: true,
    });
    const [first = "", removed = ""] = uris;
    const at = async (redirect_uri: string) => ask({ redirect_uri }, () => app);
    const { code = "" } = answerOf(await at(first));
    expect((await at(removed)).status).toBe(303);
    await api.as
      .admin()
      .put(`/api/applications/${app.clientId}`, { redirectURIs: uris.filter((uri) => uri !== removed) });
    expectShownOnPage(await at(removed));
    expect((await redeem(app, code, { redirect_uri: first })).status).toBe(200);
  });
});
