import { first, type Db } from "../../client.ts";
import { isActive } from "../../rules.ts";
import { sql } from "../../sql.ts";

/**
 * Returns the profile that a new profile replaces: the newest active profile among the user's profile with this serial
 * number and its successors whose files were sent. Returns undefined if none of them is active.
 */
export async function findReplaceable(
  db: Db,
  { realmId, userId, serialNumber, at }: { realmId: string; userId: string; serialNumber: string; at: Date },
): Promise<{ id: string } | undefined> {
  return first(
    await db.query<{ id: string }>(sql`
      with recursive line as (
        select c.id, ${isActive(sql`c`, at)} as active
          from certificates c
         where c.realm_id = ${realmId}
           and c.serial_number = ${serialNumber}
           and c.user_id = ${userId}
         union
        select c.id, ${isActive(sql`c`, at)}
          from line
          join issuances i on i.user_id = ${userId}
                          and i.renews_certificate_id = line.id
                          and i.replaced_ends_at is not null
          join certificates c on c.issuance_id = i.id
      )
      select id from line where active order by id desc limit 1
    `),
  );
}

/** Lists a user's active profiles with an active successor whose file was sent, oldest first. */
export const listReplaced = (
  db: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<{ id: string; serialNumber: string }[]> =>
  db.query<{ id: string; serialNumber: string }>(sql`
    select c.id, c.serial_number as "serialNumber"
      from certificates c
     where c.realm_id = ${realmId}
       and c.user_id = ${userId}
       and ${isActive(sql`c`, at)}
       and exists (select
                     from issuances i
                     join certificates successor on successor.issuance_id = i.id
                    where i.user_id = ${userId}
                      and i.renews_certificate_id = c.id
                      and i.replaced_ends_at is not null
                      and ${isActive(sql`successor`, at)})
     order by c.created_at, c.id
  `);
