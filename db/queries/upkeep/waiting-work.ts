import { only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** When work that is not counted one by one began to wait; null: nothing waits. */
export interface WaitingWork {
  /** When the active bulk job with the longest wait last made progress. */
  bulk_row: Date | null;
  /** When the oldest unclaimed key of a responder began to wait for its certificate. */
  responder_request: Date | null;
}

export async function readWaitingWork(db: Db): Promise<WaitingWork> {
  return only(
    await db.query<WaitingWork>(sql`
      select (select min(progress_at)
                from jobs
               where finished_at is null
                 and state in ('checking', 'running', 'cancelling')) as bulk_row,
             (select min(requested_at) from responder_requests where taken_at is null) as responder_request
    `),
  );
}

/** Certificates that expire within these numbers of days are counted. */
export const expiringDays = [1, 7, 30] as const;

export interface Expiring {
  kind: "user" | "guest" | "infrastructure";
  days: (typeof expiringDays)[number];
  count: number;
}

/**
 * Counts the active certificates that expire soon. An index covers users' certificates by expiry; other certificates
 * are few.
 */
export const countExpiring = (db: Db, { at }: { at: Date }): Promise<Expiring[]> =>
  db.query<Expiring>(sql`
    with soon as (
      select days, ${at}::timestamptz + make_interval(days => days) as until
        from unnest(${[...expiringDays]}::integer[]) as d (days)
    )
    select 'user' as kind, days,
           (select coalesce(sum(counted.count), 0)
              from realms r
             cross join lateral (select count(*) from active_profiles
                                  where realm_id = r.id and not_after > ${at} and not_after <= until) counted)::integer as count
      from soon
     union all
    select 'guest', days,
           (select count(*) from certificates
             where guest_account_id is not null and revoked_at is null
               and not_after > ${at} and not_after <= until)::integer
      from soon
     union all
    select 'infrastructure', days,
           (select count(*) from realms r
              join certificates c on c.realm_id = r.id and c.kind = 'infrastructure'
             where c.revoked_at is null and c.not_after > ${at} and c.not_after <= until)::integer
      from soon
  `);
