import { Writable } from "node:stream";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { handOverToken } from "../../../../../api/resources/hand-over/hand-over-token.ts";
import { sql } from "../../../../../db/sql.ts";
import { attemptLimitsByDefault } from "../../../../../domain/limits.ts";
import { drawSecret } from "../../../../../runtime/keys/data-directory.ts";
import { guestCodeOf, hashesOfGuestCode, hashOfGuestCode } from "../../../../../runtime/keys/guest-code.ts";
import { masterKeys } from "../../../../../runtime/keys/master-key.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { extent } from "../../../../support/run/extent.ts";
import { useApi } from "../../../../support/service/api.ts";
import { formOf, headingOf, visitorOf } from "./self-service-support.ts";

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
const registry = new Registry();
const api = useApi({ log, registry, settings: { trustedProxies: "127.0.0.1" } });
const { given } = api;
let realmId = "";

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
});
afterEach(() => api.database.owner.query(sql`delete from guesses`));

const person = (): Promise<GivenUser> => given.user({ realmId });

/** Offers a hand-over to another device of a user; returns the page and the code on it. */
const offer = async () => {
  const owner = await visitorOf(api, await person());
  const page = await owner.add({ place: "elsewhere" });
  return { owner, page, code: /class="short-code"[^>]*>([^<]+)</.exec(page.text)?.[1] ?? "" };
};

/** Types a code on a new device. */
const type = async (code: string) => {
  const device = await visitorOf(api);
  return { device, page: await device.send(await device.get("/code"), { code }) };
};

test("the page with a user's QR code also shows a short code, which leads another device to the same hand-over", async () => {
  const { page: offered, code } = await offer();
  expect(offered.text).toContain("<svg");
  expect(offered.text).toContain("/code");
  const { page } = await type(code);
  expect(headingOf(page)).toBe("A profile for laptop");
  const id = offered.url.split("/").at(-1)!;
  expect(page.url).toBe(`${api.url}/d/${handOverToken({ masterKeys: masterKeys(api.masterKey) }, id)}`);
});

test("several devices can enter a code, but the code no longer works once one of them has claimed the profile", async () => {
  const { code } = await offer();
  const first = await type(code);
  const second = await type(code);
  expect(headingOf(second.page)).toBe("A profile for laptop");
  await first.device.get("/code");
  await first.device.send(first.page, { device_type: "Linux" });
  const { page } = await type(code);
  expect({ status: page.status, heading: headingOf(page) }).toEqual({ status: 404, heading: "Enter the code" });
  expect(page.text).toContain("This code does not work");
});

describe("a guest account's code", () => {
  const sheetOf = async (account: { token: string }) => {
    const page = await (await visitorOf(api)).get(`/guest/${account.token}/sheet`);
    return /class="short-code"[^>]*>([^<]+)</.exec(page.text)?.[1] ?? "";
  };

  test("is on the account's sheet, in each language, and leads any number of devices to the account's page", async () => {
    const account = await given.guestAccount({ realmId, name: "Summer school" });
    const { text } = await (await visitorOf(api)).get(`/guest/${account.token}/sheet`);
    expect(text.match(/class="short-code"/g)).toHaveLength(2);
    expect(text).toContain(`${api.url.replace("http://", "")}/code`);
    const code = await sheetOf(account);
    expect(code).toMatch(/^\w{4}-\w{4}-\w{4}$/);
    for (const typed of [code, code.toLowerCase().replaceAll("-", " ")]) {
      const { page } = await type(typed);
      expect(page.url).toBe(`${api.url}/guest/${account.token}`);
      expect(page.status).toBe(200);
    }
  });

  test("is also returned by the API, and then works even if the sheet was never opened", async () => {
    const account = await given.guestAccount({ realmId });
    const answer = await api.as.service({ realmId }).get(`/api/guest-accounts/${account.id}/code`);
    expect((await type(answer.body.data)).page.url).toBe(`${api.url}/guest/${account.token}`);
    expect(await sheetOf(account)).toBe(answer.body.data);
  });

  test("does not work before it was shown or once its account is revoked, and never opens another account", async () => {
    const account = await given.guestAccount({ realmId });
    const unseen = guestCodeOf(account.token);
    expect((await type(unseen)).page.status).toBe(404);
    expect(await sheetOf(account)).toBe(unseen);
    expect((await type(unseen)).page.status).toBe(200);
    const other = await given.guestAccount({ realmId });
    expect(await sheetOf(other)).not.toBe(unseen);
    await api.database.owner.query(sql`update guest_accounts set revoked_at = now() where id = ${account.id}`);
    expect((await type(unseen)).page).toMatchObject({ status: 404, url: `${api.url}/code` });
    expect((await type(await sheetOf(other))).page.url).toBe(`${api.url}/guest/${other.token}`);
  });

  test("leads to a page that shows that the access has ended, if the account has expired", async () => {
    const account = await given.guestAccount({ realmId });
    const code = await sheetOf(account);
    await api.database.owner.query(sql`
      update guest_accounts set created_at = now() - interval '2 days', expires_at = now() - interval '1 day'
       where id = ${account.id}
    `);
    expect(headingOf((await type(code)).page)).toBe("This guest access has ended");
  });

  test("is found under an earlier master key", async () => {
    const account = await given.guestAccount({ realmId });
    const code = await sheetOf(account);
    const keys = masterKeys(`${drawSecret.masterKey()},${api.masterKey}`);
    const stored = await api.database.owner.query<{ hash: Buffer }>(sql`
      select code_hash as hash from guest_accounts where id = ${account.id}
    `);
    expect(hashesOfGuestCode(keys, code)).toContainEqual(stored[0]!.hash);
    expect(hashOfGuestCode(keys, code)).not.toEqual(stored[0]!.hash);
  });

  test("counts towards the limit of short codes if it is wrong", async () => {
    const device = await visitorOf(api);
    const form = formOf(await device.get("/code"));
    const headers = { "x-forwarded-for": "10.3.0.1" };
    const fields = { ...form.fields, code: "0000-0000-0001" };
    const guess = async () => (await device.browser.post(form.action, fields, { headers })).status;
    for (let tries = 0; tries < 30; tries++) expect(await guess()).toBe(404);
    expect(await guess()).toBe(429);
  });
});

test("the metrics count each typed code by its outcome", async () => {
  const counts = async () => {
    const text = await registry.metrics();
    const counted = [...text.matchAll(/realmpass_short_codes_total\{outcome="(\w+)"\} (\d+)/g)];
    return new Map(counted.map(([, outcome = "", count]) => [outcome, Number(count)]));
  };
  const { code } = await offer();
  const device = await visitorOf(api);
  const form = formOf(await device.get("/code"));
  const changesWith = async (typed: string) => {
    const was = await counts();
    const headers = { "x-forwarded-for": "10.3.0.2" };
    const fields = { ...form.fields, code: typed };
    const { status } = await device.browser.post(form.action, fields, { headers, follow: false });
    const now = await counts();
    return { status, counted: [...now.keys()].filter((outcome) => now.get(outcome) !== was.get(outcome)) };
  };
  expect([...(await counts()).keys()].sort()).toEqual(["found", "limited", "malformed", "unknown"]);
  expect(await changesWith(code)).toEqual({ status: 303, counted: ["found"] });
  expect(await changesWith("no code")).toEqual({ status: 404, counted: ["malformed"] });
  for (let tries = 0; tries < 30; tries++)
    expect(await changesWith("0000-0001")).toEqual({ status: 404, counted: ["unknown"] });
  expect(await changesWith("0000-0001")).toEqual({ status: 429, counted: ["limited"] });
  // A forged form does not count as a typed code.
  const was = await counts();
  await device.browser.post(form.action, { code, form_token: "x" }, { follow: false });
  expect(await counts()).toEqual(was);
});

test("HEAD and GET show the page", async () => {
  expect((await fetch(`${api.url}/code`, { method: "HEAD" })).status).toBe(200);
  expect((await fetch(`${api.url}/code`)).status).toBe(200);
});

test("a code expires after 20 minutes", async () => {
  const { page, code } = await offer();
  const id = page.url.split("/").at(-1)!;
  const lasts = await api.database.owner.query<{ minutes: number }>(sql`
    select extract(epoch from expires_at - created_at)::integer / 60 as minutes from hand_overs where id = ${id}
  `);
  expect(lasts).toEqual([{ minutes: 20 }]);
  expect(headingOf((await type(code)).page)).toBe("A profile for laptop");
  await api.database.owner.query(sql`
    update hand_overs set created_at = now() - interval '20 minutes', expires_at = now() where id = ${id}
  `);
  expect((await type(code)).page.status).toBe(404);
});

test("a form that another site sends is refused", async () => {
  const { code } = await offer();
  const device = await visitorOf(api);
  const form = formOf(await device.get("/code"));
  const fields = { ...form.fields, code };
  expect((await device.browser.post(form.action, { ...fields, form_token: "x" }, { follow: false })).status).toBe(403);
  expect((await device.browser.post(form.action, fields, { follow: false })).status).toBe(303);
});

test("the code is in no address and no log line", async () => {
  const { code } = await offer();
  const { page } = await type(code);
  expect(logged).toContain('"/code"');
  for (const spelling of [code, code.replace("-", "")]) {
    expect(logged).not.toContain(spelling);
    expect(page.url).not.toContain(spelling);
  }
});

test("one address can try 30 codes a minute", async () => {
  const device = await visitorOf(api);
  const form = formOf(await device.get("/code"));
  const guess = async (address: string) =>
    (
      await device.browser.post(
        form.action,
        { ...form.fields, code: "0000-0001" },
        { headers: { "x-forwarded-for": address } },
      )
    ).status;
  for (let tries = 0; tries < 30; tries++) expect(await guess("10.2.0.1")).toBe(404);
  expect(await guess("10.2.0.1")).toBe(429);
  expect(await guess("10.2.0.2")).toBe(404);
});

test("input that cannot be a code does not count", async () => {
  const device = await visitorOf(api);
  const page = await device.get("/code");
  for (let tries = 0; tries < 40; tries++) expect((await device.send(page, { code: "hello" })).status).toBe(404);
});

const guesses = extent(10_000, 0.04);

test(
  `${guesses} guesses from many addresses find nothing, and beyond the limit of all addresses nothing is looked up`,
  { timeout: 240_000 },
  async () => {
    const { code } = await offer();
    const device = await visitorOf(api);
    const form = formOf(await device.get("/code"));
    const { points, seconds } = attemptLimitsByDefault.shortCodes;
    const guess = async (index: number, typed: string) =>
      (
        await device.browser.post(
          form.action,
          { ...form.fields, code: typed },
          { follow: false, headers: { "x-forwarded-for": `10.1.${index >> 8}.${index & 255}` } },
        )
      ).status;
    const guessAll = async (codes: readonly string[], first: number): Promise<number[]> => {
      const statuses: number[] = [];
      for (let from = 0; from < codes.length; from += 20) {
        const some = codes.slice(from, from + 20);
        statuses.push(...(await Promise.all(some.map((typed, index) => guess(first + from + index, typed)))));
      }
      return statuses;
    };
    const codes = Array.from({ length: guesses }, (_, index) => index.toString().padStart(8, "0"));
    const atFirst = points + 100;
    // Right codes do not count.
    for (let index = 0; index < 5; index++) expect(await guess(60_000, code)).toBe(303);
    const began = performance.now();
    const statuses = await guessAll(codes.slice(0, atFirst), 0);
    expect(statuses.filter((status) => status === 404)).toHaveLength(points);
    expect(statuses.slice(points)).toEqual(Array.from({ length: 100 }, () => 429));
    // The right code is refused as well, because checking it would be another guess.
    expect(await guess(60_001, code)).toBe(429);

    statuses.push(...(await guessAll(codes.slice(atFirst), atFirst)));
    const periods = 1 + Math.floor((performance.now() - began) / (seconds * 1_000));
    expect(statuses).toHaveLength(guesses);
    expect(statuses.filter((status) => status !== 404 && status !== 429)).toEqual([]);
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(points * periods);
    await api.database.owner.query(sql`delete from guesses`);
  },
);
