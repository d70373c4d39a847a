import { beforeAll, describe, expect, test } from "vitest";
import type { Database, Db } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as seals from "../../../../db/queries/audit/audit-seals.ts";
import type { AuditSubject } from "../../../../db/queries/audit/audit-subjects.ts";
import * as timeline from "../../../../db/queries/audit/timeline.ts";
import { sql } from "../../../../db/sql.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { plansOf } from "../../../support/run/plans.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let db: Database;
let realmId: string;
let few: string;

beforeAll(async () => {
  db = database.open("realmpass_api");
  realmId = await given.realm();
  ({ id: few } = await given.user({ realmId }));
  // Nearly all entries are about other users; the few entries that the test looks for are far from the end of the log.
  await database.owner.transaction(async (tx) => {
    // Skips the checks of each row: these rows would pass, and the checks take longer than the inserts.
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, properties)
      select ${realmId}, now() - n * interval '1 second', 'profile_create',
             jsonb_build_object('serial', n::text, 'user', case when n % 20000 = 19999 then ${few}::text
                                                               when n % 10 = 0 then 'x777' else 'y' || n end)
        from generate_series(1, 100000) as n
    `);
  });
  await database.owner.query(sql`vacuum analyze audit_entries`);
});

const plansFor = async (read: (watched: Db) => Promise<unknown>): Promise<string[]> => (await plansOf(db, read)).plans;

const listAbout = (about: AuditSubject[], watched: Db = db) =>
  audit.list(watched, { realmId, at: fromNow(0), page: { limit: 50, offset: 0, filter: { about }, sort: [] } });

describe("with 100,000 entries", () => {
  test("few entries about a subject are found by an index, without scanning the log", async () => {
    const { items, total } = await listAbout([`user:${few}`]);
    expect({ items: items.length, total }).toEqual({ items: 5, total: 5 });

    const plans = await plansFor((watched) => listAbout([`user:${few}`], watched));
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      expect(plan).toContain("audit_entries_about");
      expect(plan).not.toMatch(/audit_entries_newest|Seq Scan on audit_entries/);
    }
  });

  test("many entries about a subject are read one page at a time, in order", async () => {
    const { items, total } = await listAbout(["user:x777"]);
    expect({ items: items.length, total }).toEqual({ items: 50, total: 10_000 });
    const times = items.map(({ at }) => Number(at));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const [, page] = await plansFor((watched) => listAbout(["user:x777"], watched));
    expect(page).toMatch(/Limit .*\n.*Index Scan using audit_entries_newest/);
    expect(page).not.toContain("Seq Scan on audit_entries");
  });

  test("a page of the chain is read without reading other entries", async () => {
    await database.owner.query(sql`
      insert into audit_seals (realm_id, position, entry_id, hash)
      select ${realmId}, row_number() over (order by id), id, decode(repeat('00', 32), 'hex')
        from audit_entries where realm_id = ${realmId}
    `);
    await database.owner.query(sql`analyze audit_seals`);
    const page = { realmId, after: 50_000, to: 52_000 };
    expect(await audit.sealedBetween(db, { ...page, filter: {} })).toHaveLength(2_000);

    const plans = [
      ...(await plansFor((watched) => audit.sealedBetween(watched, { ...page, filter: {} }))),
      ...(await plansFor((watched) => seals.sealsBetween(watched, page))),
      ...(await plansFor((watched) => audit.unplaced(watched, { realmId, filter: {}, ids: ["1", "2"] }))),
    ];
    expect(plans).toHaveLength(3);
    for (const plan of plans) {
      expect(plan).toContain("Index Scan using audit_entries_pkey on audit_entries");
      expect(plan).not.toMatch(/Seq Scan on audit_entries|audit_entries_(?!pkey)/);
    }
  });

  test("a timeline does not read the whole log", async () => {
    const [plan = ""] = await plansFor((watched) =>
      timeline.ofUser(watched, { realmId, userId: few, before: fromNow(0), at: fromNow(0), limit: 50 }),
    );
    expect(plan).toContain("audit_entries_about");
    expect(plan).toContain("audit_entries_by_user");
    expect(plan).not.toMatch(/audit_entries_newest|Seq Scan on audit_entries/);
  });
});
