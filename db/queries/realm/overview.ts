import { only, type Db } from "../../client.ts";
import { isUnsettled } from "../../rules.ts";
import { sql, unprepared } from "../../sql.ts";
import * as crls from "../certificates/crls.ts";
import * as processes from "../upkeep/processes.ts";

/** A count for the days up to now, and one for the same number of days before. */
export interface Trend {
  last: number;
  before: number;
}

/** A realm in numbers; only users' profiles count, except in `waitingIssuances`. */
export interface RealmNumbers {
  activeProfiles: number;
  /** Profiles with at most this many days left. */
  endingWithin7Days: number;
  endingWithin30Days: number;
  issued: Trend;
  revoked: Trend;
  activeUsers: number;
  lockedUsers: number;
  offboardedUsers: number;
  /** Accepted creations, of profiles of every kind, that are neither issued nor failed. */
  waitingIssuances: number;
  oldestWaitingSince: Date | null;
  workersAlive: number;
}

type Columns = Omit<RealmNumbers, "issued" | "revoked"> & {
  issuedLast: number;
  issuedBefore: number;
  revokedLast: number;
  revokedBefore: number;
};

/**
 * Counts the current state of a realm. Every count uses an index: users and their profiles are counted in the index of
 * the per-user counts, minus expired profiles that are not marked yet.
 */
export async function countRealm(db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<RealmNumbers> {
  const { issuedLast, issuedBefore, revokedLast, revokedBefore, ...numbers } = only(
    await db.query<Columns>(
      unprepared(sql`
        with days as (select ${at}::timestamptz as now, interval '1 day' as day),
        kept as materialized (
          select count(*)::integer as users, coalesce(sum(profile_count), 0)::integer as profiles
            from user_profile_counts
           where realm_id = ${realmId}
        ),
        unseen as materialized (
          select count(*)::integer as profiles
            from days, active_profiles
           where realm_id = ${realmId}
             and not_after <= now
        ),
        ending as materialized (
          select count(*) filter (where not_after <= now + 7 * day)::integer as week, count(*)::integer as month
            from days, active_profiles
           where realm_id = ${realmId}
             and not_after > now
             and not_after <= now + 30 * day
        ),
        issued as materialized (
          select count(*) filter (where created_at > now - 7 * day)::integer as last,
                 count(*) filter (where created_at <= now - 7 * day)::integer as before
            from days, certificates
           where realm_id = ${realmId}
             and kind = 'user'
             and created_at > now - 14 * day
        ),
        revoked as materialized (
          select count(*) filter (where revoked_at > now - 7 * day)::integer as last,
                 count(*) filter (where revoked_at <= now - 7 * day)::integer as before
            from days, certificates
           where realm_id = ${realmId}
             and kind = 'user'
             and revoked_at > now - 14 * day
        ),
        gone as materialized (
          select count(*)::integer as users from users where realm_id = ${realmId} and offboarded_at is not null
        ),
        locked as materialized (
          select count(*)::integer as users
            from users
           where realm_id = ${realmId}
             and locked_at is not null
             and offboarded_at is null
        ),
        waiting as materialized (
          select count(*)::integer as issuances, min(created_at) as oldest
            from issuances i
           where ${isUnsettled(sql`i`)}
             and i.realm_id = ${realmId}
        ),
        seen as materialized (
          select count(*)::integer as workers
            from processes
           where kind = 'worker'
             and seen_at > clock_timestamp() - make_interval(secs => ${processes.silenceSecondsMax})
        )
        select kept.profiles - unseen.profiles as "activeProfiles", ending.week as "endingWithin7Days",
               ending.month as "endingWithin30Days", issued.last as "issuedLast", issued.before as "issuedBefore",
               revoked.last as "revokedLast", revoked.before as "revokedBefore",
               kept.users - gone.users - locked.users as "activeUsers", locked.users as "lockedUsers",
               gone.users as "offboardedUsers", waiting.issuances as "waitingIssuances",
               waiting.oldest as "oldestWaitingSince", seen.workers as "workersAlive"
          from kept, unseen, ending, issued, revoked, gone, locked, waiting, seen
      `),
    ),
  );
  return {
    ...numbers,
    issued: { last: issuedLast, before: issuedBefore },
    revoked: { last: revokedLast, before: revokedBefore },
  };
}

/** Counts from this moment up to the next bucket. */
export interface Bucket {
  from: Date;
  issued: number;
  revoked: number;
}

/** Counts users' profiles issued and revoked in buckets of equal length, earliest first. */
export const countBuckets = (
  db: Db,
  { realmId, from, count, seconds }: { realmId: string; from: Date; count: number; seconds: number },
): Promise<Bucket[]> =>
  db.query<Bucket>(
    unprepared(sql`
      select b."from",
             (select count(*)::integer
                from certificates
               where realm_id = ${realmId}
                 and kind = 'user'
                 and created_at >= b."from"
                 and created_at < b.until) as issued,
             (select count(*)::integer
                from certificates
               where realm_id = ${realmId}
                 and kind = 'user'
                 and revoked_at >= b."from"
                 and revoked_at < b.until) as revoked
        from (select ${from}::timestamptz + make_interval(secs => n * ${seconds}::integer) as "from",
                     ${from}::timestamptz + make_interval(secs => (n + 1) * ${seconds}::integer) as until
                from generate_series(0, ${count}::integer - 1) as n) as b
       order by 1
    `),
  );

/**
 * Counts the active profiles of users that expire in each week from a moment on; weeks without expiries are left out.
 */
export const countExpiries = (
  db: Db,
  { realmId, at, from, weeks }: { realmId: string; at: Date; from: Date; weeks: number },
): Promise<{ week: number; profiles: number }[]> =>
  db.query<{ week: number; profiles: number }>(
    unprepared(sql`
      select floor(extract(epoch from not_after - ${from}::timestamptz) / 604800)::integer as week,
             count(*)::integer as profiles
        from active_profiles
       where realm_id = ${realmId}
         and not_after > ${at}
         and not_after < ${from}::timestamptz + make_interval(days => 7 * ${weeks}::integer)
       group by 1
    `),
  );

/** An unexpired issuer and its current CRL. */
export interface IssuerStanding {
  issuerId: string;
  subject: string;
  issuing: boolean;
  endsAt: Date;
  publishedAt: Date | null;
  nextUpdate: Date | null;
  /** `due`: {@link crls.isOverdue}. `stale`: the CRL has expired, or there is none yet. */
  standing: "fresh" | "due" | "stale";
}

export const listIssuers = (db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<IssuerStanding[]> =>
  db.query<IssuerStanding>(sql`
    select i.id as "issuerId", i.subject, i.issuing, i.not_after as "endsAt", c.published_at as "publishedAt",
           c.next_update as "nextUpdate",
           case when c.issuer_id is null or ${at} >= c.next_update then 'stale'
                when ${crls.isOverdue(sql`c`, at)} then 'due'
                else 'fresh'
           end as standing
      from issuers i
      left join crls c on c.issuer_id = i.id
     where i.realm_id = ${realmId}
       and i.not_after > ${at}
     order by i.issuing desc, i.id desc
  `);
