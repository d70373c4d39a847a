import { decodeJwt } from "jose";
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

describe("refused, and the session stays:", () => {
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
