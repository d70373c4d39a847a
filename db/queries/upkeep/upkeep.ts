import { only, type Db } from "../../client.ts";
import { isUnfetched, isUnsettled } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";
import {
  collectedOutputMinutes,
  endedHandOverHours,
  handOverFileMinutes,
  idempotencyKeyHours,
  requestCountDays,
  sessionIdleDays,
  statusCountDays,
  uncollectedOutputHours,
} from "../../../domain/lifetimes.ts";

/** How many rows one statement removes: few enough that no other transaction waits for it. */
const slice = 5_000;

const counted = async (db: Db, statement: Sql): Promise<number> => {
  const rows = await db.query<{ count: number }>(statement);
  return only(rows).count;
};

/** Only data keys older than this are blanked: no thread seals with them any more. */
const dataKeyMinutesMin = 1;

/**
 * Erases the outputs of single issuances past their retention, and the data keys that no longer seal any output. Files
 * of hand-overs are kept longer; files that were never fetched are erased with a revocation. Returns how many outputs
 * were erased.
 */
export async function eraseOutputs(db: Db, { at }: { at: Date }): Promise<number> {
  const erased = await counted(
    db,
    sql`
      with due as (
        (select issuance_id
           from issuance_outputs
          where sealed is not null
            and job_id is null
            and collected_at < ${at}::timestamptz - make_interval(mins => ${collectedOutputMinutes})
            and not exists (select from hand_overs h where h.issuance_id = issuance_outputs.issuance_id)
          limit ${slice})
        union
        (select issuance_id
           from issuance_outputs
          where sealed is not null
            and job_id is null
            and created_at < ${at}::timestamptz - make_interval(hours => ${uncollectedOutputHours})
            and not exists (select
                              from hand_overs h
                             where h.issuance_id = issuance_outputs.issuance_id
                               and ${isUnfetched(sql`h`, sql`issuance_outputs`)})
          limit ${slice})
        union
        (select o.issuance_id
           from hand_overs h
           join issuance_outputs o on o.issuance_id = h.issuance_id
          where o.sealed is not null
            and (h.downloaded_at is not null or o.collected_at is not null)
            and coalesce(h.downloaded_at, o.created_at) < ${at}::timestamptz - make_interval(mins => ${handOverFileMinutes})
          limit ${slice})
      ), erased as (
        update issuance_outputs o
           set sealed = null
          from due
         where o.issuance_id = due.issuance_id
        returning 1
      )
      select count(*)::integer as count from erased
    `,
  );
  await blankDataKeys(db, { at });
  return erased;
}

/**
 * Blanks data keys in two statements: once a key's row is locked, no issuance settles with the key, and the second
 * statement sees the issuances that settled with it before. Skips keys that a settlement is using at this moment.
 */
async function blankDataKeys(db: Db, { at }: { at: Date }): Promise<void> {
  const isUnused = sql`not exists (select from issuance_outputs o where o.data_key_id = k.id and o.sealed is not null)`;
  const unused = await db.query<{ id: string }>(sql`
    select k.id
      from output_data_keys k
     where k.wrapped <> ''
       and k.created_at < ${at}::timestamptz - make_interval(mins => ${dataKeyMinutesMin})
       and ${isUnused}
       for update skip locked
  `);
  if (unused.length === 0) return;
  await db.query(sql`
    update output_data_keys k
       set wrapped = ''
     where k.id = any(${unused.map(({ id }) => id)}::uuid[])
       and ${isUnused}
  `);
}

/**
 * Returns statements that each remove a slice of one kind of row that had expired at an instant. Sessions come before
 * their tokens: all code that ends a session locks the session's row first.
 */
export function removals(at: Date): Sql[] {
  return [
    sql`delete from sessions
         where id in ((select id from sessions where expires_at < ${at} limit ${slice})
                      union
                      (select id
                         from sessions
                        where last_used_at < ${at}::timestamptz - make_interval(days => ${sessionIdleDays})
                        limit ${slice}))`,
    sql`delete from sessions
         where id in (select session_id from console_sessions where expires_at < ${at} limit ${slice})`,
    sql`delete from logins where id in (select id from logins where expires_at < ${at} limit ${slice})`,
    sql`delete from upstream_attempts
         where token_hash in (select token_hash from upstream_attempts where expires_at < ${at} limit ${slice})`,
    sql`delete from sign_in_tests where id in (select id from sign_in_tests where expires_at < ${at} limit ${slice})`,
    sql`delete from sign_in_drafts
         where realm_id in (select realm_id from sign_in_drafts where expires_at < ${at} limit ${slice})`,
    sql`delete from guesses
         where key in (select key from guesses where expire < ${at.getTime()} limit ${slice})`,
    sql`delete from access_tokens
         where token_hash in (select token_hash from access_tokens where expires_at < ${at} limit ${slice})`,
    sql`delete from sign_in_links
         where token_hash in (select token_hash
                                from sign_in_links
                               where expires_at < ${at}::timestamptz - interval '1 day'
                               limit ${slice})`,
    // A hand-over whose file may still be fetched stays: without its row, nothing would revoke an unfetched profile.
    sql`delete from hand_overs
         where id in (select h.id
                        from hand_overs h
                       where h.expires_at < ${at}::timestamptz - make_interval(hours => ${endedHandOverHours})
                         and not exists (select from issuances i where i.id = h.issuance_id and ${isUnsettled(sql`i`)})
                         and not exists (select
                                           from issuance_outputs o
                                          where o.issuance_id = h.issuance_id
                                            and ${isUnfetched(sql`h`, sql`o`)})
                       limit ${slice})`,
    // Also compares with the database's clock: a worker whose clock is ahead must not remove responders that others
    // use.
    sql`delete from ocsp_responders
         where (serial_number, issuer_id) in (select serial_number, issuer_id
                                                from ocsp_responders
                                               where not_after < least(${at}::timestamptz, now()) - interval '1 day'
                                               limit ${slice})`,
    sql`delete from responder_requests
         where id in (select id
                        from responder_requests
                       where requested_at < clock_timestamp() - interval '1 hour'
                       limit ${slice})`,
    sql`delete from status_counts
         where (realm_id, hour, address) in (select realm_id, hour, address
                                               from status_counts
                                              where hour < ${at}::timestamptz - make_interval(days => ${statusCountDays})
                                              limit ${slice})`,
    sql`delete from application_requests
         where (client_id, hour, status) in (select client_id, hour, status
                                               from application_requests
                                              where hour < ${at}::timestamptz - make_interval(days => ${requestCountDays})
                                              limit ${slice})`,
    sql`delete from idempotency_keys
         where (scope, key) in (select scope, key
                                  from idempotency_keys
                                 where created_at < ${at}::timestamptz - make_interval(hours => ${idempotencyKeyHours})
                                 limit ${slice})`,
  ];
}

/** Runs one of {@link removals}. Returns how many rows it removed; call until it returns 0. */
export const remove = (db: Db, removal: Sql): Promise<number> =>
  counted(db, sql`with removed as (${removal} returning 1) select count(*)::integer as count from removed`);

/**
 * Marks expired profiles of users, at most {@link slice} in each realm, and subtracts each once from its user's count:
 * the mark and the count change together. Returns how many were marked; call until it returns 0.
 */
export const markExpired = (db: Db, { at }: { at: Date }): Promise<number> =>
  counted(
    db,
    sql`
      with due as materialized (
        select c.id
          from realms r
         cross join lateral (
           select id
             from active_profiles
            where realm_id = r.id
              and not_after <= ${at}
            order by not_after, id
            limit ${slice}) c
      ), marked as (
        update certificates c
           set lapsed = true
          from due
         where c.id = due.id
           and c.revoked_at is null
           and not c.lapsed
        returning c.user_id
      ), held as materialized (
        select p.user_id, fewer.profiles
          from (select user_id, count(*) as profiles from marked group by user_id) as fewer
          join user_profile_counts p on p.user_id = fewer.user_id
         order by p.user_id
           for no key update of p
      ), taken_off as (
        update user_profile_counts p
           set profile_count = p.profile_count - held.profiles
          from held
         where p.user_id = held.user_id
      )
      select count(*)::integer as count from marked
    `,
  );

/**
 * Makes the transaction fail soon when another transaction holds a row, before Postgres detects a deadlock and aborts
 * one of them: upkeep runs again, a user's logout does not.
 */
export async function setShortLockTimeout(tx: Db): Promise<void> {
  await tx.query(sql`select set_config('lock_timeout', '200ms', true)`);
}

/**
 * Takes a lock for the transaction if the lock is free, and returns whether it was free. For work that only one worker
 * does at a time.
 */
export async function tryLock(tx: Db, key: number): Promise<boolean> {
  const rows = await tx.query<{ locked: boolean }>(sql`select pg_try_advisory_xact_lock(${key}::bigint) as locked`);
  return only(rows).locked;
}
