import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as users from "../../../../db/queries/people/users.ts";
import { sql } from "../../../../db/sql.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { plansOf } from "../../../support/run/plans.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let db: Database;
let realmId: string;

beforeAll(async () => {
  db = database.open("realmpass_api");
  realmId = await given.realm();
  await database.owner.query(sql`
    insert into users (realm_id, pairwise_id, email, created_at)
    select ${realmId}, md5(n::text) || '@campus.example', md5((-n)::text) || '@mail.example', now() - n * interval '1 minute'
      from generate_series(1, 30000) as n
  `);
  const owner = await given.user({ realmId, pairwiseId: "owner@campus.example" });
  await given.profile(owner, { serialNumber: "8812345678" });
  await database.owner.query(sql`vacuum analyze users`);
});

/** Returns the users that a text finds, and the plans of the statements that read the list. */
async function plansFor(text: string): Promise<{ found: string[]; plans: string[] }> {
  const page = { limit: 25, offset: 0, filter: { text }, sort: [] };
  const { answer, plans } = await plansOf(db, (watched) =>
    users.list(watched, { realmId, at: fromNow(0), finds: new Set(["person", "profile"]), page }),
  );
  return { found: answer.items.map(({ pairwiseId }) => pairwiseId), plans };
}

test.each(["owner@campus", "12345678"])("users found by %s are found by indexes", async (text) => {
  const { found, plans } = await plansFor(text);
  expect(found).toEqual(["owner@campus.example"]);
  expect(plans.length).toBeGreaterThan(1);
  for (const plan of plans) {
    expect(plan).toContain("users_pairwise_id_contains");
    expect(plan).toContain("users_email_contains");
    expect(plan).not.toContain("Seq Scan on users");
  }
});
