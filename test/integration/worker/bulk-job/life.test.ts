import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as onboarding from "../../../../db/operations/onboarding.ts";
import * as checks from "../../../../db/queries/bulk-job/plan/check.ts";
import * as rowsToOnboard from "../../../../db/queries/bulk-job/run/onboarding.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import { finalJobStates } from "../../../../domain/bulk-job/job.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { openQueues, type QueueBackend } from "../../../../runtime/queue/queues.ts";
import { advance } from "../../../../worker/bulk-job/advance.ts";
import { resumeStalledJobs } from "../../../../worker/bulk-job/resume-stalled-jobs.ts";
import { purgeJobs } from "../../../../worker/bulk-job/results/purge-jobs.ts";
import { workRows } from "../../../../worker/bulk-job/run/work-rows.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { extent } from "../../../support/run/extent.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import {
  auditOf,
  bulkClientOf,
  driveJobs,
  eventuallyIn,
  expectCountsToAddUp,
  givenJob,
  jobOf,
  rowsOf,
  notifyWorkers,
  type GivenJob,
} from "../../../support/given/bulk-jobs.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { backendFor, silentLog, startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let pool: Database | undefined;
const worker = (): Database => (pool ??= database.open("realmpass_worker"));
const jobs = driveJobs(worker);

const minute = 60_000;
const hour = 60 * minute;
const laptop = { profileName: "laptop", deviceType: "Windows", format: "pkcs12" } as const;
const names = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ pairwiseId: `person-${index}`, ...more }));

const onboardingOf = (realmId: string, rest: Partial<GivenJob> = {}) =>
  givenJob(database.owner, { realmId, kind: "onboarding", rows: names(10), ...rest });

const usersOf = async (realmId: string): Promise<number> => {
  const [row] = await database.owner.query<{ count: number }>(
    sql`select count(*)::integer as count from users where realm_id = ${realmId}`,
  );
  return row?.count ?? 0;
};

/** Sets a job's state as the API does when a job may start or must stop. */
const setState = (jobId: string, state: string) =>
  database.owner.query(sql`update jobs set state = ${state}, error_code = null where id = ${jobId}`);

const later = (ms: number) => ({ ...jobs.deps(), clock: { now: () => fromNow(ms) } });

describe("a dry run", () => {
  test("changes nothing, counts the expected changes, and then runs like any other job", async () => {
    const realmId = await given.realm();
    await given.user({ realmId, pairwiseId: "person-0" });
    await given.user({ realmId, pairwiseId: "person-1", offboardedAt: fromNow(-1000) });
    const jobId = await onboardingOf(realmId, { dryRun: true });

    await jobs.run(jobId);

    const found = { changed: 8, unchanged: 1, failed: 1, skipped: 0, done: 10, expectedChange: 8 };
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "ready", ...found, startedAt: null });
    expect(await usersOf(realmId)).toBe(2);
    expect(await auditOf(database.owner, jobId)).toEqual([]);
    const rows = await rowsOf(database.owner, jobId);
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => "pending"));
    expect(rows.slice(0, 3).map(({ expected, errorCode }) => [expected, errorCode])).toEqual([
      ["unchanged", null],
      ["failed", "user_offboarded"],
      ["changed", null],
    ]);

    await setState(jobId, "queued");
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({
      state: "completed_with_errors",
      ...found,
      errorCode: null,
    });
    expect(await usersOf(realmId)).toBe(10);
    await expectCountsToAddUp(database.owner, jobId);
  });

  test("whose result has changed by the start still runs, and reports changed_since_check", async () => {
    const realmId = await given.realm();
    const jobId = await onboardingOf(realmId, { dryRun: true });
    await jobs.run(jobId);
    await given.user({ realmId, pairwiseId: "person-3" });

    await setState(jobId, "queued");
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({
      state: "completed",
      errorCode: "changed_since_check",
      expectedChange: 9,
      changed: 9,
      unchanged: 1,
    });
  });
});

test("while the queue is unreachable, each advance of a running job works one chunk, and the last advance ends the job", async () => {
  const jobId = await onboardingOf(await given.realm(), { rows: names(1_200) });
  const { backend, close } = backendFor("postgres", database.url);
  const queues = openQueues(backend, silentLog);
  await queues.close();
  await close();

  const seen: unknown[] = [];
  for (let looks = 0; looks < 3; looks++) {
    await advance({ ...jobs.deps(), queues }, jobId);
    const { state, done } = await jobOf(database.owner, jobId);
    seen.push([state, done]);
  }
  expect(seen).toEqual([
    ["running", 500],
    ["running", 1_000],
    ["completed", 1_200],
  ]);
  await expectCountsToAddUp(database.owner, jobId);
});

test("a scheduled job shows the result of its check and runs on time, without the queue", async () => {
  const realmId = await given.realm();
  const jobId = await onboardingOf(realmId, { executeAt: fromNow(hour) });
  await jobs.run(jobId);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "scheduled", changed: 10, done: 10 });

  await resumeStalledJobs(jobs.deps());
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "scheduled" });
  await database.owner.query(sql`update jobs set execute_at = now() where id = ${jobId}`);
  await resumeStalledJobs(jobs.deps());
  await jobs.run(jobId);

  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 10 });
  expect(await usersOf(realmId)).toBe(10);
});

test("a worker whose clock is an hour ahead starts no job early, and a due job starts immediately", async () => {
  const realmId = await given.realm();
  const [soon, past] = [
    await onboardingOf(realmId, { executeAt: fromNow(30 * minute) }),
    await onboardingOf(realmId, { executeAt: fromNow(-minute) }),
  ];

  await advance(later(hour), soon);
  await resumeStalledJobs(later(hour));
  await advance(jobs.deps(), past);

  expect(await jobOf(database.owner, soon)).toMatchObject({ state: "scheduled" });
  expect(await jobOf(database.owner, past)).toMatchObject({ state: "running" });
});

describe("a cancelled job", () => {
  test.each(["checking", "ready", "scheduled", "queued"] as const)(
    "changes nothing if cancelled while %s",
    async (state) => {
      const realmId = await given.realm();
      const jobId = await onboardingOf(realmId, {
        dryRun: state === "ready",
        ...(state === "scheduled" && { executeAt: fromNow(hour) }),
      });
      if (state !== "checking") await jobs.advance(jobId);
      if (state === "queued") {
        await database.owner.query(sql`update jobs set state = 'queued', started_at = null where id = ${jobId}`);
      }
      jobs.waiting.length = 0;

      await setState(jobId, "cancelling");
      await jobs.run(jobId);

      expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", skipped: 10, done: 10 });
      await expectCountsToAddUp(database.owner, jobId);
      expect((await rowsOf(database.owner, jobId)).map(({ errorCode }) => errorCode)).toEqual(
        Array(10).fill("cancelled"),
      );
      expect(await usersOf(realmId)).toBe(0);
      expect((await auditOf(database.owner, jobId)).map(({ event }) => event)).toEqual(["job_finish"]);
    },
  );

  test("has no counts if cancelled during a dry run's check", async () => {
    const realmId = await given.realm();
    const jobId = await onboardingOf(realmId, { dryRun: true });
    await jobs.advance(jobId);
    await setState(jobId, "checking");
    await database.owner.query(sql`update job_rows set expected = null where job_id = ${jobId} and position > 5`);
    await database.owner.query(sql`update jobs set changed = 5 where id = ${jobId}`);
    const terms = {
      realmId,
      kind: "onboarding",
      undoOf: null,
      at: systemClock.now(),
      maxProfiles: 5,
      issuerNotAfter: null,
    } as const;
    await setState(jobId, "cancelling");

    await checks.checkRows(worker(), {
      jobId,
      from: 1,
      to: 11,
      terms: { ...terms, maxValidMonths: 12, keyTypes: {} },
      again: false,
      counted: true,
    });
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", changed: 0, skipped: 10 });
    await expectCountsToAddUp(database.owner, jobId);
  });

  test("keeps completed rows and skips the rest if cancelled while it runs", async () => {
    const realmId = await given.realm();
    const jobId = await onboardingOf(realmId, { rows: names(1_200) });
    await jobs.advance(jobId);
    await jobs.work(jobs.waiting.shift()!);

    await setState(jobId, "cancelling");
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", changed: 500, skipped: 700 });
    await expectCountsToAddUp(database.owner, jobId);
    expect(await usersOf(realmId)).toBe(500);
  });

  test("still revokes profiles if everyone is already locked out", async () => {
    const realmId = await given.realm();
    const users = [await given.user({ realmId }), await given.user({ realmId })];
    for (const user of users) await given.profile(user);
    const jobId = await givenJob(database.owner, {
      realmId,
      kind: "offboarding",
      rows: users.map(({ id }) => ({ userId: id })),
    });
    await jobs.advance(jobId);

    await setState(jobId, "cancelling");
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 2 });
    const active = await database.owner.query(
      sql`select from certificates where realm_id = ${realmId} and revoked_at is null`,
    );
    expect(active).toHaveLength(0);
  });
});

describe("rows numbered beyond their count, as in a retried job", () => {
  const spread = (jobId: string) =>
    database.owner.query(sql`update job_rows set position = position * 1_000 where job_id = ${jobId}`);

  test.each(["onboarding", "offboarding"] as const)("are all processed: %s", async (kind) => {
    const realmId = await given.realm();
    const users = await Promise.all([1, 2, 3].map(() => given.user({ realmId })));
    const rows = kind === "onboarding" ? names(3) : users.map(({ id }) => ({ userId: id }));
    const jobId = await givenJob(database.owner, { realmId, kind, rows });
    await spread(jobId);

    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 3 });
    await expectCountsToAddUp(database.owner, jobId);
  });

  test("are all skipped when the job is cancelled", async () => {
    const jobId = await onboardingOf(await given.realm(), { rows: names(3) });
    await spread(jobId);

    await setState(jobId, "cancelling");
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "cancelled", skipped: 3 });
  });
});

describe("each change is made once", () => {
  test("when chunks run again or at the same time", async () => {
    const realmId = await given.realm();
    const jobId = await onboardingOf(realmId, { rows: names(150, laptop) });
    await jobs.advance(jobId);
    const [chunk] = jobs.waiting.splice(0);

    await Promise.allSettled([1, 2, 3].map(() => jobs.work(chunk!)));
    await jobs.work(chunk!);
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 150 });
    await expectCountsToAddUp(database.owner, jobId);
    const events = (await auditOf(database.owner, jobId)).map(({ event }) => event);
    expect(events.filter((event) => event === "user_create")).toHaveLength(150);
    expect(events.filter((event) => event === "profile_create")).toHaveLength(150);
    expect(events.filter((event) => event === "job_finish")).toHaveLength(1);
  });

  test("when many workers advance a job at the same time", async () => {
    // Enough people for more than one slice of lock-outs.
    const people = extent(3_000, 0.4);
    const realmId = await given.realm();
    const users = await database.owner.query<{ id: string }>(sql`
      insert into users (realm_id, pairwise_id, created_at)
      select ${realmId}::bigint, 'p' || n, now() from generate_series(1, ${people}::integer) n
      returning id
    `);
    const jobId = await givenJob(database.owner, {
      realmId,
      kind: "offboarding",
      rows: users.map(({ id }) => ({ userId: id })),
      confirmTotal: people,
    });

    await Promise.all([1, 2, 3].map(() => jobs.advance(jobId)));
    await jobs.run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: people });
    await expectCountsToAddUp(database.owner, jobId);
    const events = (await auditOf(database.owner, jobId)).map(({ event }) => event);
    expect(events.filter((event) => event === "user_offboard")).toHaveLength(people);
    expect(events.filter((event) => event === "job_finish")).toHaveLength(1);
  });

  test("when the worker dies after accepting profiles, or after they are issued", async () => {
    const realmId = await given.realm();
    const jobId = await onboardingOf(realmId, { rows: names(20, laptop) });
    await jobs.advance(jobId);
    const [chunk] = jobs.waiting.splice(0);
    const deps = jobs.deps();
    const actor = { userId: null, clientId: bulkClientOf(realmId) };
    await worker().transaction((tx) =>
      onboarding.onboardRows(tx, { ...chunk!, realmId, actor, at: systemClock.now() }),
    );
    expect((await rowsOf(database.owner, jobId)).every(({ status }) => status === "working")).toBe(true);
    const accepted = await rowsToOnboard.unsettled(worker(), chunk!);
    expect(accepted).toHaveLength(20);
    await deps.issueAll(accepted.slice(0, 10));

    await jobs.work(chunk!);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 20 });
    const certificates = await database.owner.query(sql`select from certificates where realm_id = ${realmId}`);
    expect(certificates).toHaveLength(20);
  });
});

test("two jobs with the same people in opposite order, run at the same time, never make each other fail", async () => {
  const realmId = await given.realm({ maxProfiles: 2 });
  const rows = names(200, laptop);
  const phones = rows.map((row) => ({ ...row, profileName: "phone" }));
  const [one, two] = [
    await onboardingOf(realmId, { rows }),
    await onboardingOf(realmId, { rows: phones.toReversed() }),
  ];
  await jobs.advance(one);
  await jobs.advance(two);
  const chunks = jobs.waiting.splice(0);

  await Promise.all(chunks.map((chunk) => jobs.work(chunk)));

  for (const jobId of [one, two]) {
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 200 });
  }
  expect(await usersOf(realmId)).toBe(200);
});

test("two jobs with the same rows make one profile for each person and device, also while the first is unfinished", async () => {
  const realmId = await given.realm({ maxProfiles: 3 });
  const rows = names(20, laptop);
  const [one, two, phones] = [
    await onboardingOf(realmId, { rows }),
    await onboardingOf(realmId, { rows }),
    await onboardingOf(realmId, { rows: rows.map((row) => ({ ...row, profileName: "phone" })) }),
  ];
  await jobs.advance(one);
  const [chunk] = jobs.waiting.splice(0);
  const actor = { userId: null, clientId: bulkClientOf(realmId) };
  await worker().transaction((tx) => onboarding.onboardRows(tx, { ...chunk!, realmId, actor, at: systemClock.now() }));
  expect((await rowsOf(database.owner, one)).every(({ status }) => status === "working")).toBe(true);

  await jobs.run(two);
  await jobs.run(phones);
  await jobs.work(chunk!);
  await jobs.run(one);

  expect(await jobOf(database.owner, one)).toMatchObject({ state: "completed", changed: 20 });
  expect(await jobOf(database.owner, two)).toMatchObject({ state: "completed", unchanged: 20 });
  // Control: a profile of another name is another profile.
  expect(await jobOf(database.owner, phones)).toMatchObject({ state: "completed", changed: 20 });
  const profiles = await database.owner.query(sql`
    select name, count(*)::integer as profiles, count(distinct user_id)::integer as people
      from certificates
     where realm_id = ${realmId}
     group by name
     order by name
  `);
  expect(profiles).toEqual([
    { name: "laptop", profiles: 20, people: 20 },
    { name: "phone", profiles: 20, people: 20 },
  ]);
});

describe("a row that the database refuses", () => {
  async function refusing(table: string, condition: string, run: () => Promise<void>): Promise<void> {
    await database.owner.query(
      verbatim(`create function refuse_row() returns trigger language plpgsql as $$
             begin if ${condition} then raise exception 'no room for this one'; end if; return new; end $$`),
    );
    await database.owner.query(
      verbatim(
        `create trigger refuse_row before insert or update on ${table} for each row execute function refuse_row()`,
      ),
    );
    try {
      await run();
    } finally {
      await database.owner.query(verbatim("drop function refuse_row() cascade"));
    }
  }

  test("fails alone in an onboarding; the other rows of its slice are onboarded", async () => {
    const realmId = await given.realm();
    const jobId = await onboardingOf(realmId, { rows: names(60) });
    await refusing("users", "new.pairwise_id = 'person-37'", () => jobs.run(jobId));

    const rows = await rowsOf(database.owner, jobId);
    expect(rows.filter(({ status }) => status === "failed")).toMatchObject([
      { position: 38, errorCode: "internal_error", message: "Something went wrong on our side; try this row again." },
    ]);
    expect(await jobOf(database.owner, jobId)).toMatchObject({
      state: "completed_with_errors",
      changed: 59,
      failed: 1,
    });
    expect(await usersOf(realmId)).toBe(59);
  });

  test("fails alone in an offboarding", async () => {
    const realmId = await given.realm();
    for (const name of ["ann", "bob", "cyd"]) await given.user({ realmId, pairwiseId: name });
    const rows = ["ann", "bob", "cyd"].map((pairwiseId) => ({ pairwiseId }));
    const jobId = await givenJob(database.owner, { realmId, kind: "offboarding", rows });
    await refusing("users", "new.pairwise_id = 'bob'", () => jobs.run(jobId));

    expect((await rowsOf(database.owner, jobId)).map(({ status, errorCode }) => [status, errorCode])).toEqual([
      ["changed", null],
      ["failed", "internal_error"],
      ["changed", null],
    ]);
  });
});

test.each([
  { dryRun: false, refused: "queued" },
  { dryRun: true, refused: "ready" },
])("a job stopped by an error of the service fails, and its rows are skipped (dry run: $dryRun)", async (fault) => {
  const realmId = await given.realm();
  const jobId = await onboardingOf(realmId, { dryRun: fault.dryRun });
  const counted: object[] = [];
  const deps = { ...jobs.deps(), onEnd: (kind: string, counts: object) => counted.push({ kind, ...counts }) };
  await database.owner.query(
    verbatim(`create function refuse_job() returns trigger language plpgsql as $$
           begin if new.state = '${fault.refused}' then raise exception 'a bug'; end if; return new; end $$`),
  );
  await database.owner.query(
    verbatim("create trigger refuse_job before update on jobs for each row execute function refuse_job()"),
  );
  try {
    await expect(advance(deps, jobId)).rejects.toThrow();
    await expect(advance(deps, jobId)).rejects.toThrow();
    await advance(deps, jobId);
  } finally {
    await database.owner.query(verbatim("drop function refuse_job() cascade"));
  }
  expect(await jobOf(database.owner, jobId)).toMatchObject({
    state: "failed",
    errorCode: "internal_error",
    skipped: 10,
    finishedAt: expect.any(Date) as Date,
  });
  await expectCountsToAddUp(database.owner, jobId);
  expect(counted).toEqual([{ kind: "onboarding", changed: 0, unchanged: 0, failed: 0, skipped: 10 }]);
});

test("a job whose final commit fails is counted once, when it has ended", async () => {
  const jobId = await onboardingOf(await given.realm());
  const counted: object[] = [];
  const deps = { ...jobs.deps(), onEnd: (kind: string, counts: object) => counted.push({ kind, ...counts }) };
  await advance(deps, jobId);
  const chunks = jobs.waiting.splice(0);
  expect(chunks).toHaveLength(1);
  await database.owner.query(
    verbatim(`create function refuse_end() returns trigger language plpgsql as $$
         begin if new.state = 'completed' then raise exception 'a bug'; end if; return null; end $$`),
  );
  await database.owner.query(
    verbatim(`create constraint trigger refuse_end after update on jobs deferrable initially deferred
                for each row execute function refuse_end()`),
  );
  try {
    for (const chunk of chunks) await expect(workRows(deps, chunk)).rejects.toThrow("a bug");
  } finally {
    await database.owner.query(verbatim("drop function refuse_end() cascade"));
  }
  expect(counted).toEqual([]);

  await advance(deps, jobId);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed" });
  expect(counted).toEqual([{ kind: "onboarding", changed: 10, unchanged: 0, failed: 0, skipped: 0 }]);
});

describe("jobs of one realm", () => {
  test("run two at a time, in order of arrival", async () => {
    const realmId = await given.realm();
    const four: string[] = [];
    for (let index = 0; index < 4; index++) {
      four.push(
        await onboardingOf(realmId, { createdAt: fromNow(index - 1000), rows: [{ pairwiseId: `job-${index}` }] }),
      );
    }
    const states = () => Promise.all(four.map(async (jobId) => (await jobOf(database.owner, jobId)).state));

    for (const index of [0, 1, 3, 2]) await jobs.advance(four[index]!);
    expect(await states()).toEqual(["running", "running", "queued", "queued"]);

    await jobs.work(jobs.waiting.find(({ jobId }) => jobId === four[1])!);
    await Promise.all([jobs.advance(four[3]!), resumeStalledJobs(later(5_000)), jobs.advance(four[2]!)]);
    expect(await states()).toEqual(["running", "completed", "running", "queued"]);
    jobs.waiting.length = 0;
  });
});

describe("upkeep", () => {
  async function finished(rest: Partial<GivenJob> = {}): Promise<string> {
    const jobId = await onboardingOf(await given.realm(), { rows: names(3, laptop), ...rest });
    await jobs.run(jobId);
    expect(finalJobStates).toContain((await jobOf(database.owner, jobId)).state);
    return jobId;
  }
  const sealed = async (jobId: string) =>
    (await database.owner.query(sql`select from issuance_outputs where job_id = ${jobId} and sealed is not null`))
      .length;
  const exists = async (jobId: string) =>
    (await database.owner.query(sql`select from jobs where id = ${jobId}`)).length > 0;

  test("erases the output of a job 24 hours after it ended, and not before", async () => {
    const jobId = await finished();
    await purgeJobs(later(24 * hour - minute));
    expect(await sealed(jobId)).toBe(3);
    await purgeJobs(later(24 * hour + minute));
    expect(await sealed(jobId)).toBe(0);
    expect((await jobOf(database.owner, jobId)).outputErasedAt).not.toBeNull();
    expect(await rowsOf(database.owner, jobId)).toHaveLength(3);
  });

  test("removes a job with its rows 90 days after it ended, and not before", async () => {
    const jobId = await finished();
    // Sets the job's end to this many milliseconds ago. The database refuses early removal by its own clock, so
    // changing a worker's clock would not suffice.
    const finishedAgo = (ms: number) =>
      database.owner.query(sql`update jobs set finished_at = ${fromNow(-ms)} where id = ${jobId}`);
    await finishedAgo(90 * 24 * hour - minute);
    await purgeJobs(later(0));
    expect(await exists(jobId)).toBe(true);
    await finishedAgo(90 * 24 * hour + minute);
    await purgeJobs(later(0));
    expect(await exists(jobId)).toBe(false);
    expect(await rowsOf(database.owner, jobId)).toEqual([]);
  });

  test("removes an upload that has received nothing for ten minutes, and no other job", async () => {
    const realmId = await given.realm();
    const broken = await onboardingOf(realmId, { state: "receiving", createdAt: fromNow(-11 * minute) });
    const slow = await onboardingOf(realmId, { state: "receiving", createdAt: fromNow(-9 * minute) });
    const old = await onboardingOf(realmId, { state: "ready", createdAt: fromNow(-11 * minute) });
    await purgeJobs({ db: worker(), clock: systemClock, log: silentLog });
    expect(await Promise.all([broken, slow, old].map(exists))).toEqual([false, true, true]);
    await jobs.run(slow);
    expect(await usersOf(realmId)).toBe(0);
  });
});

test("a chunk whose profile another worker has claimed is retried until that profile is settled", async () => {
  const realmId = await given.realm();
  const jobId = await onboardingOf(realmId, { rows: names(2, laptop) });
  await jobs.advance(jobId);
  const [chunk] = jobs.waiting.splice(0);
  const nobody = { ...jobs.deps(), issueAll: () => Promise.resolve(new Map()) };

  await expect(workRows(nobody, chunk!)).rejects.toThrow("rows are not settled yet");
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "running", done: 0 });

  await jobs.work(chunk!);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 2 });
});

async function emptyQueue(kind: QueueBackend["kind"]): Promise<void> {
  const { backend, close } = backendFor(kind, database.url);
  if (backend.kind === "redis") {
    const redis = new Redis(backend.url);
    await redis.flushdb();
    redis.disconnect();
  } else {
    await backend.pool.query("delete from job");
  }
  await close();
}

function behaviour(kind: QueueBackend["kind"]): void {
  test("a job continues even if the queue has lost all its tasks", async () => {
    const realmId = await given.realm();
    const waiting = await onboardingOf(realmId, { rows: names(700) });
    await jobs.advance(waiting);
    jobs.waiting.length = 0;
    const unnoticed = await onboardingOf(await given.realm());
    for (const jobId of [waiting, unnoticed]) {
      await database.owner.query(sql`update jobs set progress_at = ${fromNow(-minute)} where id = ${jobId}`);
    }
    await emptyQueue(kind);

    const { stop } = await startTestWorker({ databaseUrl: database.url, kind });

    expect(await eventuallyIn(database.owner, waiting, ["completed"])).toMatchObject({ changed: 700 });
    expect(await eventuallyIn(database.owner, unnoticed, ["completed"])).toMatchObject({ changed: 10 });
    await stop();
  });

  test("a small job of one realm does not wait for a large job of another realm", async () => {
    const rows = extent(15_000, 0.25);
    const large = await onboardingOf(await given.realm(), { rows: names(rows) });
    const small = await onboardingOf(await given.realm(), { rows: names(100) });
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    await notifyWorkers(queues, large);
    await eventually(async () => {
      expect((await jobOf(database.owner, large)).done).toBeGreaterThan(0);
    });

    await notifyWorkers(queues, small);

    await eventuallyIn(database.owner, small, ["completed"], 60_000);
    expect((await jobOf(database.owner, large)).done).toBeLessThan(0.8 * rows);
    await eventuallyIn(database.owner, large, ["completed"], 120_000);
    await stop();
  }, 180_000);
}

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "on Redis", () => {
  behaviour("redis");
});
