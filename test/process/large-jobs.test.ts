import { describe, expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { jobRowsMax } from "../../domain/limits.ts";
import { useApi } from "../support/service/api.ts";

/** Creates jobs with exactly the allowed number of rows, and with one more. Writing 200,000 rows takes seconds. */

const api = useApi();

/** Returns the state and number of rows of each job in a realm, including jobs whose rows are still arriving. */
const kept = (realmId: string) =>
  api.database.owner.query(sql`
    select j.state, (select count(*)::integer from job_rows r where r.job_id = j.id) as rows
      from jobs j where j.realm_id = ${realmId}
  `);

describe("a selection", { timeout: 180_000 }, () => {
  test("is refused with one user more than the limit, and accepted at the limit", async () => {
    const realmId = await api.given.realm();
    const service = api.as.service({ realmId });
    const start = () => service.post("/api/jobs/offboarding?dryRun=true", { matching: { search: "many-" } });
    const slice = 20_000;
    for (let from = 1; from <= jobRowsMax + 1; from += slice) {
      await api.database.owner.query(sql`
        insert into users (realm_id, pairwise_id, email, administrator, created_at)
        select ${realmId}, 'many-' || n, '', false, now()
          from generate_series(${from}::integer, ${Math.min(from + slice - 1, jobRowsMax + 1)}::integer) n
      `);
    }

    const tooMany = await start();
    expect(tooMany).toBeError("payload_too_large");
    expect(tooMany.body.error_description).toContain("200000");
    expect(await kept(realmId)).toEqual([]);

    await api.database.owner.query(sql`delete from users where realm_id = ${realmId} and pairwise_id = 'many-1'`);
    expect(await start()).toMatchObject({ status: 202 });
    expect(await kept(realmId)).toEqual([{ state: "checking", rows: jobRowsMax }]);
  });
});

describe("a file", () => {
  test("is refused with one row more than the limit, and the client gets the response although the file has more rows", async () => {
    const realmId = await api.given.realm();
    const lines = Array.from({ length: jobRowsMax + 1 }, (_, index) => `user-${index}`).join("\n");

    const tooMany = await api.as.service({ realmId }).post("/api/jobs/onboarding", undefined, {
      raw: `pairwiseID\n${lines}\n${"x".repeat(30)}\n`.padEnd(6_000_000, "\n"),
      headers: { "content-type": "text/csv" },
    });

    expect(tooMany).toBeError("payload_too_large");
    expect(tooMany.body.error_description).toContain("200000 rows");
    expect(await kept(realmId)).toEqual([]);
  });
});
