import { first, type Db } from "../client.ts";
import { sql } from "../sql.ts";

/** Gives a user a name to sign in with, and a password unless links are to do. Throws a unique violation for a taken name. */
export async function create(
  tx: Db,
  row: { userId: string; realmId: string; username: string; passwordHash: string | null },
): Promise<void> {
  await tx.query(sql`
    insert into local_credentials (user_id, realm_id, username, password_hash)
    values (${row.userId}, ${row.realmId}, ${row.username}, ${row.passwordHash})
  `);
}

/** The user who signs in under this name. */
export async function findUserId(
  db: Db,
  { realmId, username }: { realmId: string; username: string },
): Promise<string | undefined> {
  const row = first(
    await db.query<{ userId: string }>(sql`
      select user_id as "userId"
        from local_credentials
       where realm_id = ${realmId}
         and lower(username) = lower(${username})
    `),
  );
  return row?.userId;
}

/** What somebody who signs in is compared with. */
export interface LocalCredential {
  userId: string;
  /** Null: this person signs in with links only. */
  passwordHash: string | null;
  administrator: boolean;
  offboardedAt: Date | null;
}

export async function find(
  db: Db,
  { realmId, username }: { realmId: string; username: string },
): Promise<LocalCredential | undefined> {
  return first(
    await db.query<LocalCredential>(sql`
      select c.user_id as "userId", c.password_hash as "passwordHash", u.administrator, u.offboarded_at as "offboardedAt"
        from local_credentials c
        join users u on u.id = c.user_id
       where c.realm_id = ${realmId}
         and lower(c.username) = lower(${username})
    `),
  );
}
