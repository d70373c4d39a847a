import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** How many requests of one application were answered with one status in one hour. */
export interface RequestCount {
  clientId: string;
  /** The start of the hour. */
  hour: Date;
  /** The HTTP status. */
  status: number;
  requests: number;
}

/**
 * Adds counts in one statement. Drops counts of applications that no longer exist. Several processes may add at the
 * same time.
 */
export async function add(db: Db, counts: readonly RequestCount[]): Promise<void> {
  await db.query(sql`
    insert into application_requests as r (client_id, hour, status, requests)
    select c.client_id, c.hour, c.status, c.requests
      from unnest(${counts.map(({ clientId }) => clientId)}::text[],
                  ${counts.map(({ hour }) => hour)}::timestamptz[],
                  ${counts.map(({ status }) => status)}::smallint[],
                  ${counts.map(({ requests }) => requests)}::bigint[])
           as c (client_id, hour, status, requests)
      join applications a on a.client_id = c.client_id
     order by 1, 2, 3
        on conflict (client_id, hour, status)
        do update set requests = r.requests + excluded.requests
  `);
}

/** Lists the request counts of an application of the realm since a time, earliest first. */
export const list = (
  db: Db,
  { realmId, clientId, from }: { realmId: string; clientId: string; from: Date },
): Promise<Omit<RequestCount, "clientId">[]> =>
  db.query(sql`
    select r.hour, r.status, r.requests::double precision as requests
      from application_requests r
      join applications a on a.client_id = r.client_id
     where r.client_id = ${clientId}
       and a.realm_id = ${realmId}
       and r.hour >= ${from}
     order by r.hour, r.status
  `);
