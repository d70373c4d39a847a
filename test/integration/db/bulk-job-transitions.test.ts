import { beforeAll, describe, expect, test } from "vitest";
import * as waiting from "../../../db/queries/bulk-job/plan/transitions.ts";
import * as running from "../../../db/queries/bulk-job/run/transitions.ts";
import { sql } from "../../../db/sql.ts";
import { finalJobStates, jobStates, type JobState } from "../../../domain/bulk-job/job.ts";
import { followingStates, type AnyJobState } from "../../../domain/bulk-job/states.ts";
import { useDatabase } from "../../support/run/database.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";
import { givenJob } from "../../support/given/bulk-jobs.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const found = { changed: 1, unchanged: 0, failed: 0, skipped: 0, profiles: null };
const nothing = { ...found, changed: 0 };
const actor = { userId: null, clientId: "bulk" };
const states: readonly AnyJobState[] = ["receiving", ...jobStates];
let realmId = "";

beforeAll(async () => {
  realmId = await given.realm();
});

type Transition = Parameters<typeof running.fail>[1];
type Enter = (job: Transition) => Promise<boolean>;
const api = () => database.open("realmpass_api");
const worker = () => database.open("realmpass_worker");

/** Every transition into each state, with the states from which the job can make it. */
const ways: [way: string, to: JobState, from: AnyJobState[], enter: Enter][] = [
  [
    "found by a check, or without a creator who may run it",
    "ready",
    ["checking", "scheduled", "queued"],
    (job) => waiting.toReady(worker(), { ...job, found }),
  ],
  [
    "checked before its time",
    "scheduled",
    ["checking", "ready"],
    async (job) => {
      await database.owner.query(sql`update jobs set execute_at = ${fromNow(60_000)} where id = ${job.jobId}`);
      return waiting.toScheduled(worker(), { ...job, by: { found } });
    },
  ],
  [
    "started for later",
    "scheduled",
    ["ready"],
    (job) => waiting.toScheduled(api(), { ...job, by: { start: { executeAt: fromNow(60_000), confirmTotal: 1 } } }),
  ],
  [
    "checked, or its time has come",
    "queued",
    ["checking", "ready", "scheduled", "grace"],
    (job) => waiting.toQueued(worker(), { ...job, expectedChange: 1 }),
  ],
  ["started", "queued", ["ready"], (job) => waiting.toQueued(api(), { ...job, start: { confirmTotal: 1 } })],
  ["told not to wait any longer", "queued", ["grace"], (job) => waiting.endGrace(api(), job)],
  [
    "its turn",
    "running",
    ["queued"],
    (job) => running.toRunning(worker(), { ...job, expectedChange: 1, wasShown: false }),
  ],
  ["its turn once more", "running", ["queued"], (job) => running.toRunningAgain(worker(), job)],
  [
    "done with locking out, with days of grace",
    "grace",
    ["running", "cancelling"],
    async (job) => {
      await database.owner.query(sql`update jobs set grace_days = 7 where id = ${job.jobId}`);
      await database.owner.query(sql`update job_rows set status = 'working' where job_id = ${job.jobId}`);
      return running.markLockedOut(worker(), job);
    },
  ],
  [
    "asked to stop",
    "cancelling",
    ["checking", "ready", "scheduled", "queued", "running"],
    (job) => running.toCancelling(api(), { ...job, actor }),
  ],
  [
    "every row done",
    "completed",
    ["running", "cancelling"],
    (job) => running.finish(worker(), { ...job, cancelled: false }),
  ],
  [
    "every row done or failed",
    "completed_with_errors",
    ["running", "cancelling"],
    (job) => running.finish(worker(), { ...job, cancelled: false }),
  ],
  [
    "found by a check to be so already",
    "completed",
    ["checking"],
    (job) => waiting.endUnchanged(worker(), { ...job, found: { ...nothing, unchanged: 1 } }),
  ],
  [
    "found by a check to be so already, where it can be done at all",
    "completed_with_errors",
    ["checking"],
    async (job) => {
      await database.owner.query(sql`update jobs set total = 2 where id = ${job.jobId} and state = 'checking'`);
      return waiting.endUnchanged(worker(), { ...job, found: { ...nothing, unchanged: 1, failed: 1 } });
    },
  ],
  [
    "found by a check to be unusable",
    "failed",
    ["checking"],
    (job) => waiting.endUnchanged(worker(), { ...job, found: { ...nothing, failed: 1 } }),
  ],
  [
    "stopped, or undone",
    "cancelled",
    ["cancelling", "running", "grace"],
    (job) => running.finish(worker(), { ...job, cancelled: true }),
  ],
  ["given up", "failed", ["checking", "queued", "running", "cancelling"], (job) => running.fail(worker(), job)],
];

async function jobIn(state: AnyJobState, { failed }: { failed: number }): Promise<string> {
  const jobId = await givenJob(database.owner, { realmId, kind: "onboarding", rows: [{ pairwiseId: "one" }] });
  const isFinal = (finalJobStates as readonly string[]).includes(state);
  await database.owner.query(sql`
    update jobs
       set state = ${state}, changed = ${1 - failed}, failed = ${failed}, execute_at = ${fromNow(-60_000)},
           revoke_at = ${fromNow(-60_000)},
           finished_at = ${isFinal ? fromNow(0) : null}
     where id = ${jobId}
  `);
  return jobId;
}

const stateOf = async (jobId: string): Promise<{ state: string; revision: number } | undefined> => {
  const [row] = await database.owner.query<{ state: string; revision: number }>(
    sql`select state, revision::integer as revision from jobs where id = ${jobId}`,
  );
  return row;
};

describe.each(ways)("a job that is %s and becomes %s", (_, to, from, enter) => {
  test.each(states)("from %s: the job changes only if the states allow it", async (state) => {
    const jobId = await jobIn(state, { failed: to === "completed_with_errors" ? 1 : 0 });
    const isAllowed = from.includes(state);

    expect(await enter({ realmId, jobId, at: fromNow(0) })).toBe(isAllowed);
    expect(await stateOf(jobId)).toEqual(isAllowed ? { state: to, revision: 1 } : { state, revision: 0 });
  });
});

test("every permitted pair of states has a transition", () => {
  const pairs = new Set(ways.flatMap(([, to, from]) => from.map((state) => `${state} -> ${to}`)));
  const allowed = states.flatMap((state) => followingStates[state].map((next) => `${state} -> ${next}`));

  expect([...pairs, "receiving -> checking"].sort()).toEqual(allowed.sort());
});

test.each(["scheduled", "grace"] as const)(
  "a job of another realm that is %s stays unchanged, and so does a job that is not yet due by the database's clock",
  async (state) => {
    const other = await given.realm();
    const jobId = await jobIn(state, { failed: 0 });

    expect(await waiting.toQueued(worker(), { realmId: other, jobId, at: fromNow(0) })).toBe(false);
    await database.owner.query(sql`
      update jobs set execute_at = ${fromNow(60_000)}, revoke_at = ${fromNow(60_000)} where id = ${jobId}
    `);
    expect(await waiting.toQueued(worker(), { realmId, jobId, at: fromNow(120_000) })).toBe(false);
    expect(await stateOf(jobId)).toEqual({ state, revision: 0 });
  },
);

test("a job that is due by the database's clock is not scheduled for later, whatever the caller's clock shows", async () => {
  const [checked, ready] = [await jobIn("checking", { failed: 0 }), await jobIn("ready", { failed: 0 })];
  const at = fromNow(-120_000);
  const start = { executeAt: fromNow(-60_000), confirmTotal: 1 };

  expect(await waiting.toScheduled(worker(), { realmId, jobId: checked, at, by: { found } })).toBe(false);
  expect(await waiting.toScheduled(api(), { realmId, jobId: ready, at, by: { start } })).toBe(false);
});
