import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/**
 * Moves the profiles of a realm into its past, evenly over so many days, and their revocations to between then and now.
 * Only for sample data, with the owner's rights: the certificates contain other dates.
 */
export async function spreadOverDays(db: Db, { realmId, days }: { realmId: string; days: number }): Promise<void> {
  await db.query(sql`
    update certificates
       set created_at = created_at - make_interval(secs => abs(hashtext(serial_number)) % (${days}::int * 86400)),
           revoked_at = revoked_at - make_interval(secs => abs(hashtext(serial_number)) % (${days}::int * 86400) * 0.4)
     where realm_id = ${realmId}
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

/** Gives the first administrator, who lacks both, a name and an e-mail address. */
export async function nameAdministrator(db: Db, { realmId, email }: { realmId: string; email: string }): Promise<void> {
  await db.query(sql`
    update users
       set email = ${email}, display_name = 'Grace Hopper'
     where realm_id = ${realmId} and administrator and email = ''
  `);
}
