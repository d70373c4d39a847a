import { operatorActor, type Actor } from "../../domain/audit/audit.ts";
import { setUpFinishedDays } from "../../domain/lifetimes.ts";
import { first, type Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import { sql } from "../sql.ts";

/**
 * Finishes the set-up of a realm, with the audit entry. Returns false, with nothing changed, when it was finished
 * before.
 */
export async function finish(
  tx: Db,
  { realmId, actor, at }: { realmId: string; actor: Actor; at: Date },
): Promise<boolean> {
  const finished = await tx.query(sql`
    update realms set set_up_at = ${at} where id = ${realmId} and set_up_at is null returning id
  `);
  if (finished.length === 0) return false;
  await audit.record(tx, { realmId, event: "setup_finish", actor, at, properties: {} });
  return true;
}

/**
 * Finishes the set-up of one realm whose first user profile is old enough, without a user as actor. Returns the realm's
 * id; undefined if there is no such realm.
 */
export async function finishOverdue(tx: Db, { at }: { at: Date }): Promise<string | undefined> {
  const due = first(
    await tx.query<{ id: string }>(sql`
      select r.id
        from realms r
       where r.set_up_at is null
         and (select min(c.created_at) from certificates c where c.realm_id = r.id and c.kind = 'user')
             <= ${at}::timestamptz - make_interval(days => ${setUpFinishedDays})
       order by r.id
       limit 1
         for no key update of r skip locked
    `),
  );
  if (due === undefined) return undefined;
  await finish(tx, { realmId: due.id, actor: operatorActor, at });
  return due.id;
}
