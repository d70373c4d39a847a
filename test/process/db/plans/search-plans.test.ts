import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as found from "../../../../db/queries/finding/found.ts";
import * as search from "../../../../db/queries/search/search.ts";
import { sql, type Sql } from "../../../../db/sql.ts";
import { profileKinds } from "../../../../domain/certificate/profile.ts";
import { readSearch } from "../../../../domain/people/search-text.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { useDatabase } from "../../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let db: Database;
let realmId: string;

beforeAll(async () => {
  db = database.open("realmpass_api");
  realmId = await given.realm();
  await database.owner.query(sql`
    insert into users (realm_id, pairwise_id, email, display_name, created_at)
    select ${realmId}, md5(n::text) || '@campus.example', md5((-n)::text) || '@mail.example',
           (array['Anna', 'Bernd', 'Clara', 'Jörg'])[1 + n % 4] || ' ' || initcap(translate(md5((n * 7)::text), '0123456789', 'ghijklmnop')),
           now() - n * interval '1 minute'
      from generate_series(1, 20000) as n
  `);
  await database.owner.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type, identity,
                              certificate, spki_sha256, created_at, not_before, not_after)
    select u.realm_id, i.id, '1' || translate(md5(u.id::text), 'abcdef', '123456'), gen_random_uuid(), 'user', u.id,
           (array['Laptop', 'Pixel', 'iPhone', 'Tablet'])[1 + u.id % 4] || ' of member ' || md5(u.id::text), 'Linux',
           substr(md5((-u.id)::text), 1, 20) || '@campus.example', 'x', sha256(u.id::text::bytea), now(), now(), now() + interval '1 year'
      from users u
      join issuers i on i.realm_id = u.realm_id
     where u.realm_id = ${realmId}
  `);
  await database.owner.query(sql`
    insert into audit_entries (realm_id, at, event, properties)
    select u.realm_id, now(), 'user_lock', jsonb_build_object('userID', u.id::text, 'name', repeat('x', 200))
      from users u
     where u.realm_id = ${realmId}
  `);
  await database.owner.query(sql`vacuum analyze users, certificates, active_profiles, audit_entries`);
});

/** Returns the plans of a search's statements, with the settings that it uses. */
async function plansOf(run: (watched: Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  await run({
    ...db,
    async pipelined(statements: readonly Sql[]) {
      const explained = statements.map((statement, index) => (index === 0 ? statement : sql`explain ${statement}`));
      const [, ...answers] = await db.pipelined(explained);
      plans.push(
        ...answers.map((lines) => lines.map((line) => (line as { "QUERY PLAN": string })["QUERY PLAN"]).join("\n")),
      );
      return [[], []];
    },
  });
  return plans;
}

const plansOfUsers = (q: string) =>
  plansOf((watched) => search.findUsers(watched, { realmId, searched: searchedFor(q), userId: undefined }));

const plansOfProfiles = (q: string) =>
  plansOf((watched) =>
    search.findProfiles(watched, { realmId, searched: searchedFor(q), kinds: profileKinds, at: fromNow(0) }),
  );

function searchedFor(q: string) {
  const searched = readSearch(q);
  if (searched === undefined) throw new Error("too short");
  return searched;
}

test.each(["c4ca4238a0@campus", "mueller", "jörg keller", "anna of nowhere"])("people: %s", async (q) => {
  // An ID beyond ASCII is first looked up in a separate statement.
  const plan = (await plansOfUsers(q)).at(-1) ?? "";
  expect(plan).toContain("users_pairwise_id_contains");
  expect(plan).toContain("users_email_contains");
  expect(plan).toContain("users_display_name_contains");
  expect(plan).not.toContain("Seq Scan");
});

test("a word that nearly everyone has is searched for along an index until enough rows are found", async () => {
  const [plan = ""] = await plansOfUsers("mail.example");
  expect(plan).toContain("Index Scan using users_");
  expect(plan).not.toContain("Seq Scan");
});

test("a word that every device's name has is searched for along an index until enough rows are found", async () => {
  const plans = await plansOfProfiles("member");
  expect(plans.at(-2)).toContain("Index Scan using certificates_");
  expect(plans.at(-2)).not.toContain("Bitmap");
});

test.each<[q: string, indexes: string[]]>([
  [
    "73319876",
    [
      "certificates_serial_number",
      "certificates_serial_number",
      "certificates_serial_end",
      "active_profiles_serial_contains",
      "certificates_identity",
      "certificates_name_contains",
      "certificates_ended_name_contains",
    ],
  ],
  ["abcdef2345@campus", ["certificates_identity", "certificates_name_contains", "certificates_ended_name_contains"]],
  ["laptop of c4ca42", ["certificates_name_contains", "certificates_ended_name_contains"]],
  ["Jürgs Telefon", ["certificates_name_contains", "certificates_ended_name_contains"]],
  ["zq", ["certificates_name_contains", "certificates_ended_name_contains"]],
])("profiles: %s", async (q, indexes) => {
  const plans = await plansOfProfiles(q);
  expect(plans.map((plan) => indexes.find((index) => plan.includes(index)))).toEqual(indexes);
  for (const [index, plan] of plans.entries()) {
    expect(plan).toContain(indexes[index]);
    expect(plan).not.toContain("Seq Scan");
  }
});

test.each([
  ["person's name", "jörg keller"],
  ["device's name", "laptop of c4ca42"],
  ["word that a quarter of all people have", "anna"],
  ["part of a serial number", "73319876"],
])("the audit log, by a %s: looks up each subject, and computes no entry's subjects", async (_, text) => {
  const finds = new Set(["person", "profile", "guestAccount", "guestProfile"] as const);
  const matching = found.isFoundAuditEntry({ realmId, at: fromNow(0), finds, text });
  const lines = await db.query<{ "QUERY PLAN": string }>(
    sql`explain select count(*) from audit_entries e where e.realm_id = ${realmId} and ${matching}`,
  );
  const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
  expect(plan).toContain("Bitmap Index Scan on audit_entries_about");
  expect(plan).not.toMatch(/^ *Filter:.*array_remove/m);
});
