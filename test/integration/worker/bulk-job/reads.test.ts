import { expect, test } from "vitest";
import { sql, verbatim } from "../../../../db/sql.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";
import { eventuallyIn, givenJob, tellWorkers } from "../../../support/given/bulk-jobs.ts";
import { startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();

const people = 10_000;

/** Of each table, for each row of both jobs: what they read is in proportion to what they do. */
const readsPerRowMax = 40;

/** The first large job of a new installation comes before Postgres has looked at its tables for the first time. */
test("on tables without statistics, an onboarding and an offboarding read no more than what is theirs", async () => {
  await withoutStatistics();
  const { realmId } = await givenIssuingRealm(database.owner);
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
  const run = async (kind: "onboarding" | "offboarding", rows: Parameters<typeof givenJob>[1]["rows"]) => {
    const jobId = await givenJob(database.owner, { realmId, kind, rows, confirmTotal: people });
    await tellWorkers(queues, jobId);
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

  // What a connection has read is counted at the latest when it ends.
  await stop();
  expect(await tablesReadMoreThan(people * readsPerRowMax)).toEqual([]);
});

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
