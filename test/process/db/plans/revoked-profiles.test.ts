import { beforeAll, describe, expect, test } from "vitest";
import type { Database, Db } from "../../../../db/client.ts";
import * as certificatePages from "../../../../db/queries/certificates/certificate-pages.ts";
import { sql } from "../../../../db/sql.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { plansOf } from "../../../support/run/plans.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let db: Database;
let realmId: string;
const revokedCount = 8_000;

beforeAll(async () => {
  db = database.open("realmpass_api");
  realmId = await given.realm();
  const { id: userId } = await given.user({ realmId });
  // Two profiles in five are revoked, in an order that differs from the order of their creation.
  await database.owner.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, identity,
                              certificate, spki_sha256, created_at, not_before, not_after, revoked_at, revocation_reason)
    select ${realmId}, i.id, (1000000 + n)::text, gen_random_uuid(), 'user', ${userId}, 'Laptop ' || n,
           case when n % 1000 = 0 then 'iOS' else 'Linux' end, 'x' || n || '@campus.example', convert_to(repeat(md5(n::text), 20), 'UTF8'),
           sha256(n::text::bytea), now() - n * interval '1 minute', now() - n * interval '1 minute', now() + interval '1 year',
           case when n % 5 < 2 then now() - (n * 7919 % 20000) * interval '1 minute' end, case when n % 5 < 2 then 4 end
      from generate_series(1, 20000) as n
      join issuers i on i.realm_id = ${realmId}
  `);
  // Vacuums until all pages are marked as visible; a transaction that still looks at a page keeps it from being marked.
  await eventually(async () => {
    await database.owner.query(sql`vacuum analyze certificates`);
    const [table] = await database.owner.query<{ seen: boolean }>(
      sql`select relallvisible = relpages as seen from pg_class where oid = 'certificates'::regclass`,
    );
    expect(table?.seen).toBe(true);
  });
});

type Ask = Partial<Parameters<typeof certificatePages.pageOfRealm>[1]["page"]>;

const list = (page: Ask, watched: Db = db) =>
  certificatePages.pageOfRealm(watched, {
    realmId,
    at: fromNow(0),
    page: { limit: 25, offset: 0, sort: [], ...page, filter: { ...page.filter, state: "revoked" } },
  });

/** Returns the plans of the statements that read a page. */
const plansFor = async (page: Ask): Promise<string[]> => (await plansOf(db, (watched) => list(page, watched))).plans;

describe("revoked profiles among many", () => {
  test.each<[what: string, page: Ask]>([
    ["the first page", {}],
    ["a page in the middle", { offset: 3_000 }],
    ["the last page", { offset: revokedCount - 20 }],
    ["the oldest revocations", { sort: [{ key: "revoketime", direction: "asc" }] }],
  ])("%s is read and counted through an index", async (_, page) => {
    const plans = await plansFor(page);
    expect(plans.length).toBeGreaterThan(1);
    for (const plan of plans) {
      expect(plan).toMatch(/Index (?:Only )?Scan (?:Backward )?using certificates_revoked/);
      expect(plan).not.toContain("Seq Scan on certificates");
    }
  });

  test("serial numbers are found by a separate index", async () => {
    const [plan = ""] = await plansFor({ filter: { serials: ["1000005", "1000010", "1000012"] } });
    expect(plan).toContain("certificates_serial_number");
    expect(plan).not.toContain("Seq Scan on certificates");
  });

  test("are counted exactly, and sorted in both directions", async () => {
    const first = await list({ limit: 1_000 });
    expect(first.total).toBe(revokedCount);
    const times = first.items.map(({ revokedAt }) => Number(revokedAt));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const last = await list({ offset: revokedCount - 1, limit: 1 });
    const [oldest] = (await list({ limit: 1, sort: [{ key: "revoketime", direction: "asc" }] })).items;
    expect(last.items.map(({ revokedAt }) => revokedAt)).toEqual([oldest?.revokedAt]);
    expect((await list({ filter: { deviceType: "iOS" } })).total).toBe(20);
  });
});
