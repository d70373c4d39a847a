import { expect, test } from "vitest";
import { type Database } from "../../../../db/client.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import { openPatiently, useDatabase } from "../../../support/run/database.ts";
import { extent } from "../../../support/run/extent.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";
import { driveJobs, eventuallyIn, givenJob, jobOf, notifyWorkers } from "../../../support/given/bulk-jobs.ts";
import { startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();

const people = extent(10_000, 0.3);

/** The maximum of reads of a table for each row of a job, because reads must grow only in proportion to the work. */
const readsPerRowMax = 40;

/**
 * The limit for tables without statistics: the first slices read all existing people, until Postgres first analyzes the
 * table, which happens later on a busy machine. If every row caused a read of the whole table, the average would be
 * `people / 2`.
 */
const firstReadsPerRowMax = 400;

/**
 * The number of profiles revoked before a job, and the number that the job revokes. Reading all profiles revoked before
 * even once exceeds the limit.
 */
const revokedBefore = extent(30_000, 0.3);
const revocations = extent(600, 0.3);

/** How many profiles a statement makes. */
const portion = 2_000;

/** The number of other jobs with as many rows, which the job must not read. */
const otherJobs = 40;

/** The jobs of this file fit on a few pages, which Postgres may read completely in each statement for a row. */
const jobsReadsPerRowMax = 5 * 2 * (otherJobs + 1);

/** The first large job of a new installation comes before Postgres has first analyzed its tables. */
test("an onboarding and an offboarding read only their own rows, on tables without statistics", async () => {
  await withoutStatistics();
  const { realmId } = await givenIssuingRealm(database.owner);
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
  const run = async (kind: "onboarding" | "offboarding", rows: Parameters<typeof givenJob>[1]["rows"]) => {
    const jobId = await givenJob(database.owner, { realmId, kind, rows, confirmTotal: people });
    await notifyWorkers(queues, jobId);
    expect(await eventuallyIn(database.owner, jobId, ["completed", "failed"], 60_000)).toMatchObject({
      changed: people,
    });
  };
  const pairwiseIDs = Array.from({ length: people }, (_, index) => `person-${index}`);
  const laptop = { profileName: "laptop", deviceType: "Windows", format: "pkcs12" };

  await run(
    "onboarding",
    pairwiseIDs.map((pairwiseId, index) => ({ pairwiseId, ...(index % 4 === 0 && laptop) })),
  );
  await run(
    "offboarding",
    pairwiseIDs.map((pairwiseId) => ({ pairwiseId })),
  );

  await stop();
  await readsAreCounted();
  expect(await tablesReadMoreThan(people * firstReadsPerRowMax)).toEqual([]);
  // Control: the reads of both jobs are counted.
  expect((await readsOf()).get("job_rows")).toBeGreaterThanOrEqual(2 * people);
});

test.each([
  { statistics: "without statistics", prepare: () => withoutStatistics() },
  { statistics: "with statistics", prepare: () => database.owner.query(sql`analyze`) },
])(
  "a revocation $statistics reads only its own rows, however many profiles were revoked before",
  async ({ prepare }) => {
    const { realmId } = await givenIssuingRealm(database.owner);
    await givenProfiles(realmId, { count: revokedBefore, revoked: true });
    const serials = await givenProfiles(realmId, { count: revocations, revoked: false });
    const rows = serials.map((serialNumber) => ({ serialNumber }));
    // With the rows of only two or three jobs Postgres rightly reads the whole table.
    for (let job = 0; job < otherJobs; job += 1) await givenJob(database.owner, { realmId, kind: "revocation", rows });
    const jobId = await givenJob(database.owner, { realmId, kind: "revocation", rows, confirmTotal: revocations });
    await prepare();
    const before = await readsOf();

    await using((db) => driveJobs(() => db).run(jobId), "realmpass_worker");

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: revocations });
    const after = await readsOf();
    const excessive = [...after].filter(
      ([table, rows]) =>
        rows - (before.get(table) ?? 0) > revocations * (table === "jobs" ? jobsReadsPerRowMax : readsPerRowMax),
    );
    expect(excessive).toEqual([]);
    // Control: the job's reads are counted.
    expect((after.get("job_rows") ?? 0) - (before.get("job_rows") ?? 0)).toBeGreaterThanOrEqual(revocations);
  },
);

/** Runs `work` on connections of its own; resolves when their reads are counted. */
async function using<Result>(work: (db: Database) => Promise<Result>, role?: "realmpass_worker"): Promise<Result> {
  const db = openPatiently({ url: database.url, role, connectionsMax: 4, applicationName: "job reads" });
  try {
    return await work(db);
  } finally {
    await db.close();
    await readsAreCounted();
  }
}

/** Waits until only the owner's connections are left: a connection's reads are counted at the latest when it ends. */
const readsAreCounted = (): Promise<void> =>
  expect
    .poll(() =>
      database.owner.query(sql`
        select application_name
          from pg_stat_activity
         where datname = current_database()
           and backend_type = 'client backend'
           and application_name <> 'realmpass test'
      `),
    )
    .toEqual([]);

/**
 * Makes `count` people with one profile each, in portions, because statements of this login time out after some
 * seconds.
 */
async function givenProfiles(
  realmId: string,
  { count, revoked }: { count: number; revoked: boolean },
): Promise<string[]> {
  const serials: string[] = [];
  await using(async (db) => {
    while (serials.length < count) {
      const rows = await db.query<{ serial: string }>(sql`
        with people as (
          insert into users (realm_id, pairwise_id, created_at)
          select ${realmId}::bigint, gen_random_uuid()::text, now()
            from generate_series(1, ${Math.min(count - serials.length, portion)}::integer)
          returning id
        )
        insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type,
                                  authable, identity, certificate, spki_sha256, created_at, not_before, not_after)
        select ${realmId}, i.id, '7' || lpad(p.id::text, 20, '0'), gen_random_uuid(), 'user', p.id, 'laptop', 'Linux',
               false, gen_random_uuid()::text, 'x', sha256(gen_random_uuid()::text::bytea), now(), now(),
               now() + interval '1 year'
          from people p
          join issuers i on i.realm_id = ${realmId}
        returning serial_number as serial
      `);
      serials.push(...rows.map(({ serial }) => serial));
      if (revoked) {
        await db.query(sql`
          insert into revocations (certificate_id, revoked_at, reason)
          select id, now(), 0 from certificates where serial_number = any(${rows.map(({ serial }) => serial)}::text[])
        `);
      }
    }
  });
  return serials;
}

const readsOf = async (): Promise<ReadonlyMap<string, number>> => {
  const rows = await database.owner.query<{ table: string; rows: number }>(sql`
    select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows
      from pg_stat_user_tables
     where schemaname = 'public'
  `);
  return new Map(rows.map(({ table, rows: read }) => [table, read]));
};

async function withoutStatistics(): Promise<void> {
  const tables = await database.owner.query<{ name: string }>(sql`
    select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables where schemaname = 'public'
  `);
  for (const { name } of tables) {
    await database.owner.query(verbatim(`alter table ${name} set (autovacuum_enabled = off)`));
  }
}

const tablesReadMoreThan = (rows: number) =>
  database.owner.query<{ table: string; rows: string }>(sql`
    select relname as table, seq_tup_read + coalesce(idx_tup_fetch, 0) as rows
      from pg_stat_user_tables
     where schemaname = 'public'
       and seq_tup_read + coalesce(idx_tup_fetch, 0) > ${rows}
  `);
