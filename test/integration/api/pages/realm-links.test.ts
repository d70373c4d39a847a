import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../db/sql.ts";
import { useApi } from "../../../support/service/api.ts";
import type { Visit } from "../../../support/browser/browser-session.ts";
import { fromNow, type GivenUser } from "../../../support/given/given.ts";
import { givenLocalAccount, testPassword } from "../../../support/given/local-account.ts";
import { visitorOf } from "../browser/self-service/self-service-support.ts";

const api = useApi();
const { given } = api;

const help = "https://help.example/?a=1&b=2";
const helpOnPage = "https://help.example/?a=1&amp;b=2";
const privacy = "https://example.org/privacy";

let realmId = "";
let realmName = "";
let user: GivenUser;
let ended = 0;

beforeAll(async () => {
  ({ realmId } = api);
  const { owner } = api.database;
  await realms.update(owner, await given.realm(), { localSignIn: true });
  const realm = await realms.update(owner, realmId, { helpUri: help, privacyUri: privacy, displayName: "The North" });
  realmName = realm.name;
  user = await givenLocalAccount(api, { username: "ada" });
});

const footerOf = ({ text }: Visit): string => /<footer>(.*)<\/footer>/s.exec(text)![1]!;
const linksOf = (visit: Visit): string[] =>
  [...footerOf(visit).matchAll(/<a href="([^"]*)" rel="noopener">([^<]*)<\/a>/g)].map(
    ([, href, text]) => `${text} ${href}`,
  );
const headerOf = ({ text }: Visit): string => /<header>(.*?)<\/header>/s.exec(text)![1]!;

const english = [`Help desk ${helpOnPage}`, `Privacy ${privacy}`];
const german = [`Helpdesk ${helpOnPage}`, `Datenschutz ${privacy}`];

const post = async (path: string, fields: Record<string, string>, who?: GivenUser): Promise<Visit> => {
  const visitor = await visitorOf(api, who);
  return visitor.browser.post(`${api.url}${path}`, fields);
};
const get = async (path: string, who?: GivenUser): Promise<Visit> => (await visitorOf(api, who)).get(path);

const guest = async (expiresAt = fromNow(60_000)): Promise<string> => {
  const account = await given.guestAccount({ realmId, expiresAt });
  return `/guest/${account.token}`;
};

const pages: Record<string, () => Promise<Visit>> = {
  "sign in": () => get(`/login?realm=${realmName}`),
  "a wrong password": async () => {
    const visitor = await visitorOf(api);
    return visitor.send(await visitor.get(`/login?realm=${realmName}`), { username: "ada", password: "wrong" });
  },
  consent: async () => {
    const { clientId } = await given.application({ realmId, type: "useragent", redirectUri: "https://app.example/" });
    const redirect = encodeURIComponent("https://app.example/");
    return get(`/oauth/authorize?response_type=code&client_id=${clientId}&redirect_uri=${redirect}&state=s`, user);
  },
  "a signed-in user": () => get("/login", user),
  "a sign-in link": async () => get(`/sign-in/${await given.signInLink(user)}`),
  "signed out": async () => {
    const visitor = await visitorOf(api, user);
    const page = await visitor.get("/login");
    return visitor.browser.submit(page, {});
  },
  "a form that expired": () => post("/login", { realm: realmName, username: "ada", password: "x" }),
  "an account that ended": async () => {
    const visitor = await visitorOf(api);
    const username = `grace-${(ended += 1)}`;
    const { id } = await givenLocalAccount(api, { username });
    await api.database.owner.query(sql`update users set offboarded_at = now() where id = ${id}`);
    const page = await visitor.get(`/login?realm=${realmName}`);
    return visitor.send(page, { username, password: testPassword });
  },
  devices: () => get("/me", user),
  "a new device": () => get("/me/devices/new", user),
  "an unknown device": () => get("/me/devices/00", user),
  applications: () => get("/me/apps", user),
  "a guest": async () => get(await guest()),
  "an expired guest account": async () => get(await guest(fromNow(-60_000))),
};

test.each(Object.entries(pages))(
  "%s: the footer begins with the links to help and privacy, and the header names the realm",
  async (_, visit) => {
    const page = await visit();
    expect(linksOf(page)).toEqual(english);
    expect(footerOf(page)).toMatch(/^<a href="https:\/\/help\.example/);
    expect(headerOf(page)).toContain("The North");
  },
);

test("in German, the links for help and privacy have German labels", async () => {
  expect(linksOf(await get(`/login?realm=${realmName}&lang=de`))).toEqual(german);
  expect(linksOf(await get("/me?lang=de", user))).toEqual(german);
});

test("texts that mention the help desk link to it, in each language", async () => {
  const { text } = await pages["an account that ended"]!();
  expect(text).toContain(`Ask the <a class="help" href="${helpOnPage}" rel="noopener">help desk</a> if you think`);
  expect(text).toContain(`Fragen Sie den <a class="help" href="${helpOnPage}" rel="noopener">Helpdesk</a>, wenn`);
  expect(text).toContain(`tell your <a class="help" href="${helpOnPage}" rel="noopener">help desk</a>:`);

  const locked = await given.user({ realmId, lockedAt: fromNow(-1_000) });
  expect((await get("/me", locked)).text).toContain(
    `Ask your <a class="help" href="${helpOnPage}" rel="noopener">help desk</a>. Profiles`,
  );
});

test("an error page shows its time in the realm's time zone, and in UTC while the realm is unknown", async () => {
  await realms.update(api.database.owner, realmId, { timeZone: "Asia/Kolkata" });
  const timeOf = ({ text }: Visit): string => /<dd><time [^>]*>([^<]*)<\/time>/.exec(text)![1]!;
  expect(timeOf(await pages["an account that ended"]!())).toMatch(/:\d\d GMT\+5:30$/);
  expect(timeOf(await get("/oauth/authorize"))).toMatch(/:\d\d UTC$/);
});

test("the pages of a realm without help and privacy addresses have no links, and their texts are unchanged", async () => {
  const other = await given.realm();
  const locked = await given.user({ realmId: other, lockedAt: fromNow(-1_000) });
  const page = await get("/me", locked);
  expect(linksOf(page)).toEqual([]);
  expect(page.text).toContain("Ask your help desk. Profiles");
});

test.each(["/login", "/login/ended", "/login/ended?realm=nobody", "/login/ended?realm=%3Cscript%3E", "/d/unknown"])(
  "no links are shown while the realm is unknown: %s",
  async (path) => {
    const page = await get(path);
    expect(linksOf(page)).toEqual([]);
    expect(headerOf(page)).toContain("Realmpass");
  },
);

test("a revoked guest account's page does not reveal the realm", async () => {
  const account = await given.guestAccount({ realmId });
  await api.database.owner.query(sql`update guest_accounts set revoked_at = now() where id = ${account.id}`);
  const page = await get(`/guest/${account.token}`);
  expect(linksOf(page)).toEqual([]);
  expect(page.text).not.toContain("The North");
});
