import type { Database } from "../../db/client.ts";
import { join, sql, type Sql, verbatim } from "../../db/sql.ts";

/** The size of a realm to make. */
export interface RealmSize {
  users: number;
  profiles: number;
  guestAccounts: number;
  guestProfiles: number;
  infrastructureProfiles: number;
  auditEntries: number;
}

export const largeRealm: RealmSize = {
  users: 100_000,
  profiles: 1_000_000,
  guestAccounts: 500,
  guestProfiles: 20_000,
  infrastructureProfiles: 2_000,
  auditEntries: 1_000_000,
};

/** A realm a tenth as large as the full one. */
export const smallerRealm = Object.fromEntries(
  Object.entries(largeRealm).map(([what, count]) => [what, count / 10]),
) as unknown as RealmSize;

/** Tables, and the statements that fill them. */
interface Part {
  tables: readonly string[];
  statements: readonly Sql[];
}

/**
 * Fills a realm that has an issuer, as the owner and in bulk: without triggers, dropping indexes and building them
 * again afterwards. A tenth of the profiles is revoked, and all profiles of people who have left; a tenth has expired.
 * The dates are spread evenly over 400 days.
 */
export async function seedRealm(db: Database, realmId: string, size: RealmSize): Promise<void> {
  for (const { tables, statements } of parts(realmId, size)) {
    await db.transaction(async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`);
      await tx.query(sql`set local maintenance_work_mem = '512MB'`);
      await tx.query(sql`set local synchronous_commit = off`);
      const indexes = await tx.query<{ name: string; definition: string }>(sql`
        select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
          from pg_index i
         where i.indrelid = any(${[...tables]}::regclass[])
           and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
      `);
      for (const { name } of indexes) await tx.query(verbatim(`drop index ${name}`));
      for (const statement of statements) await tx.query(statement);
      for (const { definition } of indexes) await tx.query(verbatim(definition));
    });
    // Leaves the tables as autovacuum does: pages are marked all-visible, so an index-only scan suffices.
    for (const table of tables) await db.query(verbatim(`vacuum (analyze) ${table}`));
  }
  await db.query(verbatim("checkpoint"));
}

const parts = (realmId: string, size: RealmSize): Part[] => [
  {
    tables: ["users", "guest_accounts"],
    statements: [
      sql`
    insert into users (realm_id, pairwise_id, email, created_at, locked_at, offboarded_at)
    select ${realmId}::bigint, md5('person' || i), 'person' || i || '@mail.example',
           now() - (${size.users}::integer - i) * interval '1000 days' / ${size.users}::integer,
           case when i % 100 = 7 then now() - i * interval '1 minute' end,
           case when i % 50 = 9 then now() - i * interval '2 minutes' end
      from generate_series(1, ${size.users}::integer) as i
  `,
      sql`
    insert into guest_accounts (realm_id, name, profile_limit, token_hash, token_sealed, created_at, expires_at, revoked_at)
    select ${realmId}::bigint, 'conference ' || i, case when i % 3 > 0 then i end, sha256(('guest' || i)::bytea), 'x',
           now() - i * interval '12 hours', now() + (200 - i) * interval '1 day',
           case when i % 10 = 3 then now() - interval '1 hour' end
      from generate_series(1, ${size.guestAccounts}::integer) as i
  `,
    ],
  },
  {
    tables: ["certificates", "revocations", "user_profile_counts", "active_profiles", "profile_spans"],
    statements: [
      certificates(realmId, {
        kind: "user",
        count: size.profiles,
        owner: sql`(select min(id) from users where realm_id = ${realmId}) + floor(random() * ${size.users}::integer)::bigint, null::bigint`,
        deviceType: sql`(array['Windows', 'Windows', 'Windows', 'iOS', 'iOS', 'Android', 'Android', 'MacOS', 'MacOS', 'Linux',
                           'iPadOS', 'Other', 'Windows', 'iOS', 'Android', 'Windows', 'MacOS', 'iOS', 'Windows', 'ChromeOS'])[1 + i % 20]`,
      }),
      certificates(realmId, {
        kind: "guest",
        count: size.guestProfiles,
        owner: sql`null::bigint, (select min(id) from guest_accounts where realm_id = ${realmId}) + i % ${size.guestAccounts}::integer`,
        deviceType: sql`'Other'`,
      }),
      certificates(realmId, {
        kind: "infrastructure",
        count: size.infrastructureProfiles,
        owner: sql`null::bigint, null::bigint`,
        deviceType: sql`null`,
      }),
      // Settles the profiles of people who have left. Otherwise a worker would find these profiles and revoke them
      // during the measurement of lists.
      sql`
    update certificates c
       set revoked_at = greatest(u.offboarded_at, c.created_at), revocation_reason = 5
      from users u
     where c.realm_id = ${realmId}
       and u.id = c.user_id
       and u.offboarded_at is not null
       and c.revoked_at is null
       and not c.lapsed
  `,
      sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, revoked_at, revocation_reason from certificates where revoked_at is not null
    on conflict do nothing
  `,
      sql`
    insert into active_profiles (id, realm_id, serial_number, created_at, not_after, device_type, authable)
    select id, realm_id, serial_number, created_at, not_after, device_type, authable
      from certificates
     where realm_id = ${realmId} and kind = 'user' and revoked_at is null and not lapsed
     order by id
  `,
      sql`insert into profile_spans (realm_id, shortest_days, longest_days) values (${realmId}, 360, 360)`,
      sql`delete from user_profile_counts where realm_id = ${realmId}`,
      sql`
    insert into user_profile_counts (user_id, realm_id, profile_count)
    select u.id, u.realm_id, coalesce(c.active, 0)
      from users u
      left join (select user_id, count(*) as active
                   from certificates
                  where kind = 'user' and revoked_at is null and not_after > now()
                  group by user_id) c on c.user_id = u.id
     where u.realm_id = ${realmId}
  `,
    ],
  },
  {
    tables: ["audit_entries"],
    statements: [
      sql`
    insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
    select ${realmId}::bigint, now() - (${size.auditEntries}::integer - i) * interval '400 days' / ${size.auditEntries}::integer,
           case when i % 1000 = 0 then 'user_offboard' when i % 100 = 1 then 'admin_login' when i % 10 = 2 then 'profile_revoke'
                else 'profile_create' end,
           case when i % 4 > 0 then (select min(id) from users where realm_id = ${realmId}) + i % ${size.users}::integer end,
           case when i % 4 = 0 then 'client-' || i % 20 end,
           jsonb_build_object('serial', i::text, 'name', 'laptop')
      from generate_series(1, ${size.auditEntries}::integer) as i
  `,
    ],
  },
];

/** Makes profiles of one kind, as large as real profiles. */
function certificates(
  realmId: string,
  { kind, count, owner, deviceType }: { kind: string; count: number; owner: Sql; deviceType: Sql },
): Sql {
  const digits = sql`lpad(floor(random() * 1e9)::bigint::text, 9, '0')`;
  return sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, guest_account_id, name,
                              device_type, authable, identity, certificate, spki_sha256, created_at, not_before, not_after,
                              lapsed, revoked_at, revocation_reason)
    select ${realmId}::bigint, (select min(id) from issuers where realm_id = ${realmId}),
           (1 + i % 9) || ${join([digits, digits, digits, digits], sql` || `)}, gen_random_uuid(), ${kind}, ${owner},
           'device ' || i, ${deviceType}, i % 20 = 3, md5(i::text) || '@realm.example',
           decode(repeat(md5(random()::text), 44), 'hex'), sha256((${kind} || i)::bytea), made, made, made + interval '360 days',
           ${kind} = 'user' and made < now() - interval '360 days', case when i % 10 = 4 then made + interval '1 day' end, case when i % 10 = 4 then 5 end
      from (select i, now() - (${count}::integer - i) * interval '400 days' / ${count}::integer as made
              from generate_series(1, ${count}::integer) as i) as series
  `;
}
