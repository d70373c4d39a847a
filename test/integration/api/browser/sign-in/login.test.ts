import { randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { pino } from "pino";
import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import {
  createBrowserSession,
  formsOf,
  type BrowserSession,
  type Visit,
} from "../../../../support/browser/browser-session.ts";
import { givenLocalAccount, testPassword, type LocalAccount } from "../../../../support/given/local-account.ts";

let logged = "";
const log = pino(
  { level: "debug" },
  new Writable({
    write(chunk: Buffer, _, done) {
      logged += chunk.toString();
      done();
    },
  }),
);
const api = useApi({ log });
const { given } = api;

const browse = (): BrowserSession => createBrowserSession(() => []);
const loginCookie = (browser: BrowserSession): string | undefined =>
  [...browser.cookies].find(([name]) => name.endsWith(" realmpass-login"))?.[1];
const unique = (): string => randomUUID().slice(0, 8);

/** Opens the form in a realm of the test's own, because attempts are counted per name. */
const open = (browser: BrowserSession, query = ""): Promise<Visit> =>
  browser.get(`${api.url}/login?realm=${realmName}&${query}`, { follow: false });
const signIn = async (browser: BrowserSession, username: string, password = testPassword, query = ""): Promise<Visit> =>
  browser.submit(await open(browser, query), { username, password }, { follow: false });

let realmName = "";
let ada: LocalAccount;
beforeAll(async () => {
  ada = await givenLocalAccount(api, { username: `ada-${unique()}` });
  realmName = (await realms.findById(api.database.owner, api.realmId))?.name ?? "";
});

const application = async (realmId = api.realmId) =>
  given.application({ realmId, type: "useragent", name: `Planner ${unique()} <b>&` });
const authorizePath = (clientId: string, extra = ""): string =>
  `/oauth/authorize?response_type=code&client_id=${clientId}&redirect_uri=https%3A%2F%2Fclient.example%2Fback${extra}`;
const withContinue = (path: string): string => `continue=${encodeURIComponent(path)}`;

/** Returns a page without the parts that differ each time. */
const stable = ({ status, text }: Visit): string => `${status} ${text.replace(/name="form_token" value="[^"]*"/g, "")}`;

test("the right name and password set a new cookie for all pages and redirect", async () => {
  const { clientId } = await application();
  const browser = browse();
  const path = authorizePath(clientId, "&state=a%26b");
  const answer = await signIn(browser, ada.username, testPassword, withContinue(path));
  expect(answer).toMatchObject({ status: 303, headers: { location: path, "cache-control": "no-store" } });
  expect(answer.headers["set-cookie"]).toEqual([
    expect.stringMatching(/^realmpass-login=rpb_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);

  const before = loginCookie(browser);
  await signIn(browser, ada.username, testPassword, "again=true");
  expect(loginCookie(browser)).not.toBe(before);
  const rows = await api.database.owner.query(sql`
    select properties->>'method' as method from audit_entries where event = 'user_login' and user_id = ${ada.id}
  `);
  expect(rows).toEqual([{ method: "local" }, { method: "local" }]);
});

test("the sign-in page requests the device's model from the browser", async () => {
  const page = await open(browse());
  expect(page.headers["accept-ch"]).toBe("Sec-CH-UA-Model");
  // Control: a page on which nobody signs in.
  expect((await browse().get(`${api.url}/login/end`)).headers["accept-ch"]).toBeUndefined();
});

test("user names are case-insensitive", async () => {
  expect(await signIn(browse(), ada.username.toUpperCase())).toMatchObject({
    status: 303,
    headers: { location: "/me" },
  });
});

test("a user name can contain decomposed letters", async () => {
  const { username } = await givenLocalAccount(api, { username: `j\u00e4ger-${unique()}` });
  const spelled = username.normalize("NFD");
  expect(spelled).not.toBe(username);
  expect(await signIn(browse(), spelled.toUpperCase())).toMatchObject({ status: 303, headers: { location: "/me" } });
});

test("every failed sign-in gets the same page, whatever was wrong", async () => {
  const linksOnly = await givenLocalAccount(api, { username: `links-${unique()}`, password: false });
  const gone = await givenLocalAccount(api, { username: `gone-${unique()}`, offboardedAt: new Date(0) });
  const stranger = await givenLocalAccount(api, { username: `far-${unique()}`, realmId: await given.realm() });
  const cases: [string, string][] = [
    [ada.username, "wrong"],
    [ada.username, `${testPassword} `],
    [ada.username, "x".repeat(1025)],
    [ada.username, ""],
    [`nobody-${unique()}`, testPassword],
    [linksOnly.username, ""],
    [linksOnly.username, testPassword],
    [gone.username, "wrong"],
    [stranger.username, testPassword],
    ["x".repeat(5_000), testPassword],
    ["", ""],
  ];
  const pages = new Set<string>();
  for (const [username, password] of cases) {
    const browser = browse();
    const page = await signIn(browser, username, password);
    expect(page.status).toBe(400);
    expect(loginCookie(browser)).toBeUndefined();
    pages.add(stable(page).replaceAll(`value="${username}"`, 'value=""'));
  }
  expect(pages.size).toBe(1);
});

test("a failed sign-in keeps the name, never the password, and focuses the error, which describes both fields", async () => {
  const username = `"><script>${unique()}`;
  const { text } = await signIn(browse(), username, "secret-of-mine");
  expect(text).toContain(`value="&quot;&gt;&lt;script&gt;`);
  expect(text).not.toContain("<script>");
  expect(text).not.toContain("secret-of-mine");
  expect(text).toMatch(/<p class="alert" id="refused" role="alert" tabindex="-1" autofocus="">/);
  expect(text.match(/aria-describedby="refused"/g)).toHaveLength(2);
});

test("an offboarded user is not signed in, and sees that access has ended only with the right password", async () => {
  const gone = await givenLocalAccount(api, { username: `gone-${unique()}`, offboardedAt: new Date(0) });
  const browser = browse();
  const page = await signIn(browser, gone.username);
  expect(page).toMatchObject({ status: 403 });
  expect(page.text).toContain("Your access ended");
  expect(loginCookie(browser)).toBeUndefined();
});

test.each([
  ["en", /Your devices stay on the network until <time [^>]+>\d+ \w+ \d{4}.*\d\d:\d\d \S+<\/time>\./],
  ["de", /Ihre Geräte bleiben im Netz bis zum <time [^>]+>\d+\. \S+ \d{4}.*\d\d:\d\d \S+<\/time>\./],
])(
  "during a grace period the page shows until when the user's devices stay on, if there are any: %s",
  async (language, sentence) => {
    const [gone, bare] = [
      await givenLocalAccount(api, { username: `grace-${unique()}` }),
      await givenLocalAccount(api, { username: `bare-${unique()}` }),
    ];
    await given.profile(gone);
    const admin = api.as.admin();
    for (const { id } of [gone, bare]) await admin.delete(`/api/user/${id}`, { graceDays: 7 });
    const pageOf = async ({ username }: LocalAccount): Promise<Visit> =>
      signIn(browse(), username, testPassword, `lang=${language}`);

    expect(await pageOf(gone)).toMatchObject({ status: 403, text: expect.stringMatching(sentence) });
    expect((await pageOf(bare)).text).not.toMatch(sentence);
    await api.database.owner.query(sql`
    update jobs set revoke_at = now() where id = (select offboarding_job_id from users where id = ${gone.id})
  `);
    expect(await pageOf(gone)).toMatchObject({ status: 403, text: expect.not.stringMatching(sentence) });
    await admin.delete(`/api/user/${gone.id}`);
    expect((await pageOf(gone)).text).not.toMatch(sentence);
  },
);

test("a locked user can sign in", async () => {
  const locked = await givenLocalAccount(api, { username: `locked-${unique()}`, lockedAt: new Date(0) });
  expect(await signIn(browse(), locked.username)).toMatchObject({ status: 303 });
});

test.each([
  ["without a token", { form_token: "" }, {}],
  ["with another browser's token", { form_token: "A".repeat(43) }, {}],
  ["from another site, by its Sec-Fetch-Site", {}, { "sec-fetch-site": "cross-site" }],
  ["from a sibling site, by its Sec-Fetch-Site", {}, { "sec-fetch-site": "same-site" }],
  ["from another origin", {}, { origin: "https://evil.example" }],
])("a form %s does not sign in", async (_, fields, headers) => {
  const browser = browse();
  const [form] = formsOf(await open(browser));
  const all = { ...form!.fields, username: ada.username, password: testPassword, ...fields };
  const page = await browser.post(form!.action, all, { follow: false, headers });
  expect(page).toMatchObject({ status: 403 });
  expect(page.text).toContain(`href="/login?realm=${realmName}"`);
  expect(loginCookie(browser)).toBeUndefined();
});

test("a form with the origin null, which the service's own pages send, is accepted if it is same-origin", async () => {
  const browser = browse();
  const [form] = formsOf(await open(browser));
  const all = { ...form!.fields, username: ada.username, password: testPassword };
  const headers = { origin: "null", "sec-fetch-site": "same-origin" };
  expect(await browser.post(form!.action, all, { follow: false, headers })).toMatchObject({ status: 303 });
});

test.each([
  "https://evil.example/oauth/authorize?x",
  "//evil.example/oauth/authorize?x",
  "/\\evil.example/oauth/authorize?",
  "/oauth/authorize",
  "/oauth/authorize?\r\nSet-Cookie: a=b",
  "/oauth/authorize?ä",
  "/oauth/authorize/../../evil?",
  "/login",
  "javascript:alert(1)",
  "",
])("signing in does not redirect to %j", async (target) => {
  const browser = browse();
  const page = await open(browser, withContinue(target));
  expect(page.status).toBe(200);
  expect(page.text).not.toContain("evil");
  const answer = await browser.submit(
    page,
    { username: ada.username, password: testPassword, continue: target },
    { follow: false },
  );
  expect(answer).toMatchObject({ status: 303, headers: { location: "/me" } });
});

test("the page names the application to sign in to, and the user signs in to that application's realm", async () => {
  const realmId = await given.realm();
  const bob = await givenLocalAccount(api, { realmId, username: ada.username });
  const { clientId } = await application(realmId);
  const browser = browse();
  const page = await open(browser, withContinue(authorizePath(clientId)));
  expect(page.text).toMatch(/to continue to <strong class="name">Planner \w+ &lt;b&gt;&amp;<\/strong>/);
  expect(page.text).not.toContain("client.example/back&quot;");
  await browser.submit(page, { username: bob.username, password: testPassword }, { follow: false });
  const [login] = await api.database.owner.query(
    sql`select user_id as "userId" from logins order by signed_in_at desc limit 1`,
  );
  expect(login).toEqual({ userId: bob.id });
});

test("the page shows where the sign-in continues, and that a session has ended, in both languages", async () => {
  const { clientId } = await application();
  const expired = browse();
  await signIn(expired, ada.username);
  const host = new URL(api.url).host;
  const ended = { en: "Your session has ended.", de: "Ihre Sitzung ist abgelaufen." };

  // Control: the session is still valid.
  expect(await open(expired, withContinue("/me"))).toMatchObject({ status: 303 });
  const control = await open(expired, `again=true&${withContinue("/me")}`);
  expect(control.text).toContain("to set up and manage your devices");
  expect(control.text).not.toContain(ended.en);

  await api.database.owner.query(sql`update logins set expires_at = now() where user_id = ${ada.id}`);
  expect(expired.cookies.get(`${host} realmpass-login`)).toBeDefined();
  const console = await open(expired, withContinue("/console/sign-in?continue=/console/users"));
  expect(console.text).toContain("to administer the realm");
  expect(console.text).toContain(ended.en);
  const refused = await expired.submit(console, { username: ada.username, password: "wrong" }, { follow: false });
  expect(refused.text).toContain(ended.en);
  const german = await open(expired, `lang=de&${withContinue("/console/sign-in?continue=/console/users")}`);
  expect(german.text).toContain("weiter zur Verwaltung");
  expect(german.text).toContain(ended.de);
  const forApplication = await open(expired, `lang=en&${withContinue(authorizePath(clientId))}`);
  expect(forApplication.text).toContain("to continue to");
  expect(forApplication.text).toContain(ended.en);

  const first = await open(browse(), withContinue("/console/sign-in?continue=/console/users"));
  expect(first.text).toContain("to administer the realm");
  expect(first.text).not.toContain(ended.en);
});

test.each(["", "unknown", "a%00b", "x".repeat(5_000)])(
  "signing in for an unknown application is refused: %j",
  async (clientId) => {
    const page = await open(browse(), withContinue(authorizePath(clientId)));
    expect(page).toMatchObject({ status: 400 });
    expect(page.text).toContain("Unknown application");
  },
);

test("signing in for a switched-off application is refused", async () => {
  const { clientId } = await given.application({ realmId: api.realmId, type: "useragent", active: false });
  expect(await open(browse(), withContinue(authorizePath(clientId)))).toMatchObject({ status: 400 });
});

test("a signed-in user continues immediately if neither a new sign-in nor another realm is requested", async () => {
  const browser = browse();
  await signIn(browser, ada.username);
  const { clientId } = await application();
  const path = authorizePath(clientId);
  expect(await open(browser, withContinue(path))).toMatchObject({ status: 303, headers: { location: path } });
  expect((await open(browser, `again=true&${withContinue(path)}`)).text).toContain('name="password"');

  const realmId = await given.realm();
  await realms.update(api.database.owner, realmId, { localSignIn: true });
  const elsewhere = authorizePath((await application(realmId)).clientId);
  expect((await open(browser, withContinue(elsewhere))).text).toContain('name="password"');
});

test("without a target the page shows who is signed in; signing out needs the page's own form", async () => {
  const browser = browse();
  await signIn(browser, ada.username);
  const page = await browser.get(`${api.url}/login`, { follow: false });
  expect(page.text).toContain(ada.username);

  const [form] = formsOf(page);
  expect(await browser.post(form!.action, { form_token: "x" }, { follow: false })).toMatchObject({ status: 403 });
  expect((await browser.get(`${api.url}/login`)).text).toContain(ada.username);

  const cookie = loginCookie(browser)!;
  const out = await browser.submit(page, {}, { follow: false });
  expect(out).toMatchObject({ status: 303, headers: { location: `/login/ended?realm=${realmName}` } });
  expect((await browser.get(`${api.url}/login/ended`)).text).toContain("You are signed out");
  const stolen = browse();
  stolen.cookies.set(`${new URL(api.url).host} realmpass-login`, cookie);
  expect((await stolen.get(`${api.url}/login?realm=${realmName}`)).text).toContain('name="password"');
});

test("the page offers the realm's sign-in methods", async () => {
  const { owner } = api.database;
  const realmId = await given.realm();
  const { name } = (await realms.findById(owner, realmId))!;
  const at = (): Promise<Visit> => browse().get(`${api.url}/login?realm=${name}`, { follow: false });

  expect(await at()).toMatchObject({ status: 403 });

  await realms.update(owner, realmId, { upstreamIssuer: "https://idp.example", upstreamClientId: "realmpass" });
  expect(await at()).toMatchObject({ status: 303, headers: { location: `/login/upstream?realm=${name}` } });
  const { clientId } = await application(realmId);
  const path = authorizePath(clientId);
  expect((await browse().get(`${api.url}/login?${withContinue(path)}`, { follow: false })).headers.location).toBe(
    `/login/upstream?${new URLSearchParams({ continue: path, realm: name }).toString()}`,
  );

  await realms.update(owner, realmId, { localSignIn: true });
  const both = await at();
  expect(both.text).toContain(`href="/login/upstream?realm=${name}"`);
  expect(both.text).toContain('name="password"');
});

test("an identity provider with only one of its two settings is never offered", async () => {
  const { owner } = api.database;
  const realmId = await given.realm();
  const { name, displayName } = await realms.update(owner, realmId, { displayName: "Half Way Institute" });
  const ways = async () => ({
    alone: (await browse().get(`${api.url}/login?realm=${name}`, { follow: false })).status,
    isOffered: (await browse().get(`${api.url}/login`)).text.includes(displayName),
  });
  const halves = [{ upstreamIssuer: "https://idp.example" }, { upstreamClientId: "realmpass" }];
  for (const [half, other] of [halves, halves.toReversed()]) {
    await realms.update(owner, realmId, { upstreamIssuer: null, upstreamClientId: null, localSignIn: false, ...half });
    expect(await ways()).toEqual({ alone: 403, isOffered: false });
    await realms.update(owner, realmId, { localSignIn: true });
    const page = await browse().get(`${api.url}/login?realm=${name}`);
    expect(page.text).toContain('name="password"');
    expect(page.text).not.toContain("/login/upstream");
    await realms.update(owner, realmId, { localSignIn: false, ...other });
    expect(await ways()).toEqual({ alone: 303, isOffered: true });
  }
});

test("a realm without local sign-in accepts no password", async () => {
  const account = await givenLocalAccount(api, { realmId: await given.realm(), username: "eve" });
  const { name } = (await realms.findById(api.database.owner, account.realmId))!;
  const browser = browse();
  const page = await browser.get(`${api.url}/login?realm=${name}`);
  await realms.update(api.database.owner, account.realmId, { localSignIn: false });
  const answer = await browser.submit(page, { username: "eve", password: testPassword }, { follow: false });
  expect(answer).toMatchObject({ status: 403 });
  expect(loginCookie(browser)).toBeUndefined();
});

test("if no realm is named, users choose among the realms that they can sign in to", async () => {
  const closed = (await realms.findById(api.database.owner, await given.realm()))!;
  for (const query of ["", "?realm=no-such-realm", "?realm=a&realm=b"]) {
    const { status, text } = await browse().get(`${api.url}/login${query}`);
    expect(status).toBe(200);
    expect(text).toContain(`href="/login?realm=${realmName}"`);
    expect(text).not.toContain(closed.name);
  }
});

test("after ten wrong passwords, sign-in with a name must wait, even with the right password; other names are not affected", async () => {
  const account = await givenLocalAccount(api, { username: `guessed-${unique()}` });
  for (let right = 0; right < 12; right++)
    expect(await signIn(browse(), account.username)).toMatchObject({ status: 303 });
  for (let wrong = 0; wrong < 10; wrong++) {
    expect(await signIn(browse(), account.username, "wrong")).toMatchObject({ status: 400 });
  }
  const page = await signIn(browse(), account.username);
  expect(page).toMatchObject({ status: 429 });
  const seconds = Number(page.headers["retry-after"]);
  expect(seconds).toBeGreaterThan(600);
  expect(page.text).toContain(`Please wait ${Math.ceil(seconds / 60)} minutes`);
  expect(page.text).toContain(account.username);
  expect(await signIn(browse(), ada.username)).toMatchObject({ status: 303 });
});

test("the limit of ten wrong passwords covers all spellings of a name, whether or not the account exists", async () => {
  const outcomes = async (rest: string): Promise<number[]> => {
    const statuses: number[] = [];
    // The Kelvin sign folds to k, and the database folds a capital I with a dot to i.
    for (const k of ["k", "K", "\u212a"])
      for (const i of ["i", "I", "\u0130", "i\u0130", "\u0130i"])
        statuses.push((await signIn(browse(), `${k}${i.padStart(2, i)}${rest}`, "wrong")).status);
    return statuses;
  };
  const account = await givenLocalAccount(api, { username: `kii-${unique()}` });

  const ofAccount = await outcomes(account.username.slice(3));
  const ofNobody = await outcomes(`-${unique()}`);

  expect(ofAccount).toEqual([...Array<number>(10).fill(400), ...Array<number>(5).fill(429)]);
  expect(ofNobody).toEqual(ofAccount);
});

test.each([
  ["HEAD", "/login", 200],
  ["HEAD", "/login/end", 405],
  ["PUT", "/login", 405],
  ["GET", "/login/end", 405],
  ["POST", "/login/ended", 405],
  ["GET", "/login?continue=%", 400],
  ["GET", "/login?continue=%00", 400],
  ["GET", "/login?lang=%00", 400],
  ["GET", `/login?realm=${"x".repeat(5_000)}`, 200],
  ["GET", "/login?__proto__=x&constructor=y", 200],
  ["GET", "/login?continue=a&continue=b&lang=de&lang=en", 200],
])("%s %s shows a page", async (method, path, status) => {
  const answer = await api.as.nobody().send(method, path);
  expect(answer).toMatchObject({ status, headers: { "content-type": "text/html; charset=utf-8" } });
});

test.each([
  ["no form at all", "", "text/plain"],
  ["JSON", "{}", "application/json"],
  ["a field twice", "username=a&username=b", "application/x-www-form-urlencoded"],
  ["NUL", "username=%00", "application/x-www-form-urlencoded"],
  ["bytes that are no text", "username=%ff", "application/x-www-form-urlencoded"],
])("a form with %s is refused with a page", async (_, raw, type) => {
  const answer = await api.as.nobody().send("POST", "/login", { raw, headers: { "content-type": type } });
  expect(answer).toMatchObject({ status: 400, headers: { "content-type": "text/html; charset=utf-8" } });
});

test("no log line has a name, a password, a cookie or a redirect target", async () => {
  const browser = browse();
  const { clientId } = await application();
  await signIn(browser, ada.username, "wrong-and-secret", withContinue(authorizePath(clientId, "&state=secret-state")));
  await signIn(browser, ada.username);
  expect(logged).toContain("sign_in.refused");
  for (const secret of [ada.username, "wrong-and-secret", testPassword, loginCookie(browser)!, "secret-state"]) {
    expect(logged).not.toContain(secret);
  }
});
