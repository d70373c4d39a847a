import type { Scope } from "../../../domain/scopes.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** What a person allowed an application. */
export interface Consent {
  clientId: string;
  clientName: string;
  clientUri: string;
  scopes: Scope[];
  grantedAt: Date;
}

const columns = sql`
  c.client_id as "clientId", a.name as "clientName", a.client_uri as "clientUri", c.scopes, c.granted_at as "grantedAt"`;

export async function find(
  db: Db,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<Consent | undefined> {
  return first(
    await db.query<Consent>(sql`
      select ${columns}
        from consents c
        join applications a on a.client_id = c.client_id
       where c.user_id = ${userId}
         and c.client_id = ${clientId}
    `),
  );
}

/** A person's consents, the latest first. */
export const listOfUser = (db: Db, { userId }: { userId: string }): Promise<Consent[]> =>
  db.query<Consent>(sql`
    select ${columns}
      from consents c
      join applications a on a.client_id = c.client_id
     where c.user_id = ${userId}
     order by c.granted_at desc, c.client_id
  `);

/** Adds scopes to what was allowed before. */
export async function grant(
  tx: Db,
  { userId, clientId, scopes, at }: { userId: string; clientId: string; scopes: readonly Scope[]; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into consents as known (user_id, client_id, scopes, granted_at)
    values (${userId}, ${clientId}, ${scopes}, ${at})
    on conflict (user_id, client_id) do update
       set scopes = array(select distinct unnest(known.scopes || excluded.scopes)),
           granted_at = excluded.granted_at
  `);
}

/** Takes a consent back. False when there is none. */
export async function remove(tx: Db, { userId, clientId }: { userId: string; clientId: string }): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from consents where user_id = ${userId} and client_id = ${clientId} returning client_id
  `);
  return rows.length > 0;
}
