import { decodeJwt } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import { formsOf, type BrowserSession } from "../../../support/browser/browser-session.ts";
import { authorizationOn, postForm } from "../../../support/given/authorization.ts";
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

describe("logging out ends the session", () => {
  test("with its tokens and the browser login it came from, and redirects to the logout_uri", async () => {
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

  test("and redirects to a logout_uri that is not escaped and has its own query", async () => {
    const { body } = await signIn(user, application);
    const answer = await get(
      `${api.url}/oauth/logout?id_token=${body.id_token}&client_id=${application.clientId}&logout_uri=https://client.example/?logout=true`,
    );
    expect(answer.headers.location).toBe("https://client.example/?logout=true");
  });

  test("and shows a page if there is no redirect target", async () => {
    const { body } = await signIn(user, application);
    const answer = await get(logoutUrl({ id_token: body.id_token, client_id: application.clientId }));
    expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 200, location: undefined });
    expect(await isAlive(body.access_token)).toBe(false);
  });

  test("and is in the audit log once", async () => {
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

describe("a request to log out is refused, and the session stays:", () => {
  test("with a parameter that occurs twice", async () => {
    const { body } = await signIn(user, application);
    const url = logoutUrl({ id_token: body.id_token, client_id: application.clientId, logout_uri: home });
    expect((await get(`${url}&logout_uri=${encodeURIComponent(home)}`)).status).toBe(400);
    expect(await isAlive(body.access_token)).toBe(true);
  });

  test("with the method HEAD", async () => {
    const { body } = await signIn(user, application);
    const url = logoutUrl({ id_token: body.id_token, client_id: application.clientId, logout_uri: home });
    const answer = await sendRequest(url, "HEAD", {});
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "GET, POST" });
    expect(await isAlive(body.access_token)).toBe(true);
  });
});

test("a POST logs out as a GET does", async () => {
  const { body } = await signIn(user, application);
  const posted = await postForm(`${api.url}/oauth/logout`, {
    id_token_hint: body.id_token,
    post_logout_redirect_uri: home,
  });
  expect(posted.status).toBe(303);
  const answer = await get(new URL(posted.headers.location ?? "", api.url).href);
  expect({ status: answer.status, location: answer.headers.location }).toEqual({ status: 303, location: home });
  expect(await isAlive(body.access_token)).toBe(false);
});

describe("without an ID token, a page asks the user:", () => {
  const question = (who: BrowserSession, parameters: Record<string, string> = {}) =>
    who.get(logoutUrl({ client_id: application.clientId, post_logout_redirect_uri: home, state: "s", ...parameters }));

  test("nothing ends before they agree; then the login and the application's sessions end, and the browser returns", async () => {
    const { body, browser: who } = await signIn(user, application);
    const asked = await question(who);
    expect(asked.text).toContain("Sign out?");
    expect(await isAlive(body.access_token)).toBe(true);

    const done = await who.submit(asked, {});
    expect({ status: done.status, location: done.headers.location }).toEqual({
      status: 303,
      location: `${home}?state=s`,
    });
    expect(await isAlive(body.access_token)).toBe(false);
    expect((await who.get(authorizeUrl(application), { follow: false })).headers.location).toMatch(/^\/login/);
  });

  test("another application's sessions stay", async () => {
    const other = await given.application({ realmId: api.realmId, type: "useragent" });
    const { body, browser: who } = await signIn(user, other);
    await who.submit(await question(who), {});
    expect(await isAlive(body.access_token)).toBe(true);
  });

  test("the browser is never redirected to another host", async () => {
    const { browser: who } = await signIn(user, application);
    const done = await who.submit(await question(who, { post_logout_redirect_uri: "https://evil.example/" }), {});
    expect({ status: done.status, location: done.headers.location }).toEqual({ status: 200, location: undefined });
    expect(done.text).not.toContain("evil.example");
  });

  test("another site cannot agree for the user", async () => {
    const { body, browser: who } = await signIn(user, application);
    const [form] = formsOf(await question(who));
    const headers = { origin: "https://evil.example" };
    expect((await who.post(form!.action, form!.fields, { headers })).status).toBe(403);
    expect((await who.post(form!.action, { ...form!.fields, form_token: "x" })).status).toBe(403);
    expect(await isAlive(body.access_token)).toBe(true);
    expect((await who.post(form!.action, form!.fields)).status).toBe(303);
    expect(await isAlive(body.access_token)).toBe(false);
  });
});
