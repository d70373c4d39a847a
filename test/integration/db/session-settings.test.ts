import pg from "pg";
import { expect, test } from "vitest";
import { sql, verbatim } from "../../../db/sql.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { driveJobs, givenJob, jobOf } from "../../support/given/bulk-jobs.ts";
import { atEnd } from "../../support/run/at-end.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();

/** Settings that an administrator of the server may have set for a database. */
const defaults: [setting: string, value: string][] = [
  ["datestyle", "German, DMY"],
  ["timezone", "Asia/Tokyo"],
  ["default_transaction_isolation", "serializable"],
  ["search_path", "elsewhere"],
];

test.each(defaults)("the service works the same if the database has %s set to %s", async (setting, value) => {
  const { owner, url } = database;
  const { realmId } = await givenIssuingRealm(owner);
  const rows = [{ pairwiseId: `after-${setting}` }];
  const jobId = await givenJob(owner, { realmId, kind: "onboarding", rows, confirmTotal: 1 });
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
  const literal = setting === "datestyle" ? value : pg.escapeLiteral(value);
  await owner.query(verbatim(`alter database ${name} set ${setting} to ${literal}`));
  atEnd(() => owner.query(verbatim(`alter database ${name} reset ${setting}`)));
  // Control: a plain connection uses the server's default.
  const bare = new pg.Client({ connectionString: url });
  await bare.connect();
  const shown = await bare.query<Record<string, string>>(`show ${setting}`);
  await bare.end();
  expect(Object.values(shown.rows[0] ?? {})).toEqual([value]);

  const worker = database.open("realmpass_worker");
  const [read] = await worker.query(sql`
    select timestamptz '2026-11-26T20:00:00Z' as at, current_setting('transaction_isolation') as isolation
  `);
  expect(read).toEqual({
    at: new Date("2026-11-26T20:00:00Z"),
    isolation: "read committed",
  });
  await driveJobs(() => worker).run(jobId);
  expect(await jobOf(owner, jobId)).toMatchObject({ state: "completed", changed: 1 });
});
