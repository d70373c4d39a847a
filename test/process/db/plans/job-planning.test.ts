import { expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { openPatiently, useDatabase } from "../../../support/run/database.ts";
import { driveJobs, givenJob, jobOf } from "../../../support/given/bulk-jobs.ts";
import { givenIssuingRealm } from "../../../support/given/issuing.ts";

const database = useDatabase();

const slices = 20;

const people = 100 * slices;

test("the statements of an onboarding are planned once, not for each slice", async () => {
  const { realmId } = await givenIssuingRealm(database.owner);
  const rows = Array.from({ length: people }, (_, index) => ({ pairwiseId: `person-${index}` }));
  const jobId = await givenJob(database.owner, { realmId, kind: "onboarding", rows, confirmTotal: people });
  await database.owner.query(sql`analyze`);
  const db = openPatiently({ url: database.url, role: "realmpass_worker", connectionsMax: 1 });
  try {
    await driveJobs(() => db).run(jobId);

    expect(await jobOf(database.owner, jobId)).toMatchObject({ state: "completed", changed: people });
    const planned = await db.query<{ statement: string; custom: number; generic: number }>(sql`
      select statement, custom_plans::integer as custom, generic_plans::integer as generic
        from pg_prepared_statements
       where statement ~ 'insert into users|insert into issuances|for update of r'
    `);
    expect(planned).toHaveLength(3);
    // Planned for the values of no slice; control: each slice used the one plan.
    for (const { statement, ...plans } of planned) expect(plans, statement).toEqual({ custom: 0, generic: slices });
  } finally {
    await db.close();
  }
});
