import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { masterKeys, openUnderMasterKey, sealUnderMasterKey } from "../../../../../runtime/keys/master-key.ts";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { authorizationOn } from "../../../../support/given/authorization.ts";
import type { BrowserSession, Visit } from "../../../../support/browser/browser-session.ts";
import { consoleIn, openConsole } from "../../../../support/browser/console-browser.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenLocalAccount, testPassword } from "../../../../support/given/local-account.ts";

/** If true, the OAuth session of a sign-in ends shortly before the console uses it. */
let sessionEndsMeanwhile = false;
const api = useApi({
  watch: (db) => ({
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          query: (statement) =>
            sessionEndsMeanwhile && statement.text.includes("insert into console_sessions")
              ? Promise.resolve([])
              : tx.query(statement),
        }),
      ),
  }),
});
const { given, database } = api;

const admin = (realmId = api.realmId): Promise<GivenUser> => given.user({ realmId, administrator: true });
const browserOf = (user?: GivenUser): Promise<BrowserSession> => authorizationOn(api).browser(user);
const queryOf = (visit: Visit): URLSearchParams => new URL(visit.headers.location ?? "", api.url).searchParams;

/** Follows redirects up to the callback with the code; returns its address without following it. */
async function beforeCallback(browser: BrowserSession): Promise<string> {
  const started = await browser.get(`${api.url}/console/sign-in?continue=/console/users`, { follow: false });
  const authorized = await browser.get(new URL(started.headers.location ?? "", api.url).href, { follow: false });
  expect(authorized.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/callback\?code=rpc_/);
  return authorized.headers.location ?? "";
}

const sessionsOf = ({ id }: GivenUser) =>
  database.owner.query<{ id: string }>(sql`select id from sessions where user_id = ${id}`);

test("a user who is signed in to the browser reaches the wanted console page and gets a session cookie", async () => {
  const browser = await browserOf(await admin());
  const callback = await beforeCallback(browser);
  const visit = await browser.get(callback, { follow: false });
  expect(visit).toMatchObject({ status: 303, headers: { location: "/console/users", "cache-control": "no-store" } });
  expect(visit.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^realmpass-console-sign-in=; .*Max-Age=0$/),
    expect.stringMatching(/^realmpass-console=rpw_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
  expect(await consoleIn(api, browser).send("GET", "/console/session")).toMatchObject({ status: 200 });
});

test("the authorization request has PKCE, state and nonce, and no secret in the address", async () => {
  const browser = await browserOf(await admin());
  const started = await browser.get(`${api.url}/console/sign-in`, { follow: false });
  const query = queryOf(started);
  expect(Object.fromEntries(query)).toEqual({
    response_type: "code",
    client_id: `console-${api.realmId}`,
    redirect_uri: `${api.url}/console/callback`,
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  const [cookie = ""] = started.headers["set-cookie"] ?? [];
  expect(cookie).toMatch(/^realmpass-console-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const opened = Buffer.from(/=([\w-]+);/.exec(cookie)?.[1] ?? "", "base64url").toString("latin1");
  expect(opened).not.toContain(query.get("state"));
  expect(opened).not.toContain("/console");
});

test("a user who is not signed in signs in first and then reaches the wanted page", async () => {
  const ada = await givenLocalAccount(api, { username: "ada", administrator: true });
  const browser = await browserOf();
  const form = await browser.get(`${api.url}/console/sign-in?continue=%2Fconsole%2Fusers%3Fsearch%3Da%2526b`);
  expect(form.url).toMatch(/\/login\?continue=%2Fconsole%2Fsign-in%3Fcontinue%3D/);
  const visit = await browser.submit(form, { username: ada.username, password: testPassword });
  expect(visit.url).toBe(`${api.url}/console/users?search=a%26b`);
});

test.each([
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "/console//evil.example",
  "/console/../login/end",
  "/console/./x",
  "/console/%2e%2e/oauth/logout",
  "/consoles",
  "/me",
  "/console/\\..\\x",
  "/console/sign-in",
  "/console/sign-in?continue=/console",
  "/console/callback?code=x",
  "/console/api/user",
  "/console/session",
  "/console/\r\nSet-Cookie: x=y",
  "/console/ü",
])("signing in never redirects to %j", async (place) => {
  const { visit } = await openConsole(api, await admin(), place);
  expect(visit.url).toBe(`${api.url}/console`);
});

test("a page address that is too long for the cookie is dropped", async () => {
  const { visit } = await openConsole(api, await admin(), `/console/${"x".repeat(2_000)}`);
  expect(visit.url).toBe(`${api.url}/console`);
});

test.each(["/console?x=1", "/console/users?search=%C3%A4#top", "/console/jobs/7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11"])(
  "signing in redirects to %j",
  async (place) => {
    const { visit } = await openConsole(api, await admin(), place);
    expect(visit.url).toBe(`${api.url}${place}`);
  },
);

test("a callback with a wrong state, a wrong or missing issuer, or no code is refused and offers a new start", async () => {
  const user = await admin();
  const browser = await browserOf(user);
  const callback = await beforeCallback(browser);
  const altered = (change: (query: URLSearchParams) => void): string => {
    const url = new URL(callback);
    change(url.searchParams);
    return url.href;
  };
  const wrong = [
    altered((query) => {
      query.set("state", "x".repeat(43));
    }),
    altered((query) => {
      query.delete("state");
    }),
    altered((query) => {
      query.append("state", String(query.get("state")));
    }),
    altered((query) => {
      query.set("iss", "https://evil.example");
    }),
    altered((query) => {
      query.delete("iss");
    }),
  ];
  for (const url of wrong) {
    const visit = await browser.get(url, { follow: false });
    expect(visit.status).toBe(400);
    expect(visit.text).toContain('href="/console/sign-in?continue=%2Fconsole%2Fusers"');
  }
  expect(consoleIn(api, browser).cookie()).toBeUndefined();
  // None of these callbacks used up the attempt: the right response still opens the console.
  expect(await browser.get(callback, { follow: false })).toMatchObject({ status: 303 });

  const again = await browserOf(user);
  const url = new URL(await beforeCallback(again));
  url.searchParams.delete("code");
  expect(await again.get(url.href, { follow: false })).toMatchObject({ status: 400 });
  expect(consoleIn(api, again).cookie()).toBeUndefined();
});

test("a callback is refused in a browser that did not start the sign-in", async () => {
  const callback = await beforeCallback(await browserOf(await admin()));
  for (const other of [await browserOf(), await browserOf(await admin())]) {
    const visit = await other.get(callback, { follow: false });
    expect(visit.status).toBe(400);
    expect(consoleIn(api, other).cookie()).toBeUndefined();
  }
  // The callback does not match a stranger's own attempt either.
  const stranger = await browserOf(await admin());
  await beforeCallback(stranger);
  expect(await stranger.get(callback, { follow: false })).toMatchObject({ status: 400 });
});

test("a callback opens the console once; a replay with the kept cookie ends the whole sign-in", async () => {
  const user = await admin();
  const browser = await browserOf(user);
  const callback = await beforeCallback(browser);
  const kept = new Map(browser.cookies);
  await browser.get(callback, { follow: false });
  expect(await browser.get(callback, { follow: false })).toMatchObject({ status: 400 });
  expect(await consoleIn(api, browser).send("GET", "/console/session")).toMatchObject({ status: 200 });

  const thief = await browserOf();
  for (const [name, value] of kept) thief.cookies.set(name, value);
  expect(await thief.get(callback, { follow: false })).toMatchObject({ status: 400 });
  expect(consoleIn(api, thief).cookie()).toBeUndefined();
  expect(await consoleIn(api, browser).send("GET", "/console/session")).toBeError("unauthenticated");
  expect(await sessionsOf(user)).toEqual([]);
});

test("a sign-in attempt that is too old, forged or in another release's format is refused", async () => {
  const browser = await browserOf(await admin());
  const callback = await beforeCallback(browser);
  const name = `${new URL(api.url).host} realmpass-console-sign-in`;
  const sealed = Buffer.from(browser.cookies.get(name) ?? "", "base64url");
  const key = masterKeys(api.masterKey);
  const attempt = JSON.parse(openUnderMasterKey(key, sealed, "cookie console-sign-in").toString("utf8"));
  const aged = { ...attempt, expiresAt: systemClock.now().getTime() - 1 };
  const others = [
    sealUnderMasterKey(key, Buffer.from(JSON.stringify(aged)), "cookie console-sign-in"),
    sealUnderMasterKey(key, Buffer.from(JSON.stringify(attempt)), "something else"),
    sealUnderMasterKey(masterKeys("A".repeat(43)), Buffer.from(JSON.stringify(attempt)), "cookie console-sign-in"),
    sealUnderMasterKey(key, Buffer.from(JSON.stringify({ ...attempt, state: 1 })), "cookie console-sign-in"),
    sealUnderMasterKey(key, Buffer.from("another encoding"), "cookie console-sign-in"),
    sealed.subarray(1),
    Buffer.alloc(400),
    Buffer.alloc(3_000),
  ];
  for (const other of others) {
    browser.cookies.set(name, other.toString("base64url"));
    expect(await browser.get(callback, { follow: false })).toMatchObject({ status: 400 });
  }
  browser.cookies.set(name, sealed.toString("base64url"));
  expect(await browser.get(callback, { follow: false })).toMatchObject({ status: 303 });
});

test("a second sign-in in the same browser replaces the first", async () => {
  const user = await admin();
  const { browser, cookie, send } = await openConsole(api, user);
  const first = cookie();
  await browser.get(`${api.url}/console/sign-in`);
  expect(cookie()).not.toBe(first);
  expect(await send("GET", "/console/session")).toMatchObject({ status: 200 });
  expect(await sessionsOf(user)).toHaveLength(1);
});

test("a second sign-in whose session ends before the console opens leaves the first sign-in unchanged", async () => {
  const { browser, cookie, send } = await openConsole(api, await admin());
  const first = cookie();
  sessionEndsMeanwhile = true;
  try {
    expect(await browser.get(`${api.url}/console/sign-in`)).toMatchObject({ status: 400 });
  } finally {
    sessionEndsMeanwhile = false;
  }
  expect(cookie()).toBe(first);
  expect(await send("GET", "/console/session")).toMatchObject({ status: 200 });
});

test("the database contains neither the cookie nor the tokens in readable form", async () => {
  const user = await admin();
  const { cookie } = await openConsole(api, user);
  const [row] = await database.owner.query<{ hash: Buffer; sealed: Buffer; text: string }>(sql`
    select token_hash as hash, sealed_tokens as sealed, c::text as text from console_sessions c where user_id = ${user.id}
  `);
  expect(row?.hash).toEqual(
    createHash("sha256")
      .update(cookie() ?? "")
      .digest(),
  );
  expect(row?.text).not.toContain(cookie());
  for (const readable of ["rpr_", "eyJ", "accessToken"]) expect(row?.sealed.toString("latin1")).not.toContain(readable);
});

test("the console is a client of each realm, needs no consent, and follows the service's address", async () => {
  const user = await admin();
  await openConsole(api, user);
  const read = () =>
    database.owner.query(sql`
      select type, active, redirect_uri as "redirectUri", use_client_secret as "useClientSecret",
             require_pkce as "requirePkce", first_party as "firstParty", scopes
        from applications where client_id = ${`console-${api.realmId}`}
    `);
  const right = {
    type: "useragent",
    active: true,
    redirectUri: `${api.url}/console/callback`,
    useClientSecret: false,
    requirePkce: true,
    firstParty: true,
    scopes: allScopes,
  };
  expect(await read()).toEqual([right]);
  await database.owner.query(sql`
    update applications set redirect_uri = 'https://old.example/console/callback', scopes = '{openid}'
     where client_id = ${`console-${api.realmId}`}
  `);
  expect((await openConsole(api, user)).visit.url).toBe(`${api.url}/console`);
  expect(await read()).toEqual([right]);

  const elsewhere = await given.realm();
  const { send } = await openConsole(api, await admin(elsewhere));
  expect((await send("GET", "/console/api/sessions")).body.data).toMatchObject([
    { client_id: `console-${elsewhere}`, clientName: "Administration console" },
  ]);
});

test("administrators cannot list, change or delete the console's client", async () => {
  const realmId = await given.realm();
  await openConsole(api, await admin(realmId));
  const who = api.as.admin({ realmId });
  // Only the administrator's own client is in the list.
  expect((await who.get("/api/applications")).body).toMatchObject({ total: 1 });
  expect((await who.get("/api/applications?search=console")).body).toMatchObject({ total: 0, data: [] });
  const path = `/api/applications/console-${realmId}`;
  expect(await who.get(path)).toBeError("application_not_found");
  expect(await who.put(path, { active: false })).toBeError("application_not_found");
  expect(await who.post(`${path}/secret`, {})).toBeError("application_not_found");
  expect(await who.delete(path)).toBeError("application_not_found");
});

test.each([
  ["/console/sign-in", "GET"],
  ["/console/callback", "GET"],
  ["/console", "GET, HEAD"],
  ["/console/users", "GET, HEAD"],
])("%s, which browsers visit, accepts only %s", async (path, allow) => {
  expect(await sendRequest(`${api.url}${path}`, "POST", {})).toMatchObject({ status: 405, headers: { allow } });
});
