import { expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { createBrowserSession, type BrowserSession } from "../../../../support/browser/browser-session.ts";
import { givenLocalAccount, testPassword, type LocalAccount } from "../../../../support/given/local-account.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const owner = () => api.database.owner;

let names = 0;
const account = (options: Partial<Parameters<typeof givenLocalAccount>[1]> = {}): Promise<LocalAccount> =>
  givenLocalAccount(api, { username: `ada.${(names += 1)}`, administrator: true, password: false, ...options });

/** Signs a user in with a link, in a new browser; returns where the link led. */
async function followLink(user: LocalAccount): Promise<{ browser: BrowserSession; location: string | undefined }> {
  const browser = createBrowserSession(() => []);
  const page = await browser.get(`${api.url}/sign-in/${await api.given.signInLink(user)}`);
  const { headers } = await browser.submit(page, {}, { follow: false });
  return { browser, location: headers.location };
}

const set = async (browser: BrowserSession, password: string, repeated = password) =>
  browser.submit(await browser.get(`${api.url}/login/password`), { password, repeated }, { follow: false });

const hashOf = async ({ id }: LocalAccount): Promise<string | null> => {
  const [row] = await owner().query<{ hash: string | null }>(
    sql`select password_hash as hash from local_credentials where user_id = ${id}`,
  );
  return row?.hash ?? null;
};

/** Signs in with a name and a password; returns the status of the response. */
async function signIn({ username }: LocalAccount, password: string): Promise<number> {
  const browser = createBrowserSession(() => []);
  const page = await browser.get(`${api.url}/login`);
  return (await browser.submit(page, { username, password }, { follow: false })).status;
}

test("a link leads a user without a password to the page that sets one, and the password then signs them in", async () => {
  const user = await account();
  const { browser, location } = await followLink(user);
  expect(location).toBe("/login/password");

  expect(await set(browser, testPassword)).toMatchObject({ status: 303, headers: { location: "/console" } });

  expect(await hashOf(user)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await signIn(user, testPassword)).toBe(303);
  expect(await signIn(user, "another password")).toBe(400);
  const entries = await owner().query(
    sql`select event, properties from audit_entries where user_id = ${user.id} and event = 'user_password_set'`,
  );
  expect(entries).toEqual([{ event: "user_password_set", properties: { userID: user.id } }]);
});

test.each([
  ["a short one", "eleven char", "eleven char", "at least 12 characters"],
  ["one that is too long", "x".repeat(1_025), "x".repeat(1_025), "too long"],
  ["two that differ", testPassword, `${testPassword}.`, "differ"],
])("%s is refused, and no password is set", async (_, password, repeated, message) => {
  const user = await account();
  const { browser } = await followLink(user);
  const answer = await set(browser, password, repeated);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(message);
  expect(await hashOf(user)).toBeNull();
  expect(await set(browser, testPassword)).toMatchObject({ status: 303 });
});

test("the page never replaces a password, even if it was opened before the password was set", async () => {
  const user = await account();
  const { browser } = await followLink(user);
  const page = await browser.get(`${api.url}/login/password`);
  await set(browser, testPassword);
  const first = await hashOf(user);

  const fields = { password: "another long password", repeated: "another long password" };
  expect(await browser.submit(page, fields, { follow: false })).toMatchObject({
    status: 303,
    headers: { location: "/" },
  });

  expect(await hashOf(user)).toBe(first);
});

test("the API's database role can replace no password, and sets one only for a user who has used a link", async () => {
  const attempt = (user: LocalAccount) =>
    api.database.open("realmpass_api").query(sql`
      update local_credentials set password_hash = 'x' where user_id = ${user.id} returning user_id
    `);
  const linked = await account();
  await followLink(linked);
  expect(await attempt(linked)).toHaveLength(1);
  await expect(attempt(linked)).rejects.toThrow("only the operator");
  await expect(attempt(await account())).rejects.toThrow("only the operator");
  const unused = await account();
  await api.given.signInLink(unused);
  await expect(attempt(unused)).rejects.toThrow("only the operator");
});

test("only one of two concurrent requests sets the password", async () => {
  const user = await account();
  const { browser } = await followLink(user);
  const page = await browser.get(`${api.url}/login/password`);
  await Promise.all(
    ["first long password", "second long password"].map((password) =>
      browser.submit(page, { password, repeated: password }, { follow: false }),
    ),
  );
  const entries = await owner().query(
    sql`select from audit_entries where user_id = ${user.id} and event = 'user_password_set'`,
  );
  expect(entries).toHaveLength(1);
});

test("only the page's own form sets a password, in a browser that a link signed in", async () => {
  const user = await account();
  const fields = { password: testPassword, repeated: testPassword };
  const stranger = createBrowserSession(() => []);
  expect((await stranger.get(`${api.url}/login/password`, { follow: false })).headers.location).toBe("/");
  expect(await stranger.post(`${api.url}/login/password`, fields, { follow: false })).toMatchObject({ status: 403 });

  const { browser } = await followLink(user);
  expect(await browser.post(`${api.url}/login/password`, fields, { follow: false })).toMatchObject({ status: 403 });
  expect(await hashOf(user)).toBeNull();
  await owner().query(sql`update logins set method = 'upstream' where user_id = ${user.id}`);
  expect((await browser.get(`${api.url}/login/password`, { follow: false })).headers.location).toBe("/");
});

test("a link leads home if the user has a password or no local account, or the realm has no local sign-in", async () => {
  expect((await followLink(await account({ password: true }))).location).toBe("/console");
  const user = await api.given.user({ realmId: api.realmId, administrator: true });
  expect((await followLink({ ...user, username: "none" })).location).toBe("/console");
  const realmId = await api.given.realm();
  const elsewhere = await account({ realmId });
  await realms.update(owner(), realmId, { localSignIn: false });
  expect((await followLink(elsewhere)).location).toBe("/console");
});

test("signing out asks for confirmation if the user could not sign in again, and offers to set a password", async () => {
  const user = await account();
  const { browser } = await followLink(user);
  const signOut = async () => browser.submit(await browser.get(`${api.url}/login`), {}, { follow: false });

  const question = await signOut();
  expect(question).toMatchObject({ status: 200 });
  expect(question.text).toContain('href="/login/password"');
  expect((await browser.get(`${api.url}/login`)).text).toContain(user.username);

  expect(await browser.submit(question, {}, { follow: false })).toMatchObject({ status: 303 });
  expect((await browser.get(`${api.url}/login`)).text).not.toContain(user.username);
});

test("signing out asks for no confirmation if the user has a password or signed in through the provider", async () => {
  const user = await account();
  const { browser } = await followLink(user);
  await set(browser, testPassword);
  expect(await browser.submit(await browser.get(`${api.url}/login`), {}, { follow: false })).toMatchObject({
    status: 303,
  });

  const issuer = "https://idp.campus.example";
  const realmId = await api.given.realm();
  const known = await account({ realmId });
  await realms.update(owner(), realmId, { upstreamIssuer: issuer, upstreamClientId: "realmpass" });
  await owner().query(sql`
    insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
    values (${realmId}, ${issuer}, '1', ${known.id}, now())
  `);
  const other = await followLink(known);
  const page = await other.browser.get(`${api.url}/login`);
  expect(await other.browser.submit(page, {}, { follow: false })).toMatchObject({ status: 303 });
});

test("signing out of the console asks for the same confirmation, and the sign-in lasts until the user answers", async () => {
  const user = await account();
  const { browser } = await followLink(user);
  const answer = await browser.post(
    `${api.url}/console/sign-out`,
    {},
    { follow: false, headers: { "sec-fetch-site": "same-origin", "x-realmpass-console": "1" } },
  );
  expect(JSON.parse(answer.text)).toEqual({ location: "/login/leave" });
  const question = await browser.get(`${api.url}/login/leave`);
  expect(question.text).toContain('name="sure"');
  expect(await browser.submit(question, {}, { follow: false })).toMatchObject({ status: 303 });
  expect((await browser.get(`${api.url}/login`)).text).not.toContain(user.username);
});
