import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** Returns whether every revocation of a realm's user profiles is on a published CRL. */
export async function areRevocationsListed(db: Db, { realmId }: { realmId: string }): Promise<boolean> {
  const rows = await db.query(sql`
    select
      from certificates c
     where c.realm_id = ${realmId}
       and c.kind = 'user'
       and c.revoked_at is not null
       and not exists (select from crl_listings l where l.issuer_id = c.issuer_id and l.serial_number = c.serial_number)
     limit 1
  `);
  return rows.length === 0;
}

/**
 * Moves a realm's profiles into the past, evenly over this many days, and moves their revocations and CRL listings to
 * times after that. Only for sample data, with the owner's rights: the certificates still contain the original dates.
 */
export async function spreadOverDays(db: Db, { realmId, days }: { realmId: string; days: number }): Promise<void> {
  await db.query(sql`
    update certificates
       set created_at = created_at - make_interval(secs => abs(hashtext(serial_number)) % (${days}::int * 86400)),
           revoked_at = revoked_at - make_interval(secs => abs(hashtext(serial_number)) % (${days}::int * 86400) * 0.4)
     where realm_id = ${realmId}
  `);
  await db.query(sql`
    update crl_listings l
       set published_at = l.published_at - make_interval(secs => abs(hashtext(l.serial_number)) % (${days}::int * 86400) * 0.4)
      from certificates c
     where c.issuer_id = l.issuer_id and c.serial_number = l.serial_number and c.realm_id = ${realmId}
  `);
  await db.query(sql`
    update active_profiles p
       set created_at = c.created_at
      from certificates c
     where c.id = p.id and p.realm_id = ${realmId}
  `);
  await db.query(sql`
    update users u
       set created_at = least(u.created_at, (select min(c.created_at) from certificates c where c.user_id = u.id))
     where realm_id = ${realmId}
  `);
}

/**
 * Adds counts of status requests by two RADIUS servers over two weeks, most of them in the afternoon. Only for sample
 * data.
 */
export async function addQuestions(db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<void> {
  await db.query(sql`
    insert into status_counts (realm_id, hour, address, good, refused, last_at)
    select ${realmId}, hour, address::inet, asked, asked / 12, least(hour + interval '59 minutes', ${at})
      from generate_series(date_trunc('hour', ${at}::timestamptz) - interval '14 days', ${at}, interval '1 hour') as hour
     cross join (values ('192.0.2.10'), ('192.0.2.11')) as servers (address)
     cross join lateral (
       select (20 - 18 * cos((extract(hour from hour) - 3) * pi() / 12))::integer + abs(hashtext(address || hour)) % 7 as asked
     ) as counted
  `);
}

/** Adds the missing name and e-mail address of the first administrator. */
export async function nameAdministrator(db: Db, { realmId, email }: { realmId: string; email: string }): Promise<void> {
  await db.query(sql`
    update users
       set email = ${email}, display_name = 'Grace Hopper'
     where realm_id = ${realmId} and administrator and email = ''
  `);
}
