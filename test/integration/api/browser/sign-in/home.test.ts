import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { useApi } from "../../../../support/service/api.ts";
import { createBrowserSession, type BrowserSession } from "../../../../support/browser/browser-session.ts";
import { givenLocalAccount, testPassword, type LocalAccount } from "../../../../support/given/local-account.ts";

const api = useApi();
const { given } = api;

let mia: LocalAccount;
let grace: LocalAccount;
let realmName = "";
beforeAll(async () => {
  mia = await givenLocalAccount(api, { username: "mia" });
  grace = await givenLocalAccount(api, { username: "grace", administrator: true });
  // A second realm that people can sign in to: a visitor without a realm has to choose.
  await givenLocalAccount(api, { username: "leo", realmId: await given.realm() });
  realmName = (await realms.findById(api.database.owner, api.realmId))?.name ?? "";
});

const browse = (): BrowserSession => createBrowserSession(() => []);
const inBrowser = async (account: LocalAccount): Promise<BrowserSession> => {
  const browser = browse();
  browser.cookies.set(`${new URL(api.url).host} realmpass-login`, await given.login(account));
  return browser;
};
const visit = (browser: BrowserSession, path: string) => browser.get(`${api.url}${path}`, { follow: false });
const locationOf = async (browser: BrowserSession, path: string): Promise<string | undefined> => {
  const { status, headers } = await visit(browser, path);
  expect(status).toBe(303);
  return headers.location;
};
const continueTo = (path: string): string => `continue=${encodeURIComponent(path)}`;
/** Returns where a user is redirected after signing in with name and password on the way to `path`. */
const signIn = async ({ username }: LocalAccount, path?: string): Promise<string | undefined> => {
  const browser = browse();
  const form = await visit(browser, `/login?realm=${realmName}${path === undefined ? "" : `&${continueTo(path)}`}`);
  const answer = await browser.submit(form, { username, password: testPassword }, { follow: false });
  expect(answer.status).toBe(303);
  return answer.headers.location;
};

test("the bare address sends administrators to the console and all others to their devices", async () => {
  expect(await locationOf(browse(), "/")).toBe("/me");
  expect(await locationOf(await inBrowser(mia), "/")).toBe("/me");
  expect(await locationOf(await inBrowser(grace), "/")).toBe("/console");
  expect((await browse().post(`${api.url}/`, {}, { follow: false })).status).toBe(405);
});

test("signing in without a target, by password or by link, sends administrators to the console and all others to their devices", async () => {
  expect(await signIn(mia)).toBe("/me");
  expect(await signIn(grace)).toBe("/console");
  for (const [account, home] of [
    [mia, "/me"],
    [grace, "/console"],
  ] as const) {
    const browser = browse();
    const page = await visit(browser, `/sign-in/${await given.signInLink(account)}`);
    expect((await browser.submit(page, {}, { follow: false })).headers.location).toBe(home);
  }
});

test.each([
  "/me",
  "/me?x=%2F",
  "/me/",
  "/me/devices/new",
  "/me/devices/1234567890/revoke?again=1",
  "/me/hand-overs/7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11/file/iphone.mobileconfig",
  "/console/sign-in",
  "/console/sign-in?continue=%2Fconsole%2Fusers",
])("signing in redirects to %j, and a signed-in user is redirected there immediately", async (path) => {
  expect(await signIn(mia, path)).toBe(path);
  expect(await locationOf(await inBrowser(mia), `/login?${continueTo(path)}`)).toBe(path);
});

test.each([
  "/mes",
  "/me//evil.example",
  "/me/../login/end",
  "/me/./x",
  "/me/%2e%2e/login/end",
  "/me/..%2f..",
  "/me/\\evil.example",
  "/me\\..",
  "/me/ä",
  "/me/\r\nSet-Cookie: a=b",
  "/me#x",
  "//me",
  "https://evil.example/me",
  "/console",
  "/console/users",
  "/console/api/user",
  "/console/callback?code=x&state=y",
  "/console/sign-in/x",
  "/console/sign-in//evil.example",
  "/console/sign-out",
])("signing in does not redirect to %j", async (path) => {
  expect(await signIn(mia, path)).toBe("/me");
});

test("a visitor who wants to see their devices chooses their realm among several", async () => {
  const page = await visit(browse(), `/login?${continueTo("/me/devices/new")}`);
  expect(page).toMatchObject({ status: 200 });
  expect(page.text).toContain("Where do you belong?");
  expect(page.text).toContain(`href="/login?continue=%2Fme%2Fdevices%2Fnew&amp;realm=${realmName}"`);
});

test("a user who must sign in again, or to another realm, is not redirected immediately", async () => {
  const browser = await inBrowser(mia);
  const again = await visit(browser, `/login?again=true&realm=${realmName}&${continueTo("/me")}`);
  expect(again).toMatchObject({ status: 200 });
  expect(again.text).toContain('name="password"');
  const { realmId } = await givenLocalAccount(api, { username: "eve", realmId: await given.realm() });
  const elsewhere = (await realms.findById(api.database.owner, realmId))?.name ?? "";
  const other = await visit(browser, `/login?realm=${elsewhere}&${continueTo("/me")}`);
  expect(other).toMatchObject({ status: 200 });
  expect(other.text).toContain('name="password"');
});

test("the page for a signed-in user links to their devices, and for administrators to the console", async () => {
  const links = async (account: LocalAccount): Promise<string[]> =>
    [
      ...(await visit(await inBrowser(account), "/login")).text.matchAll(
        /<a class="button[^"]*" href="([^"]*)">([^<]*)/g,
      ),
    ].map(([, href = "", name = ""]) => `${name}: ${href}`);
  const notYou = "Not you? Switch account: /login?again=true";
  expect(await links(mia)).toEqual(["My devices: /me", notYou]);
  expect(await links(grace)).toEqual(["My devices: /me", "Administration: /console", notYou]);
});
