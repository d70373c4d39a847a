import { beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as bulkJobs from "../../../../db/queries/bulk-job/jobs.ts";
import * as receiving from "../../../../db/queries/bulk-job/input/receive.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { sql } from "../../../../db/sql.ts";
import type { Clock } from "../../../../runtime/clock.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { resumeStalledJobs } from "../../../../worker/bulk-job/resume-stalled-jobs.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { fromNow, givenRows, type GivenUser } from "../../../support/given/given.ts";
import {
  auditOf,
  bulkClientOf,
  driveJobs,
  expectCountsToAddUp,
  givenJob,
  jobOf,
  rowsOf,
  type GivenJob,
} from "../../../support/given/bulk-jobs.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const hour = 3_600_000;
const day = 24 * hour;
/** How far the workers' clock is ahead, in milliseconds. */
let ahead = 0;
const clock: Clock = { now: () => new Date(systemClock.now().getTime() + ahead) };
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= database.open("realmpass_worker")), { clock });

beforeEach(() => {
  ahead = 0;
});

async function people(realmId: string, count: number, profilesEach = 1): Promise<GivenUser[]> {
  const made: GivenUser[] = [];
  for (let index = 0; index < count; index++) {
    const user = await given.user({ realmId });
    for (let profile = 0; profile < profilesEach; profile++) await given.profile(user, { name: `device-${profile}` });
    made.push(user);
  }
  return made;
}

const leaving = (realmId: string, leavers: readonly GivenUser[], rest: Partial<GivenJob> = {}): Promise<string> =>
  givenJob(database.owner, {
    realmId,
    kind: "offboarding",
    rows: leavers.map(({ id }) => ({ userId: id })),
    graceDays: 7,
    ...rest,
  });

const goodProfiles = async (realmId: string): Promise<number> =>
  (await database.owner.query(sql`select from certificates where realm_id = ${realmId} and revoked_at is null`)).length;

const lockedOut = async (realmId: string): Promise<number> =>
  (await database.owner.query(sql`select from users where realm_id = ${realmId} and offboarded_at is not null`)).length;

const statuses = async (jobId: string) =>
  (await rowsOf(database.owner, jobId)).map(({ status, errorCode }) => [status, errorCode]);

/** Sets the end of a job's grace period to this many milliseconds from now; 0 ends the period. */
const leaveDays = (jobId: string, ms: number) =>
  database.owner.query(sql`update jobs set revoke_at = ${fromNow(ms)} where id = ${jobId}`);

/** Runs the workers' scheduled steps until no queued chunk is left. */
async function attend(jobId: string): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await resumeStalledJobs(jobs.deps());
  for (let chunk = jobs.waiting.shift(); chunk !== undefined; chunk = jobs.waiting.shift()) await jobs.work(chunk);
  await jobs.advance(jobId);
}

describe("an offboarding with a grace period", () => {
  test("locks everyone out immediately, and revokes nothing before the period ends", async () => {
    const realmId = await given.realm();
    const leavers = await people(realmId, 3, 2);
    const jobId = await leaving(realmId, leavers);

    await jobs.run(jobId);

    const job = await jobOf(database.owner, jobId);
    expect(job).toMatchObject({ state: "grace", done: 0, finishedAt: null });
    expect(job.revokeAt).toEqual(new Date(job.markedAt!.getTime() + 7 * day));
    expect(await lockedOut(realmId)).toBe(3);
    expect(await goodProfiles(realmId)).toBe(6);
    const audited = (await auditOf(database.owner, jobId)).filter(({ event }) => event === "user_offboard");
    expect(audited).toHaveLength(3);
    for (const { properties } of audited) expect(properties["revokeAt"]).toMatch(/^20\d\d-/);

    await leaveDays(jobId, 60_000);
    await attend(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "grace", done: 0 });
    expect(await goodProfiles(realmId)).toBe(6);

    await leaveDays(jobId, 0);
    await attend(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({
      state: "completed",
      changed: 3,
      startedAt: job.startedAt,
    });
    expect(await goodProfiles(realmId)).toBe(0);
    expect((await auditOf(database.owner, jobId)).filter(({ event }) => event === "user_offboard")).toHaveLength(3);
    await expectCountsToAddUp(database.owner, jobId);
  });

  test("is not cut short by a worker whose clock is an hour ahead", async () => {
    const realmId = await given.realm();
    const jobId = await leaving(realmId, await people(realmId, 2));
    await jobs.run(jobId);
    await leaveDays(jobId, hour / 2);

    ahead = hour;
    await attend(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "grace", done: 0 });
    expect(await goodProfiles(realmId)).toBe(2);

    await leaveDays(jobId, 0);
    await attend(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 2 });
  });

  test("delays no other job, does not count as backlog and is not reported as stalled", async () => {
    const realmId = await given.realm();
    for (const person of await people(realmId, 3)) await jobs.run(await leaving(realmId, [person]));
    const others = await people(realmId, 1);
    const rows = others.map(({ id }) => ({ userId: id }));
    const next = await givenJob(database.owner, { realmId, kind: "offboarding", rows });

    await jobs.run(next);
    ahead = day;
    const found = await database.owner.transaction((tx) => receiving.lockWaitingRows(tx, realmId));

    expect(await jobOf(database.owner, next)).toMatchObject({ state: "completed", changed: 1 });
    expect(found).toBe(0);
    const page = { limit: 10, offset: 0, search: undefined, filter: {}, sort: [] };
    const { items } = await bulkJobs.list(database.owner, { realmId, at: clock.now(), page });
    expect(items.filter(({ state }) => state === "grace").map(({ stalled }) => stalled)).toEqual([false, false, false]);
  });

  test("ends immediately if no person in the job has a device", async () => {
    const realmId = await given.realm();
    const jobId = await leaving(realmId, await people(realmId, 2, 0));

    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 2, revokeAt: null });
  });

  test("leaves out people who were reactivated during the period", async () => {
    const realmId = await given.realm();
    const [ann, bob] = await people(realmId, 2);
    const jobId = await leaving(realmId, [ann!, bob!]);
    await jobs.run(jobId);
    await users.reactivate(database.owner, { realmId, userId: bob!.id });

    await leaveDays(jobId, 0);
    await attend(jobId);

    expect(await statuses(jobId)).toEqual([
      ["changed", null],
      ["skipped", "changed_since"],
    ]);
    expect(await goodProfiles(realmId)).toBe(1);
  });

  test("completes even if its creator was switched off during the period", async () => {
    const realmId = await given.realm();
    const jobId = await leaving(realmId, await people(realmId, 2));
    await jobs.run(jobId);
    await database.owner.query(sql`
      update applications set active = false where client_id = ${bulkClientOf(realmId)}
    `);

    await leaveDays(jobId, 0);
    await attend(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 2, errorCode: null });
    expect(await goodProfiles(realmId)).toBe(0);
  });

  test("if cancelled, keeps the grace period of people already locked out, and locks out nobody else", async () => {
    const realmId = await given.realm();
    const leavers = await people(realmId, 2);
    const jobId = await leaving(realmId, leavers, { state: "queued" });
    await jobs.deps().db.query(sql`
      update jobs set state = 'running', started_at = now(), expected_change = 2 where id = ${jobId}
    `);
    await database.owner.query(sql`
      update users set offboarded_at = now(), offboarding_job_id = ${jobId} where id = ${leavers[0]!.id}
    `);
    await database.owner.query(sql`update job_rows set status = 'working' where job_id = ${jobId} and position = 1`);
    await database.owner.query(sql`update jobs set state = 'cancelling' where id = ${jobId}`);

    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "grace", skipped: 1 });
    expect(await goodProfiles(realmId)).toBe(2);
    await leaveDays(jobId, 0);
    await attend(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", changed: 1, skipped: 1 });
    expect(await goodProfiles(realmId)).toBe(1);
    expect(await lockedOut(realmId)).toBe(1);
  });
});

describe("a reactivation", () => {
  const returning = (realmId: string, rows: GivenJob["rows"], rest: Partial<GivenJob> = {}): Promise<string> =>
    givenJob(database.owner, { realmId, kind: "reactivation", rows, ...rest });

  test("reactivates offboarded people, and reports the reason for each other row", async () => {
    const realmId = await given.realm();
    const elsewhere = await given.user({ realmId: await given.realm(), offboardedAt: fromNow(-1_000) });
    const [out, named, active] = [
      await given.user({ realmId, offboardedAt: fromNow(-1_000) }),
      await given.user({ realmId, offboardedAt: fromNow(-1_000), pairwiseId: "by name" }),
      await given.user({ realmId }),
    ];
    const jobId = await returning(realmId, [
      { userId: out.id },
      { pairwiseId: "by name" },
      { userId: active.id },
      { userId: out.id },
      { userId: elsewhere.id },
      { pairwiseId: "nobody" },
    ]);

    await jobs.run(jobId);

    expect(await statuses(jobId)).toEqual([
      ["changed", null],
      ["changed", null],
      ["unchanged", null],
      ["failed", "duplicate_row"],
      ["failed", "user_not_found"],
      ["failed", "user_not_found"],
    ]);
    await expectCountsToAddUp(database.owner, jobId);
    expect(await lockedOut(realmId)).toBe(0);
    const audited = (await auditOf(database.owner, jobId)).filter(({ event }) => event === "user_undelete");
    expect(audited.map(({ properties }) => properties["userID"])).toEqual([out.id, named.id]);
    expect(audited[0]!.properties).toEqual({
      userID: out.id,
      before: { blacklistDate: expect.any(String) },
      after: { blacklistDate: null },
      job: jobId,
      profilesKept: 0,
    });
  });

  test("keeps the devices of people in their grace period", async () => {
    const realmId = await given.realm();
    const [ann, bob] = await people(realmId, 2);
    const offboarding = await leaving(realmId, [ann!, bob!]);
    await jobs.run(offboarding);

    await jobs.run(await returning(realmId, [{ userId: ann!.id }]));
    await leaveDays(offboarding, 0);
    await attend(offboarding);

    expect(await statuses(offboarding)).toEqual([
      ["skipped", "changed_since"],
      ["changed", null],
    ]);
    expect(await goodProfiles(realmId)).toBe(1);
  });

  test("reactivates nobody else once it is cancelled", async () => {
    const realmId = await given.realm();
    const out = await given.user({ realmId, offboardedAt: fromNow(-1_000) });
    const jobId = await returning(realmId, [{ userId: out.id }]);
    await jobs.advance(jobId);
    await database.owner.query(sql`update jobs set state = 'cancelling' where id = ${jobId}`);

    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", skipped: 1 });
    expect(await lockedOut(realmId)).toBe(1);
  });

  test("of many of the realm's people starts only if their number is confirmed", async () => {
    const realmId = await given.realm();
    const rows = await database.owner.query<{ userId: string }>(sql`
      insert into users (realm_id, pairwise_id, created_at, offboarded_at)
      select ${realmId}::bigint, 'out-' || n, now(), now() from generate_series(1, 101) n
      returning id as "userId"
    `);
    const asked = await returning(realmId, rows);
    await jobs.run(asked);
    expect(await jobOf(database.owner, asked)).toMatchObject({
      state: "ready",
      errorCode: "confirmation_required",
      expectedChange: 101,
    });

    const confirmed = await returning(realmId, rows, { confirmTotal: 101 });
    await jobs.run(confirmed);
    expect(await jobOf(database.owner, confirmed)).toMatchObject({ state: "completed", changed: 101 });
  });
});
