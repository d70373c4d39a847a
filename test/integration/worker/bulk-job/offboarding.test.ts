import { describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as retry from "../../../../db/queries/bulk-job/plan/retry.ts";
import * as offboardingOperations from "../../../../db/operations/offboarding.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { sql, type Sql, verbatim } from "../../../../db/sql.ts";
import type { QueueBackend } from "../../../../runtime/queue/queues.ts";
import { advance } from "../../../../worker/bulk-job/advance.ts";
import { resumeStalledJobs } from "../../../../worker/bulk-job/resume-stalled-jobs.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { fromNow, givenRows, type GivenUser } from "../../../support/given/given.ts";
import { givenIssuance } from "../../../support/given/issuing.ts";
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
  type GivenRow,
} from "../../../support/given/bulk-jobs.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let worker: Database | undefined;
const jobs = driveJobs(() => (worker ??= database.open("realmpass_worker")));

const offboarding = (realmId: string, rows: readonly GivenRow[], rest: Partial<GivenJob> = {}) =>
  givenJob(database.owner, { realmId, kind: "offboarding", rows, ...rest });

async function people(realmId: string, count: number, profilesEach = 0): Promise<GivenUser[]> {
  const made: GivenUser[] = [];
  for (let index = 0; index < count; index++) {
    const user = await given.user({ realmId });
    for (let profile = 0; profile < profilesEach; profile++) await given.profile(user, { name: `device-${profile}` });
    made.push(user);
  }
  return made;
}

/** Makes any number of users, without profiles. */
async function crowd(realmId: string, count: number): Promise<GivenRow[]> {
  const rows = await database.owner.query<{ id: string }>(sql`
    insert into users (realm_id, pairwise_id, created_at)
    select ${realmId}::bigint, 'crowd-' || gen_random_uuid(), now() from generate_series(1, ${count}::integer)
    returning id
  `);
  return rows.map(({ id }) => ({ userId: id }));
}

const countOf = async (statement: ReturnType<typeof sql>): Promise<number> =>
  (
    await database.owner.query<{ count: number }>(sql`select count(*)::integer as count from (${statement}) as found`)
  )[0]?.count ?? 0;

const serialsOf = async ({ id }: GivenUser): Promise<string[]> =>
  (
    await database.owner.query<{ serial: string }>(
      sql`select serial_number as serial from certificates where user_id = ${id} order by id`,
    )
  ).map(({ serial }) => serial);

const activeProfiles = (realmId: string): Promise<number> =>
  countOf(sql`select from certificates where realm_id = ${realmId} and revoked_at is null`);

function behaviour(kind: QueueBackend["kind"]): void {
  test("everyone is locked out and loses every profile, each audited once", async () => {
    const realmId = await given.realm();
    const leaving = await people(realmId, 60, 3);
    const staying = await people(realmId, 2, 2);
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    const jobId = await offboarding(
      realmId,
      leaving.map(({ id }) => ({ userId: id })),
    );

    await notifyWorkers(queues, jobId);

    expect(await eventuallyIn(database.owner, jobId, ["completed", "completed_with_errors"])).toMatchObject({
      state: "completed",
      changed: 60,
      done: 60,
    });
    expect(await activeProfiles(realmId)).toBe(4);
    expect(await countOf(sql`select from users where realm_id = ${realmId} and offboarded_at is null`)).toBe(
      staying.length,
    );
    const audited = (await auditOf(database.owner, jobId)).filter(({ event }) => event === "user_offboard");
    expect(new Set(audited.map(({ properties }) => properties["userID"]))).toEqual(
      new Set(leaving.map(({ id }) => id)),
    );
    expect(audited).toHaveLength(60);
    await stop();
  });
}

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "on Redis", () => {
  behaviour("redis");
});

test("a realm's last administrator fails in the check and in the job, and everyone else in the job is offboarded", async () => {
  const realmId = await given.realm();
  const only = await given.user({ realmId, administrator: true });
  const rows = [only, ...(await people(realmId, 2))].map(({ id }) => ({ userId: id }));
  const outcomes = async (jobId: string) =>
    (await rowsOf(database.owner, jobId)).map(({ expected, status, errorCode }) => [expected ?? status, errorCode]);

  const checked = await offboarding(realmId, rows, { dryRun: true });
  await jobs.advance(checked);
  expect(await outcomes(checked)).toEqual([
    ["failed", "last_administrator"],
    ["changed", null],
    ["changed", null],
  ]);

  // The check finds nobody who must stay. But if a job offboards all administrators, the last of them stays.
  const another = await given.user({ realmId, administrator: true });
  const jobId = await offboarding(realmId, [...rows, { userId: another.id }]);
  await jobs.run(jobId);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed_with_errors", changed: 3, failed: 1 });
  const left = await database.owner.query(sql`
    select id from users where realm_id = ${realmId} and offboarded_at is null
  `);
  expect(left).toEqual([{ id: another.id }]);
  const [row] = (await rowsOf(database.owner, jobId)).slice(-1);
  expect(row).toMatchObject({ status: "failed", errorCode: "last_administrator" });
});

test("every kind of row gets its result, all in one job", async () => {
  const realmId = await given.realm();
  const elsewhere = await given.user({ realmId: await given.realm() });
  const [plain, locked, gone, named, both] = [
    await given.user({ realmId }),
    await given.user({ realmId, lockedAt: fromNow(-1000) }),
    await given.user({ realmId, offboardedAt: fromNow(-1000) }),
    await given.user({ realmId, pairwiseId: "by name" }),
    await given.user({ realmId, pairwiseId: "by both" }),
  ];
  await given.profile(locked);
  const jobId = await offboarding(realmId, [
    { userId: plain.id },
    { userId: locked.id },
    { userId: gone.id },
    { pairwiseId: "by name" },
    { userId: both.id, pairwiseId: "by both" },
    { userId: both.id, pairwiseId: "somebody else" },
    { userId: named.id },
    { userId: plain.id },
    { userId: elsewhere.id },
    { userId: "999999999" },
    { pairwiseId: "nobody" },
    { pairwiseId: "nobody" },
    { invalid: "userID: must be a decimal identifier" },
  ]);

  await jobs.run(jobId);

  await expectCountsToAddUp(database.owner, jobId);
  expect(
    (await rowsOf(database.owner, jobId)).map(({ status, errorCode, message }) => [status, errorCode, message]),
  ).toEqual([
    ["changed", null, null],
    ["changed", null, null],
    ["unchanged", null, null],
    ["changed", null, null],
    ["changed", null, null],
    ["failed", "duplicate_row", "the same person as row 5"],
    ["failed", "duplicate_row", "the same person as row 4"],
    ["failed", "duplicate_row", "the same person as row 1"],
    ["failed", "user_not_found", "There is no such user in this realm."],
    ["failed", "user_not_found", "There is no such user in this realm."],
    ["failed", "user_not_found", "There is no such user in this realm."],
    ["failed", "duplicate_row", "the same person as row 11"],
    ["failed", "invalid_row", "userID: must be a decimal identifier"],
  ]);
  expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed_with_errors", expectedChange: 4 });
  expect(await countOf(sql`select from users where id = ${elsewhere.id} and offboarded_at is null`)).toBe(1);
  expect(
    await countOf(sql`select from users where id = ${gone.id} and offboarded_at < now() - interval '0.9 second'`),
  ).toBe(1);
});

test("a row whose userID and pairwiseID belong to different people matches nobody", async () => {
  const realmId = await given.realm();
  const [ann, bob] = [
    await given.user({ realmId, pairwiseId: "ann" }),
    await given.user({ realmId, pairwiseId: "bob" }),
  ];
  const jobId = await offboarding(realmId, [{ userId: ann.id, pairwiseId: "bob" }]);
  await jobs.run(jobId);
  expect(await rowsOf(database.owner, jobId)).toMatchObject([{ status: "failed", errorCode: "user_not_found" }]);
  expect(await countOf(sql`select from users where id in (${ann.id}, ${bob.id}) and offboarded_at is null`)).toBe(2);
});

test("each audit entry records the profiles lost", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const serials = [await given.profile(user), await given.profile(user)];
  await given.profile(user, { createdAt: fromNow(-2000), notAfter: fromNow(-1000) });
  const jobId = await offboarding(realmId, [{ userId: user.id }]);

  await jobs.run(jobId);

  expect(await auditOf(database.owner, jobId)).toEqual([
    {
      event: "user_offboard",
      clientId: bulkClientOf(realmId),
      properties: { userID: user.id, reason: 5, profiles: 2, serials, job: jobId },
    },
    {
      event: "job_finish",
      clientId: bulkClientOf(realmId),
      properties: {
        job: jobId,
        kind: "offboarding",
        state: "completed",
        total: 1,
        changed: 1,
        unchanged: 0,
        failed: 0,
        skipped: 0,
      },
    },
  ]);
  const revoked = await database.owner.query(sql`
    select distinct revocation_reason as reason from certificates where user_id = ${user.id} and revoked_at is not null
  `);
  expect(revoked).toEqual([{ reason: 5 }]);
});

test("everyone is signed out, and their pending creations fail, before the first profile is revoked", async () => {
  const realmId = await given.realm();
  const leaving = await people(realmId, 5, 1);
  const staying = await given.user({ realmId });
  for (const user of [...leaving, staying]) {
    await given.login(user);
    await given.session({ user });
    await given.token({ realmId, userId: user.id });
    await given.signInLink(user);
  }
  const [first] = leaving;
  const issuance = await givenIssuance(database.owner, { realmId, userId: first!.id });
  const jobId = await offboarding(
    realmId,
    leaving.map(({ id }) => ({ userId: id })),
  );

  await jobs.advance(jobId);

  expect(await activeProfiles(realmId)).toBe(5);
  expect(await countOf(sql`select from users where realm_id = ${realmId} and offboarded_at is not null`)).toBe(5);
  for (const table of [sql`logins`, sql`sessions`, sql`access_tokens`, sql`sign_in_links`]) {
    const ids = leaving.map(({ id }) => id);
    expect(await countOf(sql`select from ${table} where user_id = any(${ids}::bigint[])`)).toBe(0);
    expect(await countOf(sql`select from ${table} where user_id = ${staying.id}`)).toBeGreaterThan(0);
  }
  expect(
    await database.owner.query(sql`select status, error_code as code from issuances where id = ${issuance}`),
  ).toEqual([{ status: "failed", code: "user_offboarded" }]);
  expect(await jobOf(database.owner, jobId)).toMatchObject({
    state: "running",
    done: 0,
    markedAt: expect.any(Date) as Date,
  });

  await jobs.run(jobId);
  expect(await activeProfiles(realmId)).toBe(0);
});

describe("an offboarding of more than a fifth of the realm", () => {
  test.each([
    { people: 100, of: 100, confirmTotal: undefined, state: "completed", why: "of no more than 100 people" },
    { people: 101, of: 101, confirmTotal: undefined, state: "ready", why: "of 101 people" },
    { people: 101, of: 505, confirmTotal: undefined, state: "completed", why: "that is exactly a fifth" },
    { people: 101, of: 504, confirmTotal: undefined, state: "ready", why: "that is slightly more than a fifth" },
    { people: 101, of: 101, confirmTotal: 101, state: "completed", why: "whose number is right" },
    { people: 101, of: 101, confirmTotal: 100, state: "ready", why: "whose number is wrong" },
  ])("$why: $people of $of, confirmed $confirmTotal: $state", async ({ people: count, of, confirmTotal, state }) => {
    const realmId = await given.realm();
    const rows = await crowd(realmId, of);
    const jobId = await offboarding(realmId, [...rows.slice(0, count), { pairwiseId: "nobody" }], {
      ...(confirmTotal === undefined ? {} : { confirmTotal }),
    });

    await jobs.run(jobId);

    const job = await jobOf(database.owner, jobId);
    if (state === "ready") {
      expect(job).toMatchObject({
        state,
        errorCode: "confirmation_required",
        changed: count,
        failed: 1,
        done: count + 1,
      });
      expect(await countOf(sql`select from users where realm_id = ${realmId} and offboarded_at is not null`)).toBe(0);
    } else {
      expect(job).toMatchObject({ state: "completed_with_errors", errorCode: null, changed: count, failed: 1 });
    }
  });

  test("is measured against the share that the realm has set", async () => {
    const realmId = await given.realm();
    await database.owner.query(sql`update realms set offboarding_share_percent = 100 where id = ${realmId}`);
    const jobId = await offboarding(realmId, await crowd(realmId, 150));
    await jobs.run(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 150 });
  });
});

describe("an interrupted offboarding", () => {
  /** Calls `run` while a trigger before `when` refuses the rows that meet the condition. */
  async function refusing(when: string, condition: string, run: () => Promise<void>): Promise<void> {
    const statement = (text: string) => database.owner.query(verbatim(text));
    await statement(`create function refuse() returns trigger language plpgsql as $$
                     begin if ${condition} then raise exception 'a bug'; end if; return new; end $$`);
    await statement(`create trigger refuse before ${when} for each row execute function refuse()`);
    try {
      await run();
    } finally {
      await statement("drop function refuse() cascade");
    }
  }

  const rowsFor = (leaving: readonly GivenUser[]): GivenRow[] => leaving.map(({ id }) => ({ userId: id }));
  const statuses = async (jobId: string) =>
    (await rowsOf(database.owner, jobId)).map(({ status, errorCode }) => [status, errorCode]);
  const reactivate = (realmId: string, { id: userId }: GivenUser): Promise<void> =>
    database.owner.transaction((tx) => users.reactivate(tx, { realmId, userId }));

  test("revokes every profile even if it ends as failed after everyone is locked out", async () => {
    const realmId = await given.realm();
    const jobId = await offboarding(realmId, rowsFor(await people(realmId, 3, 2)));
    const deps = jobs.deps();
    await refusing("update on jobs", "new.marked_at is not null", async () => {
      await expect(advance(deps, jobId)).rejects.toThrow();
      expect(await activeProfiles(realmId)).toBe(6);
      await expect(advance(deps, jobId)).rejects.toThrow();
      await advance(deps, jobId);
    });

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "failed", changed: 3, skipped: 0 });
    await expectCountsToAddUp(database.owner, jobId);
    expect(await activeProfiles(realmId)).toBe(0);
  });

  test.each(["another job", "a retry of the job", "a call for each person"])(
    "is completed by %s after a profile could not be revoked",
    async (repeat) => {
      const realmId = await given.realm();
      const [ann, bob] = await people(realmId, 2, 1);
      const first = await offboarding(realmId, rowsFor([ann!, bob!]));
      const [serial] = await serialsOf(ann!);
      await refusing(
        "insert on revocations",
        `new.certificate_id = (select id from certificates where serial_number = '${serial}')`,
        () => jobs.run(first),
      );
      expect(await statuses(first)).toEqual([
        ["failed", "internal_error"],
        ["changed", null],
      ]);
      expect(await activeProfiles(realmId)).toBe(1);

      const actor = { userId: null, clientId: bulkClientOf(realmId) };
      if (repeat === "a call for each person") {
        for (const { id: userId } of [ann!, bob!]) {
          const offboarded = await database.owner.transaction((tx) =>
            offboardingOperations.offboard(tx, { realmId, userId, reason: 5, actor, at: fromNow(0) }),
          );
          expect(offboarded).not.toBe("not_found");
        }
      } else {
        const again = await offboarding(realmId, repeat === "another job" ? rowsFor([ann!, bob!]) : []);
        if (repeat !== "another job") {
          await database.owner.query(sql`update jobs set total = 1 where id = ${again}`);
          expect(await retry.copyFailed(database.owner, { from: first, to: again })).toBe(1);
        }
        await jobs.run(again);
        expect(await jobOf(database.owner, again)).toMatchObject({ state: "completed", expectedChange: 1, changed: 1 });
      }

      expect(await activeProfiles(realmId)).toBe(0);
      const audited = await database.owner.query<{ user: string; serials: string[] }>(sql`
        select properties ->> 'userID' as user, properties -> 'serials' as serials
          from audit_entries
         where realm_id = ${realmId}
           and event = 'user_offboard'
         order by id
      `);
      expect(audited.slice(2)).toEqual([{ user: ann!.id, serials: [serial] }]);
    },
  );

  test("revokes no profile of a person reactivated since the interruption, not even a newer profile", async () => {
    const realmId = await given.realm();
    const [ann, bob, cyd] = await people(realmId, 3, 1);
    const jobId = await offboarding(realmId, rowsFor([ann!, bob!, cyd!]));
    await jobs.advance(jobId);
    await reactivate(realmId, bob!);
    await given.profile(bob!);

    await jobs.run(jobId);

    expect(await statuses(jobId)).toEqual([
      ["changed", null],
      ["skipped", "changed_since"],
      ["changed", null],
    ]);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: 2, skipped: 1 });
    expect(await activeProfiles(realmId)).toBe(2);
    expect(await countOf(sql`select from users where id = ${bob!.id} and offboarded_at is null`)).toBe(1);
  });

  test("is completed by the job that locked the person out last", async () => {
    const realmId = await given.realm();
    const [ann, bob] = await people(realmId, 2, 1);
    const first = await offboarding(realmId, rowsFor([ann!, bob!]));
    await jobs.advance(first);
    await reactivate(realmId, bob!);
    const second = await offboarding(realmId, rowsFor([bob!]));
    await jobs.advance(second);
    const [firstChunk, secondChunk] = jobs.waiting.splice(0);

    await jobs.work(firstChunk!);
    expect(await statuses(first)).toEqual([
      ["changed", null],
      ["skipped", "changed_since"],
    ]);
    expect(await activeProfiles(realmId)).toBe(1);
    await jobs.work(secondChunk!);
    expect(await statuses(second)).toEqual([["changed", null]]);
    expect(await activeProfiles(realmId)).toBe(0);
  });

  test("is completed for people whom an API call has offboarded since the interruption", async () => {
    const realmId = await given.realm();
    const [ann] = await people(realmId, 1, 1);
    const jobId = await offboarding(realmId, rowsFor([ann!]));
    await jobs.advance(jobId);
    const actor = { userId: null, clientId: null };
    await database.owner.transaction((tx) =>
      offboardingOperations.offboard(tx, { realmId, userId: ann!.id, reason: 1, actor, at: fromNow(0) }),
    );

    await jobs.run(jobId);

    expect(await statuses(jobId)).toEqual([["changed", null]]);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed" });
    expect(await activeProfiles(realmId)).toBe(0);
  });

  test("changes nothing for a person without active profiles, and adds no audit entry", async () => {
    const realmId = await given.realm();
    const [ann] = await people(realmId, 1, 1);
    const first = await offboarding(realmId, rowsFor([ann!]));
    await jobs.run(first);
    const second = await offboarding(realmId, rowsFor([ann!]));
    await jobs.run(second);
    expect(await statuses(second)).toEqual([["unchanged", null]]);
    expect((await auditOf(database.owner, second)).map(({ event }) => event)).toEqual(["job_finish"]);
  });
});

test("people who become active while the job waits fail, and a retry offboards them; people who stay offboarded are unchanged", async () => {
  const realmId = await given.realm();
  const [back, stays] = await people(realmId, 2);
  const [kept] = await people(realmId, 1, 1);
  await database.owner.query(sql`update users set offboarded_at = ${fromNow(-1000)} where realm_id = ${realmId}`);
  const rows = [{ userId: back!.id }, { userId: kept!.id }, { userId: stays!.id }, { pairwiseId: "newcomer" }];
  const jobId = await offboarding(realmId, rows);

  let run: Promise<void> | undefined;
  await database.owner.transaction(async (tx) => {
    for (const { id: userId } of [back!, kept!]) await users.reactivate(tx, { realmId, userId });
    await tx.query(sql`insert into users (realm_id, pairwise_id, created_at) values (${realmId}, 'newcomer', now())`);
    run = jobs.run(jobId);
    await eventually(async () => {
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect(await countOf(waiting)).toBe(1);
    });
  });
  await run;

  const outcomes = async (id: string) =>
    (await rowsOf(database.owner, id)).map(({ status, errorCode }) => [status, errorCode]);
  expect(await outcomes(jobId)).toEqual([
    ["failed", "changed_since"],
    ["changed", null],
    ["unchanged", null],
    ["failed", "changed_since"],
  ]);
  await expectCountsToAddUp(database.owner, jobId);

  const again = await offboarding(realmId, []);
  await database.owner.query(sql`update jobs set total = 2 where id = ${again}`);
  expect(await retry.copyFailed(database.owner, { from: jobId, to: again })).toBe(2);
  await jobs.run(again);
  expect(await outcomes(again)).toEqual([
    ["changed", null],
    ["changed", null],
  ]);
  expect(await countOf(sql`select from users where realm_id = ${realmId} and offboarded_at is null`)).toBe(0);
});

describe("a job whose creator may no longer start it", () => {
  const ends: Record<string, Sql> = {
    "a person who is offboarded": sql`update users set offboarded_at = now() where id = any`,
    "a person who is no administrator any more": sql`update users set administrator = false where id = any`,
  };
  const endsOfClients: Record<string, Sql> = {
    "a client that is switched off": sql`update applications set active = false where client_id`,
    "a client that has lost a scope": sql`update applications set scopes = array_remove(scopes, 'user.delete') where client_id`,
    "a client that is deleted": sql`delete from applications where client_id`,
  };

  test.each(
    [...Object.keys(ends), ...Object.keys(endsOfClients)].flatMap((creator) =>
      ["scheduled", "queued"].map((state) => ({ creator, state })),
    ),
  )("does not start by itself if it was $state by $creator", async ({ creator, state }) => {
    const realmId = await given.realm();
    const boss = await given.user({ realmId, administrator: true });
    const leaving = await people(realmId, 2, 1);
    const byPerson = ends[creator];
    const jobId = await offboarding(
      realmId,
      leaving.map(({ id }) => ({ userId: id })),
      { executeAt: fromNow(60_000), ...(byPerson && { createdByUserId: boss.id }) },
    );
    await jobs.advance(jobId);
    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "scheduled" });
    if (state === "queued") await database.owner.query(sql`update jobs set state = 'queued' where id = ${jobId}`);

    await database.owner.query(
      byPerson
        ? sql`${byPerson} (array[${boss.id}]::bigint[])`
        : sql`${endsOfClients[creator] ?? sql``} = ${bulkClientOf(realmId)}`,
    );
    await database.owner.query(sql`update jobs set execute_at = now() where id = ${jobId}`);
    await resumeStalledJobs({ ...jobs.deps(), clock: { now: () => fromNow(120_000) } });

    expect(await jobOf(database.owner, jobId)).toMatchObject({
      state: "ready",
      errorCode: "creator_ended",
      changed: 2,
      done: 2,
      startedAt: null,
    });
    expect(jobs.waiting).toEqual([]);
    expect(await activeProfiles(realmId)).toBe(2);
    expect(
      await countOf(
        sql`select from users where id = any(${leaving.map(({ id }) => id)}) and offboarded_at is not null`,
      ),
    ).toBe(0);
  });
});
