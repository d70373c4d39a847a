import { beforeAll, describe, expect, test } from "vitest";
import type { Database, Db } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import * as jobs from "../../../../db/queries/bulk-job/jobs.ts";
import * as certificatePages from "../../../../db/queries/certificates/certificate-pages.ts";
import * as guestAccounts from "../../../../db/queries/people/guest-accounts.ts";
import * as identities from "../../../../db/queries/sign-in/upstream-identities.ts";
import { sql } from "../../../../db/sql.ts";
import { searchPlaces, type SearchPlace } from "../../../../domain/search-places.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { plansOf } from "../../../support/run/plans.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let db: Database;
let realmId: string;

/** Each item that the tests search for exists once, far from the beginning and the end of its list. */
beforeAll(async () => {
  db = database.open("realmpass_api");
  realmId = await given.realm();
  const { owner } = database;
  await owner.query(sql`
    insert into users (realm_id, pairwise_id, email, display_name, created_at)
    select ${realmId}, md5(n::text) || '@campus.example', md5((-n)::text) || '@mail.example',
           case when n = 10000 then 'Wanted Zuckmayer' else 'Member ' || md5((n * 7)::text) end, now() - n * interval '1 minute'
      from generate_series(1, 20000) as n
  `);
  await owner.query(sql`
    insert into guest_accounts (realm_id, name, created_at, expires_at, token_hash, token_sealed)
    select ${realmId}, 'Guests of ' || md5(n::text), now() - n * interval '1 minute', now() + interval '30 days',
           sha256(n::text::bytea), 'x'
      from generate_series(1, 3000) as n
  `);
  await owner.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, guest_account_id, name, device_type,
                              identity, certificate, spki_sha256, created_at, not_before, not_after)
    select ${realmId}, i.id, '1' || translate(md5(o.id::text || o.kind), 'abcdef', '123456'), gen_random_uuid(), o.kind,
           case when o.kind = 'user' then o.id end, case when o.kind = 'guest' then o.id end,
           'Laptop ' || md5(o.id::text), 'Linux', substr(md5(o.id::text || o.kind), 1, 20) || '@campus.example', 'x',
           sha256((o.id::text || o.kind)::bytea), now(), now(), now() + interval '1 year'
      from (select id, realm_id, 'user' as kind from users
            union all
            select id, realm_id, 'guest' from guest_accounts) o
      join issuers i on i.realm_id = o.realm_id
     where o.realm_id = ${realmId}
  `);
  await owner.query(sql`
    insert into jobs (id, realm_id, kind, columns, name, state, dry_run, total, changed, created_at, progress_at, finished_at,
                      created_by_user_id)
    select gen_random_uuid(), ${realmId}, 'onboarding', '{pairwiseID}', 'List of ' || md5(n::text), 'completed', false, 10, 10,
           now() - n * interval '1 minute', now(), now(), (select min(id) from users where realm_id = ${realmId})
      from generate_series(1, 2000) as n
  `);
  await owner.query(sql`
    insert into job_rows (job_id, position, input, user_id, status)
    select j.id, u.position, '{}', u.id, 'changed'
      from (select id, row_number() over (order by id) as number from jobs where realm_id = ${realmId}) j
      join (select id, row_number() over (order by id) as number, 1 + row_number() over (order by id) % 10 as position
              from users where realm_id = ${realmId}) u on (u.number - 1) / 10 + 1 = j.number
  `);
  // Skips the checks of each row: these rows would pass, and the checks take longer than the inserts.
  await owner.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, properties)
      select ${realmId}, now() - n * interval '1 second', (array['user_login', 'profile_create'])[1 + n % 2],
             u.id, jsonb_build_object('userID', u.id::text, 'method', 'local')
        from generate_series(1, 5) as n, users u
       where u.realm_id = ${realmId}
    `);
    // Applications act often, so Postgres expects many rows from a search by actor.
    await tx.query(sql`
      insert into audit_entries (realm_id, at, event, client_id, properties)
      select ${realmId}, now() - n * interval '1 second', 'profile_create', 'client-' || n % 20,
             jsonb_build_object('serial', n::text, 'name', 'laptop')
        from generate_series(1, 300000) as n
    `);
  });
  await owner.query(sql`
    vacuum analyze users, certificates, active_profiles, guest_accounts, jobs, job_rows, audit_entries
  `);
});

const searched = (place: SearchPlace, text: string) => ({
  realmId,
  at: fromNow(0),
  finds: new Set(searchPlaces[place]),
  page: { limit: 25, offset: 0, filter: { text }, sort: [] },
});

/**
 * Matches the plans of a whole read of a table that grows without limit; Postgres may read a list of a few hundred rows
 * as a whole.
 */
const largeTables = /Seq Scan on (?:users|certificates|active_profiles|audit_entries|job_rows)\b/;

const lists = {
  profiles: (text: string, watched: Db) => certificatePages.pageOfRealm(watched, searched("profiles", text)),
  "ended profiles": (text: string, watched: Db) => {
    const asked = searched("profiles", text);
    return certificatePages.pageOfRealm(watched, {
      ...asked,
      page: { ...asked.page, filter: { text, state: "all" as const } },
    });
  },
  guestAccounts: (text: string, watched: Db) => guestAccounts.list(watched, searched("guestAccounts", text)),
  jobs: (text: string, watched: Db) => jobs.list(watched, searched("jobs", text)),
  audit: (text: string, watched: Db) => audit.list(watched, searched("audit", text)),
};

describe("a text in the search of a list reads no large table as a whole", () => {
  test.each<[list: keyof typeof lists, text: string, found: number]>([
    ["profiles", "zuckmayer", 1],
    ["profiles", "no such person", 0],
    ["ended profiles", "zuckmayer", 1],
    ["jobs", "zuckmayer", 1],
    ["jobs", "no such person", 0],
    ["guestAccounts", "guests of c4ca4238", 1],
    ["audit", "zuckmayer", 5],
    ["audit", "no such person", 0],
  ])("%s: %s", async (list, text, found) => {
    const { answer, plans } = await plansOf<{ total: number }>(db, (watched) => lists[list](text, watched));
    expect(answer.total).toBe(found);
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) expect(plan).not.toMatch(largeTables);
  });

  test.each(["profiles", "guestAccounts", "jobs", "audit"] as const)("%s: a serial number", async (list) => {
    const [profile] = await db.query<{ serial: string }>(sql`
      select serial_number as serial from certificates
       where realm_id = ${realmId} and kind = ${list === "guestAccounts" ? "guest" : "user"} order by id desc limit 1`);
    const { answer, plans } = await plansOf<{ total: number }>(db, (watched) =>
      lists[list](profile?.serial ?? "", watched),
    );
    expect(answer.total).toBe({ profiles: 1, guestAccounts: 1, jobs: 1, audit: 0 }[list]);
    expect(plans.length).toBeGreaterThan(0);
    for (const plan of plans) expect(plan).not.toMatch(largeTables);
  });
});

test("the last sign-in through an identity provider is looked up by an index, even if there was never one", async () => {
  const { answer, plans } = await plansOf(db, (watched) => identities.findLastSignIn(watched, { realmId }));
  expect(answer).toBeNull();
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) expect(plan).toContain("audit_entries_upstream_sign_ins");
});
