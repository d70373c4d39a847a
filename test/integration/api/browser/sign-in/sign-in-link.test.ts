import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { sql, verbatim } from "../../../../../db/sql.ts";
import { sendRequest, useApi } from "../../../../support/service/api.ts";
import { createBrowserSession } from "../../../../support/browser/browser-session.ts";
import { givenLocalAccount } from "../../../../support/given/local-account.ts";

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

const open = (method: "GET" | "POST" | "PUT" | "HEAD", token: string) =>
  sendRequest(`${api.url}/sign-in/${token}`, method, {});
const link = async () => given.signInLink(await given.user({ realmId: api.realmId, administrator: true }));

/** Opens a link's page in a new browser. */
const follow = async (token: string) => {
  const browser = createBrowserSession(() => []);
  return { browser, page: await browser.get(`${api.url}/sign-in/${token}`) };
};
const press = async (token: string) => {
  const { browser, page } = await follow(token);
  return browser.submit(page, {}, { follow: false });
};

test("opening a link shows a button and does not use the link up; the button works once", async () => {
  const token = await link();
  const { page } = await follow(token);
  expect(page).toMatchObject({
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  });
  const visits = await Promise.all(Array.from({ length: 5 }, () => follow(token)));
  const answers = await Promise.all(visits.map((visit) => visit.browser.submit(visit.page, {}, { follow: false })));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410, 410, 410]);
  expect(await open("GET", token)).toMatchObject({ status: 410 });
});

test("the button names the user and signs them in, even if another user was signed in before", async () => {
  const grace = await givenLocalAccount(api, { username: "grace", administrator: true });
  const { browser, page } = await follow(await given.signInLink(grace));
  expect(page.text).toContain("grace");
  const answer = await browser.submit(page, {}, { follow: false });
  expect(answer).toMatchObject({ status: 303, headers: { location: "/console" } });
  expect((await browser.get(`${api.url}/login`)).text).toContain("grace");
  const entries = await api.database.owner.query(sql`
    select event, properties->>'method' as method from audit_entries where user_id = ${grace.id} and event like '%login'
  `);
  expect(entries).toEqual([{ event: "admin_login", method: "link" }]);
});

test("a sign-in that fails on the service's side leaves the link usable", async () => {
  const token = await link();
  const { owner } = api.database;
  await owner.query(verbatim("alter table logins add constraint away check (false) not valid"));
  const { browser, page } = await follow(token);
  expect((await browser.submit(page, {}, { follow: false })).status).toBe(500);
  await owner.query(verbatim("alter table logins drop constraint away"));
  expect(await press(token)).toMatchObject({ status: 303 });
  expect(await press(token).catch(() => "no form")).toBe("no form");
});

test("only the page's own form uses the link up", async () => {
  const token = await link();
  const { browser, page } = await follow(token);
  for (const [fields, headers] of [
    [{}, {}],
    [{ form_token: "x" }, {}],
  ] as const) {
    const answer = await browser.post(page.url, fields, { follow: false, headers });
    expect(answer).toMatchObject({ status: 403 });
    expect(answer.text).toContain(`href="/sign-in/${token}"`);
  }
  expect(await browser.submit(page, {}, { follow: false })).toMatchObject({ status: 303 });
});

test("expired, unknown and malformed links get the same calm page", async () => {
  const user = await given.user({ realmId: api.realmId });
  const old = await given.signInLink(user, { at: new Date("2026-01-01T00:00:00Z") });
  const pages = await Promise.all(
    [old, "rpl_nothing", "x".repeat(5000), "a%00b", "%3Cscript%3E"].map((token) => open("GET", token)),
  );
  const stable = (text: string) => text.replace(/<dl>.*?<\/dl>/gs, "");
  expect(new Set(pages.map(({ status, text }) => `${status}${stable(text)}`)).size).toBe(1);
  expect(pages[0]).toMatchObject({ status: 410 });
});

test("an offboarded user cannot sign in, even with the page already open", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { browser, page } = await follow(await given.signInLink(user));
  await api.database.owner.query(sql`update users set offboarded_at = now() where id = ${user.id}`);
  expect(await browser.submit(page, {}, { follow: false })).toMatchObject({ status: 410 });
  expect(await open("GET", await given.signInLink(user))).toMatchObject({ status: 410 });
});

test("the token is in no log line", async () => {
  const token = await link();
  await open("GET", token);
  await open("PUT", token);
  await press(token);
  expect(logged).toContain("/sign-in/:token");
  expect(logged).not.toContain(token);
});
