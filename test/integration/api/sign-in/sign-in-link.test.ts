import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { sendRequest, useApi } from "../../../support/api.ts";

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

test("following a link shows a button and uses nothing up; the button works once", async () => {
  const token = await link();
  for (let preview = 0; preview < 3; preview++) {
    const page = await open("GET", token);
    expect(page).toMatchObject({
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    });
    expect(page.text).toContain('<form method="post">');
  }
  const answers = await Promise.all(Array.from({ length: 5 }, () => open("POST", token)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410]);
  expect(await open("GET", token)).toMatchObject({ status: 410 });
});

test("the pages load nothing, run nothing and are framed by nobody", async () => {
  const { headers, text } = await open("GET", await link());
  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(headers["referrer-policy"]).toBe("no-referrer");
  expect(headers["access-control-allow-origin"]).toBeUndefined();
  expect(text).not.toMatch(/<script|https?:\/\//);
});

test("one that is too old, one that never was and odd ones get the same calm page", async () => {
  const user = await given.user({ realmId: api.realmId });
  const old = await given.signInLink(user, { at: new Date("2026-01-01T00:00:00Z") });
  const pages = await Promise.all(
    [old, "rpl_nothing", "x".repeat(5000), "a%00b", "%3Cscript%3E"].map((token) => open("GET", token)),
  );
  expect(new Set(pages.map(({ status, text }) => `${status}${text}`)).size).toBe(1);
  expect(pages[0]).toMatchObject({ status: 410 });
});

test("an offboarded person does not get in", async () => {
  const token = await given.signInLink(await given.user({ realmId: api.realmId, offboardedAt: new Date(0) }));
  expect(await open("POST", token)).toMatchObject({ status: 410 });
});

test("the token is in no log line", async () => {
  const token = await link();
  await open("GET", token);
  await open("PUT", token);
  await open("POST", token);
  expect(logged).toContain("/sign-in/:token");
  expect(logged).not.toContain(token);
});
