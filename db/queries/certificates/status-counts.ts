import type { Db } from "../../client.ts";
import { isRadiusServer } from "../../rules.ts";
import { sql } from "../../sql.ts";

/** Stands for the addresses that are not counted one by one. */
export const otherAddresses = "::";

/** Answers about devices in one hour. */
export interface StatusCount {
  issuerId: string;
  /** The start of the hour. */
  hour: Date;
  address: string;
  good: number;
  refused: number;
  lastAt: Date;
}

/** Adds counts to the rows of the issuers' realms, in one statement. Several processes may add at the same time. */
export async function add(db: Db, counts: readonly StatusCount[]): Promise<void> {
  await db.query(sql`
    insert into status_counts as s (realm_id, hour, address, good, refused, last_at)
    select i.realm_id, c.hour, c.address::inet, sum(c.good), sum(c.refused), max(c.last_at)
      from unnest(${counts.map(({ issuerId }) => issuerId)}::bigint[],
                  ${counts.map(({ hour }) => hour)}::timestamptz[],
                  ${counts.map(({ address }) => address)}::text[],
                  ${counts.map(({ good }) => good)}::bigint[],
                  ${counts.map(({ refused }) => refused)}::bigint[],
                  ${counts.map(({ lastAt }) => lastAt)}::timestamptz[])
           as c (issuer_id, hour, address, good, refused, last_at)
      join issuers i on i.id = c.issuer_id
     group by 1, 2, 3
     order by 1, 2, 3
        on conflict (realm_id, hour, address)
        do update set good = s.good + excluded.good,
                      refused = s.refused + excluded.refused,
                      last_at = greatest(s.last_at, excluded.last_at)
  `);
}

/** Answers to all RADIUS servers of a realm in one hour. */
export interface HourCount {
  hour: Date;
  good: number;
  refused: number;
}

/** Counts the answers to a realm's RADIUS servers by hour from a moment on; hours without answers are left out. */
export const listHours = (db: Db, { realmId, from }: { realmId: string; from: Date }): Promise<HourCount[]> =>
  db.query<HourCount>(sql`
    select s.hour, sum(s.good)::double precision as good, sum(s.refused)::double precision as refused
      from status_counts s
      join realms r on r.id = s.realm_id
     where s.realm_id = ${realmId}
       and s.hour >= ${from}
       and ${isRadiusServer(sql`r`, sql`s.address`)}
     group by s.hour
     order by s.hour
  `);

/** An address that requested the status of devices. */
export interface AskingServer {
  /** Null: the addresses that are not counted one by one. */
  address: string | null;
  /** Whether the address is one of the RADIUS servers that the realm names. */
  isServer: boolean;
  good: number;
  refused: number;
  lastAt: Date;
}

/** Lists the addresses that requested the status of a realm's devices from a moment on, the latest first. */
export const listServers = (
  db: Db,
  { realmId, from, limit }: { realmId: string; from: Date; limit: number },
): Promise<AskingServer[]> =>
  db.query<AskingServer>(sql`
    select nullif(host(s.address), ${otherAddresses}) as address, ${isRadiusServer(sql`r`, sql`s.address`)} as "isServer",
           sum(s.good)::double precision as good, sum(s.refused)::double precision as refused, max(s.last_at) as "lastAt"
      from status_counts s
      join realms r on r.id = s.realm_id
     where s.realm_id = ${realmId}
       and s.hour >= ${from}
     group by s.address, r.radius_addresses
     order by max(s.last_at) desc, s.address
     limit ${limit}
  `);
