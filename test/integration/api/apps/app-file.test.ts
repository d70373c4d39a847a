import { randomInt, randomUUID } from "node:crypto";
import { Writable } from "node:stream";
import { pino } from "pino";
import { Registry } from "prom-client";
import { beforeAll, describe, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../db/sql.ts";
import type { BrowserSession } from "../../../support/browser/browser-session.ts";
import { answerOf } from "../../../support/given/authorization.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { revokeUnfetched } from "../../../../worker/upkeep/upkeep.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import type { TestWorker } from "../../../support/service/worker.ts";
import { appsOn, mobile } from "./apps-support.ts";

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
const api = useApi({ log, registry });
const { given } = api;
let realm = "";
let realmId = "";
let worker: TestWorker;
const { base, authorizeUrl, browser, tap, redeem, tokenFor, fetch, made } = appsOn(api, () => realm);

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await realms.update(api.database.owner, realmId, { onboardingApps: true });
  realm = (await realms.findById(api.database.owner, realmId))?.name ?? "";
  worker = await api.startWorker();
});

const person = (options: { profileOverride?: number } = {}) => given.user({ realmId, ...options });

test("the token fetches the file any number of times, with the same bytes, and one profile is created", async () => {
  const user = await person();
  const token = await tokenFor(user);
  expect(await made(user)).toEqual({ issuances: 0, active: 0 });
  const first = await fetch(token);
  expect(first.status).toBe(200);
  expect(first.headers).toMatchObject({
    "content-type": "application/eap-config",
    "cache-control": "no-store",
    "content-length": String(Buffer.byteLength(first.text)),
  });
  expect(first.text).toContain("<EAPIdentityProviderList");
  for (const query of ["", "?format=eap-config", "?"]) {
    const again = await fetch(token, { query, headers: { accept: "text/html", "content-type": "text/plain" } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
  }
  expect(await made(user)).toEqual({ issuances: 1, active: 1 });
});

test("concurrent requests get one profile and the same bytes", async () => {
  const { owner } = api.database;
  const user = await person();
  const token = await tokenFor(user);
  // All requests find the authorization unused before the first one uses it.
  const sent = await owner.transaction(async (tx) => {
    await tx.query(sql`select from users where id = ${user.id} for update`);
    const all = Array.from({ length: 6 }, () => fetch(token));
    await eventually(async () => {
      const waiting = await owner.query(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `);
      expect(waiting).toHaveLength(all.length);
    });
    return all;
  });
  const answers = await Promise.all(sent);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(await made(user)).toEqual({ issuances: 1, active: 1 });
});

test.each(["mobileconfig", "apple-mobileconfig"])(
  "with format=%s the file is a configuration profile for a Mac",
  async (format) => {
    const user = await person();
    const token = await tokenFor(user, mobile);
    const query = `?format=${format}`;
    const file = await fetch(token, {
      query,
      headers: { "user-agent": "geteduroam/1 CFNetwork/1490.0.4 Darwin/23.2.0" },
    });
    expect(file.status).toBe(200);
    expect(file.headers["content-type"]).toBe("application/x-apple-aspen-config");
    expect(file.text).toContain("com.apple.security.pkcs12");
    const [row] = await api.database.owner.query(sql`
    select device_type as "deviceType", format, created_by_client_id as client, device_hash is not null as known
      from issuances where user_id = ${user.id}
  `);
    expect(row).toEqual({ deviceType: "MacOS", format: "mobileconfig", client: mobile.client_id, known: true });
    const other = await fetch(token);
    expect(other).toMatchObject({ status: 409, body: { error: "format_conflict" } });
    expect(await made(user)).toEqual({ issuances: 1, active: 1 });
  },
);

test("the audit log names the user and the app as the creators of the profile", async () => {
  const user = await person();
  await fetch(await tokenFor(user));
  const entries = await api.database.owner.query(sql`
    select user_id as "userId", client_id as "clientId" from audit_entries
     where event = 'profile_create' and properties->>'user' = ${user.id}
  `);
  expect(entries).toEqual([{ userId: user.id, clientId: "app.geteduroam.win" }]);
});

test("a profile's activity names the app that fetched it, and its audit entry the profile that it replaces", async () => {
  const user = await person();
  const replaced = await given.profile(user);
  const device = await browser(user);
  const setUp = async (replaces: string) => {
    const visit = await tap(device, undefined, { replaces });
    const token = String((await redeem(answerOf(visit)["code"] ?? "")).body.access_token);
    expect((await fetch(token)).status).toBe(200);
    const [newest] = await api.database.owner.query<{ serial: string; replaces: string | null }>(sql`
      select properties->>'serial' as serial, properties->>'replaces' as replaces from audit_entries
       where event = 'profile_create' and properties->>'user' = ${user.id} order by id desc limit 1
    `);
    return newest!;
  };
  const appOf = async (serial: string) => {
    const { body } = await api.as.service({ realmId }).get(`/api/profiles/${serial}/activity`);
    return body.data.app;
  };
  const asNew = await setUp("");
  expect(asNew.replaces).toBeNull();
  const successor = await setUp(replaced);
  expect(successor.replaces).toBe(replaced);
  expect(await appOf(successor.serial)).toEqual({ client_id: "app.geteduroam.win", name: "geteduroam" });
  // Control: a profile that no app fetched.
  expect(await appOf(replaced)).toBeNull();
});

describe("a request that gets no file", () => {
  test.each<[string, { query?: string; headers?: Record<string, string>; raw?: string }, number, string]>([
    ["an unknown format", { query: "?format=pkcs12" }, 400, "invalid_request"],
    ["a format twice", { query: "?format=eap-config&format=eap-config" }, 400, "invalid_request"],
    ["a bad escape", { query: "?format=%zz" }, 400, "invalid_request"],
    ["a body of more than 1 KiB", { raw: "x".repeat(1_025) }, 413, "invalid_request"],
    ["a body of more than 128 KiB", { raw: "x".repeat(200_000) }, 413, "invalid_request"],
    ["an unknown token", { headers: { authorization: "Bearer rpa_x" } }, 401, "invalid_token"],
  ])("%s", async (_, options, status, error) => {
    const user = await person();
    const token = await tokenFor(user);
    const answer = await fetch(token, options);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { error, error_description: expect.stringMatching(/^[A-Z][^\n]*\.$/) },
    });
    if (status === 401) expect(answer.headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    expect(await made(user)).toEqual({ issuances: 0, active: 0 });
    // Control: 1 KiB is not too much.
    expect((await fetch(token, { raw: "x".repeat(1_024) })).status).toBe(200);
  });

  test("without a token", async () => {
    const answer = await sendRequest(`${base()}api/eap-config/`, "POST");
    expect({ status: answer.status, challenge: answer.headers["www-authenticate"] }).toEqual({
      status: 401,
      challenge: "Bearer",
    });
  });

  test.each(["GET", "HEAD", "PUT", "OPTIONS"])("%s", async (method) => {
    const token = await tokenFor(await person());
    const answer = await sendRequest(`${base()}api/eap-config/`, method, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect({ status: answer.status, allow: answer.headers.allow }).toEqual({ status: 405, allow: "POST" });
  });
});

test("a token is refused in another realm, and for every request except its file", async () => {
  const user = await person();
  const token = await tokenFor(user);
  const id = await given.realm();
  await realms.update(api.database.owner, id, { onboardingApps: true });
  const other = (await realms.findById(api.database.owner, id))?.name ?? "";
  expect((await fetch(token, {}, other)).status).toBe(401);
  for (const path of ["/api/profile", "/api/sessions", "/api/consents", "/api/realm", "/oauth/userinfo"]) {
    expect([path, (await api.as.token(token).get(path)).status]).toEqual([path, 401]);
  }
  expect((await fetch(token)).status).toBe(200);
});

test("an access token of a user cannot fetch a file", async () => {
  const user = await person();
  const { clientId } = await given.application({ realmId, type: "useragent" });
  const token = await given.token({ realmId, clientId, userId: user.id });
  expect((await fetch(token)).status).toBe(401);
});

describe("after the tap", () => {
  test("a locked person gets no file until they are unlocked", async () => {
    const user = await person();
    const token = await tokenFor(user);
    await api.database.owner.query(sql`update users set locked_at = now() where id = ${user.id}`);
    expect(await fetch(token)).toMatchObject({ status: 403, body: { error: "user_locked" } });
    await api.database.owner.query(sql`update users set locked_at = null where id = ${user.id}`);
    expect((await fetch(token)).status).toBe(200);
  });

  test("a person whom the provider or the directory excludes gets no file until they are permitted again", async () => {
    const user = await person();
    const token = await tokenFor(user);
    await api.database.owner.query(sql`update users set not_permitted_since = now() where id = ${user.id}`);
    expect(await fetch(token)).toMatchObject({ status: 403, body: { error: "user_not_permitted" } });
    expect(await made(user)).toEqual({ issuances: 0, active: 0 });
    await api.database.owner.query(sql`update users set not_permitted_since = null where id = ${user.id}`);
    expect((await fetch(token)).status).toBe(200);
  });

  test("a person at the limit gets no file until a profile is revoked", async () => {
    const user = await person({ profileOverride: 1 });
    const token = await tokenFor(user);
    const serial = await given.profile(user);
    expect(await fetch(token)).toMatchObject({ status: 409, body: { error: "profile_limit_reached" } });
    await api.as.admin({ realmId }).delete(`/api/profiles/${serial}`);
    expect((await fetch(token)).status).toBe(200);
  });

  test.each([
    ["before the code is used", 0],
    ["before the file was asked for", 1],
    ["after the file was sent", 2],
  ])("an offboarded person can no longer fetch a file, not even after a reactivation: %s", async (_, steps) => {
    const user = await person();
    const code = answerOf(await tap(await browser(user)))["code"] ?? "";
    const token = steps > 0 ? String((await redeem(code)).body.access_token) : "";
    if (steps > 1) expect((await fetch(token)).status).toBe(200);
    const admin = api.as.admin({ realmId });
    expect((await admin.delete(`/api/user/${user.id}`)).status).toBe(200);
    // A second use of a code ends its token, so a used code is not sent again.
    const refused = async () => (steps > 0 ? (await fetch(token)).status : (await redeem(code)).status);
    expect(await refused()).toBe(steps > 0 ? 401 : 400);
    await api.database.owner.query(sql`update users set offboarded_at = null where id = ${user.id}`);
    expect(await refused()).toBe(steps > 0 ? 401 : 400);
    expect((await made(user)).active).toBe(0);
  });

  test("no file is issued under an issuing CA that expires too soon; once the CA is valid for longer, the file is issued", async () => {
    const user = await person();
    const token = await tokenFor(user);
    const endsIn = (time: string) =>
      api.database.owner.query(
        sql`update issuers set not_after = now() + ${time}::interval where realm_id = ${realmId}`,
      );
    try {
      await endsIn("1 day");
      expect(await fetch(token)).toMatchObject({ status: 503, body: { error: "issuer_expiring" } });
      expect(await made(user)).toEqual({ issuances: 0, active: 0 });
    } finally {
      await endsIn("9 years");
    }
    expect((await fetch(token)).status).toBe(200);
  });

  test("a profile whose file was never sent is revoked after half an hour; one whose file was sent stays", async () => {
    const [unsent, sent] = [await person(), await person()];
    for (const user of [unsent, sent]) expect((await fetch(await tokenFor(user))).status).toBe(200);
    // Makes the database look as if the service had died before it sent the file.
    await api.database.owner.query(sql`
      with again as (update hand_overs set downloaded_at = null where user_id = ${unsent.id} returning issuance_id)
      update issuance_outputs set collected_at = null where issuance_id in (select issuance_id from again)
    `);
    const later = { now: () => new Date(systemClock.now().getTime() + 32 * 60_000) };
    await revokeUnfetched({ db: api.database.open("realmpass_worker"), clock: later, log });
    expect([(await made(unsent)).active, (await made(sent)).active]).toEqual([0, 1]);
  });

  test("a person's export names the app that set up the device, and when", async () => {
    const user = await person();
    await fetch(await tokenFor(user));
    const { text } = await api.as.admin({ realmId }).get(`/api/user/${user.id}/export`);
    expect((JSON.parse(text) as { handOvers: unknown }).handOvers).toMatchObject([
      { app: "app.geteduroam.win", deviceType: "Windows", pickedUpAt: expect.stringMatching(/Z$/) as string },
    ]);
  });

  test("a token ends after 30 minutes", async () => {
    const user = await person();
    const token = await tokenFor(user);
    const lasts = await api.database.owner.query(sql`
      select extract(epoch from token_expires_at - code_used_at)::integer / 60 as minutes
        from app_authorizations where user_id = ${user.id}
    `);
    expect(lasts).toEqual([{ minutes: 30 }]);
    await api.database.owner.query(sql`
      update app_authorizations set token_expires_at = now() - interval '1 second' where user_id = ${user.id}
    `);
    expect((await fetch(token)).status).toBe(401);
    expect(await made(user)).toEqual({ issuances: 0, active: 0 });
  });

  test("a request for an erased file returns 410", async () => {
    const user = await person();
    const token = await tokenFor(user);
    await fetch(token);
    await api.database.owner.query(sql`
      update issuance_outputs set sealed = null
       where issuance_id = (select id from issuances where user_id = ${user.id})
    `);
    expect(await fetch(token)).toMatchObject({ status: 410, body: { error: "output_erased" } });
  });
});

describe("a second authorization of a device whose first file was never sent", () => {
  test("ends the first authorization: its token, its profile, and its place within the limit", async () => {
    const user = await person({ profileOverride: 1 });
    const device = await browser(user);
    const first = await tokenFor(device);
    await fetch(first);
    // Makes the database look as if the process had died before it noted that the file was sent.
    await api.database.owner.query(sql`update hand_overs set downloaded_at = null where user_id = ${user.id}`);
    expect(await made(user)).toEqual({ issuances: 1, active: 1 });

    const second = await tokenFor(device);
    expect((await fetch(first)).status).toBe(401);
    expect((await fetch(second)).status).toBe(200);
    expect(await made(user)).toEqual({ issuances: 2, active: 1 });
    const revoked = await api.database.owner.query(sql`
      select user_id as "userId", client_id as "clientId", properties->'reason' as reason from audit_entries
       where event = 'profile_revoke' and properties->>'user' = ${user.id}
    `);
    expect(revoked).toEqual([{ userId: null, clientId: null, reason: 4 }]);
  });

  test("keeps a file that was sent and another device's authorization", async () => {
    const user = await person();
    const [device, other] = [await browser(user), await browser(user)];
    const sent = await tokenFor(device);
    const file = await fetch(sent);
    const waiting = await tokenFor(other);
    await tokenFor(device);
    expect((await fetch(sent)).text).toBe(file.text);
    expect((await fetch(waiting)).status).toBe(200);
    expect((await made(user)).active).toBe(2);
  });

  test("makes the waiting issuance of the first authorization fail", async () => {
    const user = await person({ profileOverride: 1 });
    const device = await browser(user);
    await tokenFor(device);
    // A request leaves this row while its worker is away.
    const id = randomUUID();
    await api.database.owner.query(sql`
      insert into issuances (id, realm_id, kind, user_id, name, device_type, format, key_type, validity_months, created_at,
                             status, claim_id, lease_expires_at, issuer_id, serial_number, identity, not_before, not_after)
      select ${id}, ${realmId}, 'user', ${user.id}, 'a', 'Windows', 'eap-config', 'ec-p256', 12, now(), 'signing',
             ${randomUUID()}, now() + interval '1 hour', i.id, ${`1${randomInt(1e12)}`}, 'a@b', now(), now() + interval '1 year'
        from issuers i where i.realm_id = ${realmId} and i.issuing
    `);
    await api.database.owner.query(sql`
      update hand_overs set issuance_id = ${id}, picked_up_at = now(), claimed_at = now(), picker_hash = token_hash
       where user_id = ${user.id}
    `);
    const token = await tokenFor(device);
    const rows = await api.database.owner.query(sql`select status from issuances where id = ${id}`);
    expect(rows).toEqual([{ status: "failed" }]);
    expect((await fetch(token)).status).toBe(200);
  });
});

describe("a device that is set up again", () => {
  const chosenOn = (text: string): string | undefined =>
    [...text.matchAll(/<input\b[^>]*name="replaces"[^>]*>/g)]
      .map(([input]) => input)
      .filter((input) => /\bchecked\b/.test(input))
      .map((input) => /value="([^"]*)"/.exec(input)?.[1])[0];
  const serials = async ({ id }: { id: string }): Promise<string[]> => {
    const rows = await api.database.owner.query<{ serial: string }>(sql`
      select serial_number as serial from certificates where user_id = ${id} and revoked_at is null order by id
    `);
    return rows.map(({ serial }) => serial);
  };
  /** Opens the page, keeps the preselected choice, and fetches the file. */
  const setUp = async (device: BrowserSession): Promise<{ chosen: string | undefined; status: number }> => {
    const page = await device.get(authorizeUrl());
    const chosen = chosenOn(page.text);
    const visit = await device.submit(page, { decision: "allow", replaces: chosen ?? "" }, { follow: false });
    const token = String((await redeem(answerOf(visit)["code"] ?? "")).body.access_token);
    return { chosen, status: (await fetch(token)).status };
  };

  test("replaces its own profile, three times in a row at the limit", async () => {
    const user = await person({ profileOverride: 1 });
    const device = await browser(user);
    expect(await setUp(device)).toEqual({ chosen: undefined, status: 200 });
    for (const active of [2, 2, 2]) {
      const newest = (await serials(user)).at(-1);
      expect(await setUp(device)).toEqual({ chosen: newest, status: 200 });
      expect(await serials(user)).toHaveLength(active);
    }
    const [row] = await api.database.owner.query<{ ends: boolean }>(sql`
      select bool_and(replaced_ends_at is not null) as ends from issuances
       where user_id = ${user.id} and renews_certificate_id is not null
    `);
    expect(row?.ends).toBe(true);
  });

  test("still replaces its own profile after a file that was never fetched", async () => {
    const user = await person({ profileOverride: 2 });
    const device = await browser(user);
    await setUp(device);
    const [own] = await serials(user);
    const other = await given.profile(user);
    const page = await device.get(authorizeUrl());
    expect(chosenOn(page.text)).toBe(own);
    expect(page.text).toContain(`value="${other}"`);
    await device.submit(page, { decision: "allow", replaces: own ?? "" }, { follow: false });
    const again = await setUp(device);
    expect(again).toEqual({ chosen: own, status: 200 });
    expect(await serials(user)).toHaveLength(3);
  });

  test("in another browser is offered the person's profile by name, but not a new device, if the person is at the limit", async () => {
    const user = await person({ profileOverride: 1 });
    const serial = await given.profile(user, { name: "old <phone>" });
    const page = await (await browser(user)).get(authorizeUrl());
    expect(page.status).toBe(200);
    expect(page.text).toContain(`value="${serial}"`);
    expect(page.text).toContain("old &lt;phone&gt;");
    expect(page.text).not.toContain("New device");
    expect(page.text).toContain("All 1 profiles are in use");
    expect(chosenOn(page.text)).toBeUndefined();
  });

  test.each(["1'--", "0", "x", "1".repeat(49)])("%s is refused as the profile to replace", async (replaces) => {
    const device = await browser(await person());
    const page = await device.get(authorizeUrl());
    expect((await device.submit(page, { decision: "allow", replaces }, { follow: false })).status).toBe(400);
  });

  test("never replaces another person's profile", async () => {
    const [user, other] = [await person(), await person()];
    const serial = await given.profile(other);
    const device = await browser(user);
    const page = await device.get(authorizeUrl());
    const visit = await device.submit(page, { decision: "allow", replaces: serial }, { follow: false });
    const token = String((await redeem(answerOf(visit)["code"] ?? "")).body.access_token);
    expect((await fetch(token)).status).toBe(200);
    expect(await serials(other)).toEqual([serial]);
    const [row] = await api.database.owner.query(sql`
      select renews_certificate_id as renews from issuances where user_id = ${user.id}
    `);
    expect(row).toEqual({ renews: null });
  });
});

test("without a worker a request returns 503, and the next one waits for the same profile", async () => {
  const user = await person();
  const token = await tokenFor(user);
  await worker.stop();
  try {
    const late = await fetch(token);
    expect(late).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
    expect(late.headers["retry-after"]).toBe("2");
    expect(await made(user)).toEqual({ issuances: 1, active: 0 });
  } finally {
    // This worker runs until the end of this test, which is the last one that needs a worker.
    await api.startWorker();
  }
  let answer = await fetch(token);
  while (answer.status === 503) answer = await fetch(token);
  expect(answer.status).toBe(200);
  expect(await made(user)).toEqual({ issuances: 1, active: 1 });
});

test("the log and the metrics name the app and contain no secret", async () => {
  const user = await person();
  const code = answerOf(await tap(await browser(user)))["code"] ?? "";
  const token = String((await redeem(code)).body.access_token);
  expect((await fetch(token, { query: "?format=none" })).status).toBe(400);
  for (const event of ["app.authorized", "app.file_sent", "app.file_late"]) expect(logged).toContain(`"${event}"`);
  expect(logged).toContain('"clientId":"app.geteduroam.win"');
  expect(logged).toContain('"/letswifi/:realm/api/eap-config/"');
  const metrics = await registry.metrics();
  for (const secret of [code, token]) expect(logged + metrics).not.toContain(secret);
  expect(metrics).toMatch(/realmpass_app_authorizations_total\{app="app.geteduroam.win",outcome="allowed"\} [1-9]/);
  for (const outcome of ["sent", "repeated", "late", "refused"]) {
    expect(metrics).toMatch(
      new RegExp(
        `realmpass_app_files_total\\{app="app.geteduroam.win",format="eap-config",outcome="${outcome}"\\} [1-9]`,
      ),
    );
  }
});
