import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

interface OfUser {
  realmId: string;
  userId: string;
}

/** A note of staff about a person. */
export interface UserNote {
  /** Null: no note. */
  note: string | null;
  writtenAt: Date | null;
}

/** Returns the note on a person; undefined when the realm has no such person. */
export async function find(db: Db, { realmId, userId }: OfUser): Promise<UserNote | undefined> {
  return first(
    await db.query<UserNote>(sql`
      select n.note, n.written_at as "writtenAt"
        from users u
        left join user_notes n on n.user_id = u.id
       where u.realm_id = ${realmId} and u.id = ${userId}
    `),
  );
}

/** Replaces the note on a person; null removes it. */
export async function set(
  tx: Db,
  { realmId, userId, note, at }: OfUser & { note: string | null; at: Date },
): Promise<void> {
  if (note === null) {
    await tx.query(sql`delete from user_notes where user_id = ${userId} and realm_id = ${realmId}`);
    return;
  }
  await tx.query(sql`
    insert into user_notes (user_id, realm_id, note, written_at)
    values (${userId}, ${realmId}, ${note}, ${at})
    on conflict (user_id) do update set note = excluded.note, written_at = excluded.written_at
  `);
}
