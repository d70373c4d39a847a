import { randomBytes, randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { only, type Database } from "../../../../db/client.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import { systemClock, type Clock } from "../../../../runtime/clock.ts";
import type { Log } from "../../../../runtime/log.ts";
import { forgetPeople } from "../../../../worker/upkeep/forget-people.ts";
import { useOperator } from "../../../support/service/test-operator.ts";
import { driveJobs, givenJob, jobOf, rowsOf, type GivenRow } from "../../../support/given/bulk-jobs.ts";
import type { GivenUser } from "../../../support/given/given.ts";
import { givenTwins } from "../../../support/given/spellings.ts";
import { givenIssuingRealm, type IssuingRealm } from "../../../support/given/issuing.ts";
import { readCrl, storedCrl } from "../../../support/pki/crl.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest, outcomeOf } from "../../../support/pki/ocsp.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { useApi, type Caller } from "../../../support/service/api.ts";
import { startTestResponder } from "../../../support/service/responder.ts";
import { silentLog, testAuditKey } from "../../../support/service/worker.ts";

const api = useApi();
const operator = useOperator(api.database);
const { given } = api;
const owner = (): Database => api.database.owner;

let worker: Database | undefined;
const forget = ({ slice, ...deps }: { slice?: number; clock?: Clock; db?: Database; log?: Log } = {}) =>
  forgetPeople(
    { db: (worker ??= api.database.open("realmpass_worker")), clock: systemClock, log: silentLog, ...deps },
    slice === undefined ? {} : { slice },
  );

const lines: string[] = [];
const keep = (...line: unknown[]): void => void lines.push(JSON.stringify(line));
const keepingLines = { ...silentLog, info: keep, warn: keep, error: keep } as unknown as Log;

/** Moves the offboarding of these users to this many months ago. */
const offboardedAgo = (userIds: readonly string[], months: number): Promise<unknown> =>
  owner().query(sql`
    update users set offboarded_at = now() - make_interval(months => ${months}::integer) - interval '1 minute'
     where id = any(${userIds}::bigint[])
  `);

const setForgetting = (realmId: string, months: number | null): Promise<unknown> =>
  owner().query(sql`update realms set forget_after_months = ${months} where id = ${realmId}`);

/** Returns for each of these people whether they are forgotten. */
const forgottenOf = async (people: readonly GivenUser[]): Promise<boolean[]> => {
  const rows = await owner().query<{ id: string }>(sql`
    select id from users where id = any(${people.map(({ id }) => id)}::bigint[]) and forgotten_at is not null
  `);
  const ids = new Set(rows.map(({ id }) => id));
  return people.map(({ id }) => ids.has(id));
};

/** Returns the tables, of every schema, that contain one of these values: in text, in JSON, in arrays or as octets. */
async function tablesWith(values: readonly string[]): Promise<string[]> {
  const tables = await owner().query<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name
      from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')
  `);
  const forms = values
    .flatMap((value) => [value, Buffer.from(value).toString("hex")])
    .map((value) => value.toLowerCase());
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await owner().query(sql`
      select from ${verbatim(name)} t
       where exists (select from unnest(${forms}::text[]) v where strpos(lower(t::text), v) > 0)
       limit 1
    `);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

describe("a person with every kind of data", () => {
  let realm: IssuingRealm;
  let admin: Caller;
  let responder: { url: string };
  const mark = randomBytes(5).toString("hex");
  const ada = {
    pairwiseId: `ada-${mark}`,
    email: `Ada.Lovelace.${mark}@example.org`,
    displayName: `Ada Lovelace ${mark}`,
    username: `lovelace${mark}`,
    subject: `subject-${mark}`,
    device: `Phone of ${mark}`,
  };

  beforeAll(async () => {
    realm = await givenIssuingRealm(owner());
    await api.startWorker();
    responder = await startTestResponder({ databaseUrl: api.database.url });
    admin = api.as.admin({ realmId: realm.realmId });
  });

  const run = async (kind: string, raw: string) => {
    const answer = await admin.send("POST", `/api/jobs/${kind}`, {
      raw,
      headers: { "content-type": "text/csv", prefer: "wait=30", "idempotency-key": randomUUID() },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data as { id: string };
  };

  /** Onboards Ada by a bulk job, gives her every kind of row, and offboards her. */
  async function givenAda(): Promise<{ user: GivenUser; jobId: string; serials: string[] }> {
    const job = await run(
      "onboarding",
      `pairwiseID,email,profileName,deviceType,format\n${ada.pairwiseId},${ada.email},${ada.device},iOS,pem\n` +
        `bob-${mark},bob@example.org,,,\n${ada.pairwiseId.toUpperCase()} , ${ada.email} ,,Toaster,\n`,
    );
    const { id } = only(
      await owner().query<{ id: string }>(sql`select id from users where pairwise_id = ${ada.pairwiseId}`),
    );
    const user = { id, realmId: realm.realmId };
    const made = await admin.post(`/api/user/${id}/profiles/${encodeURIComponent(ada.device)}`, {
      deviceType: "Linux",
      format: "pem",
      description: `of ${ada.displayName}`,
    });
    expect(made.status, made.text).toBe(200);
    await admin.delete(`/api/profiles/${made.body.data.serial}`);
    const { clientId } = await given.session({ user });
    await given.consent(user, clientId);
    await given.login(user);
    await given.signInLink(user);
    await owner().query(sql`update users set display_name = ${ada.displayName} where id = ${id}`);
    await owner().query(sql`
      insert into local_credentials (user_id, realm_id, username) values (${id}, ${realm.realmId}, ${ada.username})
    `);
    await owner().query(sql`
      insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
      values (${realm.realmId}, 'https://idp.example', ${ada.subject}, ${id}, now())
    `);
    await owner().query(sql`
      insert into sign_in_tests (id, realm_id, user_id, passed, sealed_report, expires_at)
      values (gen_random_uuid(), ${realm.realmId}, ${id}, true, ${Buffer.from(ada.email)}, now() + interval '1 hour')
    `);
    await owner().query(sql`
      insert into hand_overs (id, token_hash, realm_id, user_id, device_type, name, created_at, expires_at)
      values (gen_random_uuid(), ${randomBytes(32)}, ${realm.realmId}, ${id}, 'iOS', ${ada.device}, now(), now())
    `);
    await owner().query(sql`
      insert into issuances (id, realm_id, kind, user_id, name, description, csr, format, key_type, validity_months,
                             created_at, status, finished_at, error_code)
      values (gen_random_uuid(), ${realm.realmId}, 'user', ${id}, ${ada.device}, ${ada.displayName}, ${ada.email}, 'pem',
              'ec-p256', 12, now(), 'failed', now(), 'internal_error')
    `);
    await run("offboarding", `pairwiseID\n${ada.pairwiseId}\n`);
    await owner().query(sql`update issuance_outputs set sealed = null`);
    const serials = await owner().query<{ serial: string }>(
      sql`select serial_number as serial from certificates where user_id = ${id} order by id`,
    );
    return { user, jobId: job.id, serials: serials.map(({ serial }) => serial) };
  }

  const statuses = (serials: readonly string[]): Promise<unknown[]> =>
    Promise.all(
      serials.map(async (serialNumber) => {
        const body = encodeOcspRequest([encodeCertId({ issuer: realm.issuer, serialNumber })]);
        return outcomeOf((await askOverHttp(`${responder.url}/ocsp/${realm.issuerId}`, { body })).body);
      }),
    );

  const auditExport = async (): Promise<string> => (await admin.get("/api/audit/export")).text;

  test("once forgotten, leaves no byte in any table, export or log; the audit chain, the CRL and OCSP stay the same", async () => {
    const { user, jobId, serials } = await givenAda();
    const values = Object.values(ada);
    expect((await tablesWith(values)).length).toBeGreaterThan(5);
    expect(serials).toHaveLength(2);
    const certificates = sql`
      select serial_number, identity, certificate, spki_sha256, not_before, not_after, revoked_at, revocation_reason,
             device_type
        from certificates where user_id = ${user.id} order by id`;
    const before = {
      certificates: await owner().query(certificates),
      statuses: await statuses(serials),
      crl: await eventually(async () => {
        const crl = readCrl(await storedCrl(owner(), realm.issuerId));
        expect([...crl.entries.keys()].sort()).toEqual([...serials].sort());
        return crl;
      }),
    };
    expect(before.statuses).toEqual(["revoked", "revoked"]);
    await setForgetting(realm.realmId, 1);
    await offboardedAgo([user.id], 1);

    lines.length = 0;
    await eventually(async () => {
      await forget({ log: keepingLines });
      expect(await forgottenOf([user])).toEqual([true]);
    });

    expect(await tablesWith(values)).toEqual([]);
    expect(lines.join("")).toContain("upkeep.forgotten");
    const exported = await auditExport();
    for (const text of [exported, lines.join("")]) for (const value of values) expect(text).not.toContain(value);
    expect(exported).toContain('"event":"user_forget"');
    for (const type of ["text/csv", "application/json"]) {
      const results = await admin.get(`/api/jobs/${jobId}/results`, { headers: { accept: type } });
      expect(results.status).toBe(200);
      for (const value of values) expect(results.text).not.toContain(value);
      expect(results.text).toContain(`bob-${mark}`);
    }

    expect(await owner().query(certificates)).toEqual(before.certificates);
    expect(await statuses(serials)).toEqual(before.statuses);
    expect(readCrl(await storedCrl(owner(), realm.issuerId)).entries).toEqual(before.crl.entries);

    await eventually(async () => {
      expect(await owner().query(sql`select from audit_unsealed where realm_id = ${realm.realmId}`)).toEqual([]);
    });
    const verified = await operator.run(["audit", "verify"], { env: { REALMPASS_AUDIT_KEY: testAuditKey } });
    expect([verified.code, verified.json["ok"]]).toEqual([0, true]);
    const path = join(operator.data.path, "after.ndjson");
    writeFileSync(path, await auditExport());
    const ofExport = await operator.run(["audit", "verify", "--export", path], {
      env: { REALMPASS_AUDIT_KEY: testAuditKey },
    });
    expect([ofExport.code, ofExport.json["ok"]]).toEqual([0, true]);
  });

  test("is shown to administrators as a number and a date, cannot be reactivated, and returns as a new person", async () => {
    const [{ id } = { id: "" }] = await owner().query<{ id: string }>(
      sql`select id from users where realm_id = ${realm.realmId} and forgotten_at is not null`,
    );

    expect((await admin.get(`/api/user/${id}`)).body.data).toMatchObject({
      userID: id,
      pairwiseID: "",
      email: "",
      blacklisted: true,
      forgottenDate: expect.any(String) as string,
    });
    expect(await admin.put(`/api/user/${id}/undelete`)).toBeError("user_forgotten");
    const profiles = await admin.get(`/api/user/${id}/profiles?limit=10`);
    expect(profiles.body.data).toHaveLength(2);

    await run("onboarding", `pairwiseID,email\n${ada.pairwiseId},${ada.email}\n`);
    const [again] = (await admin.get(`/api/user?search=${ada.pairwiseId}`)).body.data;
    expect(again).toMatchObject({ pairwiseID: ada.pairwiseId, email: ada.email, blacklisted: false, profileCount: 0 });
    expect(again.userID).not.toBe(id);
    expect(again).not.toHaveProperty("forgottenDate");
  });
});

describe("forgetting", () => {
  let realmId: string;
  const leaver = async (months = 3, rest: { email?: string; pairwiseId?: string } = {}): Promise<GivenUser> => {
    const user = await given.user({ realmId, ...rest });
    await owner().query(sql`update users set offboarded_at = now() where id = ${user.id}`);
    await offboardedAgo([user.id], months);
    return user;
  };
  const leavers = (count: number): Promise<GivenUser[]> => Promise.all(Array.from({ length: count }, () => leaver()));
  const entries = (): Promise<{ users: number; forgetAfterMonths: number }[]> =>
    owner().query(sql`
      select (properties ->> 'users')::integer as users, (properties ->> 'forgetAfterMonths')::integer as "forgetAfterMonths"
        from audit_entries where realm_id = ${realmId} and event = 'user_forget' order by id
    `);

  beforeEach(async () => {
    await owner().query(sql`update realms set forget_after_months = null`);
    realmId = await given.realm();
    await setForgetting(realmId, 2);
  });

  test("affects only people offboarded for longer than the realm's setting, and only in realms with that setting", async () => {
    const elsewhere = await given.user({ realmId: await given.realm() });
    await owner().query(sql`update users set offboarded_at = now() - interval '9 years' where id = ${elsewhere.id}`);
    const people = [await leaver(2), await leaver(1), await given.user({ realmId }), elsewhere];

    await forget();

    expect(await forgottenOf(people)).toEqual([true, false, false, false]);
  });

  test("affects nobody early if a clock is ahead", async () => {
    const user = await leaver(1);
    await forget({ clock: { now: () => new Date(systemClock.now().getTime() + 400 * 86_400_000) } });
    expect(await forgottenOf([user])).toEqual([false]);
  });

  test("affects nobody with an active profile", async () => {
    const [user, other] = [await leaver(), await leaver()];
    await given.profile(user);
    await forget({ slice: 1 });
    expect(await forgottenOf([user, other])).toEqual([false, true]);
  });

  test("affects nobody who is reactivated during their turn", async () => {
    const [returning, other] = [await leaver(), await leaver()];
    await owner().transaction(async (tx) => {
      await users.lock(tx, { realmId, userId: returning.id });
      await forget();
      expect(await forgottenOf([returning, other])).toEqual([false, true]);
      await users.reactivate(tx, { realmId, userId: returning.id });
    });
    await forget();
    expect(await forgottenOf([returning])).toEqual([false]);
  });

  test("affects nobody early, even if the worker calls the erasing function directly", async () => {
    const people = [await leaver(1), await given.user({ realmId })];
    const db = (worker ??= api.database.open("realmpass_worker"));
    const [answer] = await db.query<{ ids: string[] }>(sql`
      select forget_users(${people.map(({ id }) => id)}::bigint[], now() + interval '1 year') as ids
    `);
    expect(answer?.ids).toEqual([]);
    expect(await forgottenOf(people)).toEqual([false, false]);
    await expect(api.database.open("realmpass_api").query(sql`select forget_users('{}', now())`)).rejects.toThrow(
      /permission denied/,
    );
  });

  test("continues after an interruption, and counts everyone once", async () => {
    const people = await leavers(7);
    let slices = 0;
    const breaking: Clock = {
      now() {
        if (++slices === 3) throw new Error("the worker is gone");
        return systemClock.now();
      },
    };
    await expect(forget({ slice: 2, clock: breaking })).rejects.toThrow("the worker is gone");
    expect((await forgottenOf(people)).filter(Boolean)).toHaveLength(4);

    await forget({ slice: 2 });

    expect(await forgottenOf(people)).toEqual(people.map(() => true));
    expect((await entries()).reduce((sum, entry) => sum + entry.users, 0)).toBe(7);
    expect(new Set((await entries()).map((entry) => entry.forgetAfterMonths))).toEqual(new Set([2]));
  });

  test("continues in other realms if one realm's audit entry is refused, and retries that realm", async () => {
    const first = await leaver();
    realmId = await given.realm();
    await setForgetting(realmId, 2);
    const second = await leaver();
    await owner().query(
      verbatim(`create function refuse_entry() returns trigger language plpgsql as $$
             begin if new.realm_id = ${first.realmId} then raise exception 'no room for this one'; end if; return new; end $$`),
    );
    await owner().query(
      verbatim(
        "create trigger refuse_entry before insert on audit_entries for each row execute function refuse_entry()",
      ),
    );
    try {
      await expect(forget()).rejects.toThrow("no room for this one");
    } finally {
      await owner().query(verbatim("drop function refuse_entry() cascade"));
    }
    expect(await forgottenOf([first, second])).toEqual([false, true]);

    await forget();
    expect(await forgottenOf([first])).toEqual([true]);
  });

  test("happens once with several workers at the same time", async () => {
    const people = await leavers(12);
    const another = api.database.open("realmpass_worker");
    await eventually(async () => {
      await Promise.all([forget({ slice: 2 }), forget({ slice: 2, db: another }), forget({ slice: 2 })]);
      expect(await forgottenOf(people)).toEqual(people.map(() => true));
    });
    expect((await entries()).reduce((sum, entry) => sum + entry.users, 0)).toBe(12);
  });

  test("spares people in a running job; a job that was never started excludes their rows", async () => {
    const [busy, waiting, shared] = [await leaver(), await leaver(), await leaver(3, { email: "Shared@example.org" })];
    const job = (state: "running" | "ready", rows: readonly GivenRow[]) =>
      givenJob(owner(), { realmId, kind: "offboarding", rows, state, dryRun: state === "ready" });
    await job("running", [{ userId: busy.id }]);
    const ready = await job("ready", [
      { userId: waiting.id },
      { pairwiseId: "somebody else", email: "shared@example.org" },
      { email: "shared@example.org" },
    ]);

    await forget();

    expect(await forgottenOf([busy, waiting, shared])).toEqual([false, true, true]);
    expect(await rowsOf(owner(), ready)).toMatchObject([
      { status: "skipped", errorCode: "taken_out", userId: waiting.id },
      { status: "pending" },
      { status: "skipped", errorCode: "taken_out" },
    ]);
    const left = await owner().query(sql`select email from job_rows where job_id = ${ready} order by position`);
    expect(left).toEqual([{ email: null }, { email: "shared@example.org" }, { email: null }]);
    expect(await jobOf(owner(), ready)).toMatchObject({ state: "ready", total: 3, skipped: 2 });
  });

  test("spares people in a held job until that job has ended", async () => {
    const [held, control] = [await leaver(), await leaver()];
    const job = await givenJob(owner(), { realmId, kind: "offboarding", rows: [{ userId: held.id }] });
    await owner().query(sql`update jobs set state = 'grace', origin = 'scim', revoke_at = null where id = ${job}`);
    await owner().query(sql`update job_rows set status = 'working' where job_id = ${job}`);
    await forget();
    expect(await forgottenOf([held, control])).toEqual([false, true]);
    await owner().query(sql`update job_rows set status = 'changed' where job_id = ${job}`);
    await owner().query(sql`update jobs set state = 'completed', changed = 1, finished_at = now() where id = ${job}`);
    await forget();
    expect(await forgottenOf([held])).toEqual([true]);
  });

  test("erases and excludes rows with other spellings of the person's id, but not rows of a remaining person whose id differs only in spelling", async () => {
    const [first, second] = await givenTwins(owner(), { realmId, ids: ["JDoe", "jdoe"], offboardedAt: new Date(0) });
    await owner().query(sql`update users set offboarded_at = null where id = ${second!.id}`);
    const alone = await leaver(3, { pairwiseId: "Solo" });
    const job = (rows: readonly GivenRow[]) =>
      givenJob(owner(), { realmId, kind: "offboarding", rows, state: "ready", dryRun: true });
    const rows = [{ pairwiseId: "SOLO" }, { pairwiseId: "jdoe", userId: second!.id }, { pairwiseId: "solos" }];
    const done = await job(rows);
    await owner().query(sql`update job_rows set status = 'failed' where job_id = ${done}`);
    const ready = await job(rows);

    await forget();

    expect(await forgottenOf([first!, second!, alone])).toEqual([true, false, true]);
    expect(await rowsOf(owner(), ready)).toMatchObject([
      { status: "skipped", errorCode: "taken_out" },
      { status: "pending" },
      { status: "pending" },
    ]);
    const left = await owner().query(sql`
      select pairwise_id as id from job_rows where job_id = ${done} order by position
    `);
    expect(left).toEqual([{ id: null }, { id: "jdoe" }, { id: "solos" }]);
    // The id that two people shared stays taken by the remaining person; the id of the other forgotten person is free.
    await expect(given.user({ realmId, pairwiseId: "JDOE" })).rejects.toMatchObject({ constraint: "users_folded_id" });
    await given.user({ realmId, pairwiseId: "solo" });
  });

  test("removes the serial number from rows about the person's profiles, and from no other rows", async () => {
    const [user, other] = [await leaver(), await given.user({ realmId })];
    const serials = [await given.profile(user), await given.profile(other)];
    const jobId = await givenJob(owner(), {
      realmId,
      kind: "revocation",
      rows: serials.map((serialNumber) => ({ serialNumber })),
    });
    await driveJobs(() => (worker ??= api.database.open("realmpass_worker"))).run(jobId);
    expect(await jobOf(owner(), jobId)).toMatchObject({ state: "completed", changed: 2 });

    await forget();

    expect(await forgottenOf([user, other])).toEqual([true, false]);
    const kept = await owner().query(sql`
      select status, input, serial_number as serial from job_rows where job_id = ${jobId} order by position
    `);
    expect(kept).toEqual([
      { status: "changed", input: [null], serial: null },
      { status: "changed", input: [serials[1]], serial: serials[1] },
    ]);
  });
});
