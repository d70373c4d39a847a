import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as takenRows from "../queries/bulk-job/plan/take-rows.ts";
import { ofAnyLength, sql, type Sql } from "../sql.ts";

/** The position up to which people due to be forgotten have been examined. */
export interface Place {
  offboardedAt: string;
  id: string;
}

/** A realm that forgets people. */
export interface ForgettingRealm {
  id: string;
  forgetAfterMonths: number;
}

/** Lists the realms that forget people, in the order of creation. */
export const listRealms = (db: Db): Promise<ForgettingRealm[]> =>
  db.query<ForgettingRealm>(sql`
    select id, forget_after_months as "forgetAfterMonths" from realms where forget_after_months is not null order by id
  `);

/**
 * Returns the instant before which offboarded people are forgotten now. Also uses the database's clock, so a process
 * whose clock is ahead does not forget people early.
 */
const before = (realm: ForgettingRealm, at: Date): Sql =>
  sql`least(${at}::timestamptz, now()) - make_interval(months => ${realm.forgetAfterMonths}::integer)`;

/** Counts the people who should have been forgotten an hour ago and are not. */
export async function countOverdue(db: Db, { realm, at }: { realm: ForgettingRealm; at: Date }): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::integer as count
      from users
     where realm_id = ${realm.id}
       and forgotten_at is null
       and offboarded_at < ${before(realm, at)} - interval '1 hour'
  `);
  return row?.count ?? 0;
}

interface DueUser extends Place {
  pairwiseId: string;
  email: string;
}

/**
 * Forgets the next people of a realm whose retention time after offboarding is over, at most `limit`, with one audit
 * entry: erases their personal data wherever it is stored and frees their pairwise ids; a person who returns is a new
 * user. Takes their rows out of jobs that wait to be started. Skips people with an active profile, people whom another
 * transaction is changing, and people in a bulk job that is under way. Returns how many people were forgotten, and the
 * place to continue from; the place is undefined once nobody is left. Call in a transaction, one at a time.
 */
export async function forgetSlice(
  tx: Db,
  { realm, after, limit, at }: { realm: ForgettingRealm; after: Place | undefined; limit: number; at: Date },
): Promise<{ forgotten: number; place: Place | undefined }> {
  const due = await tx.query<DueUser>(sql`
    select id, offboarded_at::text as "offboardedAt", pairwise_id as "pairwiseId", email
      from users
     where realm_id = ${realm.id}
       and forgotten_at is null
       and offboarded_at <= ${before(realm, at)}
       and (${after?.id ?? null}::bigint is null
            or (offboarded_at, id) > (${after?.offboardedAt ?? null}::timestamptz, ${after?.id ?? null}::bigint))
     order by offboarded_at, id
     limit ${limit}
  `);
  const last = due.at(-1);
  if (last === undefined) return { forgotten: 0, place: undefined };

  // A person who is reactivated meanwhile is no longer offboarded once their row can be locked.
  const held = await tx.query<{ id: string }>(sql`
    select id
      from users
     where id = any(${due.map(({ id }) => id)}::bigint[])
       and offboarded_at is not null
     order by id
       for no key update skip locked
  `);
  const heldIds = new Set(held.map(({ id }) => id));
  const people = due.filter(({ id }) => heldIds.has(id));
  await takeOutOfWaitingJobs(tx, { realm, people, at });
  const busy = await findBusy(tx, { realm, people });

  const [erased] = await tx.query<{ ids: string[] }>(sql`
    select forget_users(${people.flatMap(({ id }) => (busy.has(id) ? [] : [id]))}::bigint[], ${at}) as ids
  `);
  const forgotten = erased?.ids.length ?? 0;
  if (forgotten > 0) {
    await audit.record(tx, {
      realmId: realm.id,
      event: "user_forget",
      actor: { userId: null, clientId: null },
      at,
      properties: { users: forgotten, forgetAfterMonths: realm.forgetAfterMonths },
    });
  }
  return { forgotten, place: { offboardedAt: last.offboardedAt, id: last.id } };
}

/**
 * Selects the unfinished rows of jobs `j` of the realm that name one of the people: the person, the job and the
 * position. An e-mail address counts only in a row without another identifier.
 */
function rowsNaming(realm: ForgettingRealm, people: readonly DueUser[], jobs: Sql): Sql {
  const named = (column: Sql, key: Sql): Sql => sql`
    select p.id, r.job_id, r.position
      from open o
      join job_rows r on r.job_id = o.id and r.status in ('pending', 'working')
      join people p on ${column} = ${key}`;
  return sql`(
    with people as (
      select id, pairwise_id, nullif(lower(email), '') as email
        from unnest(${ofAnyLength(
          people.map(({ id }) => id),
          sql`bigint[]`,
        )}, ${ofAnyLength(
          people.map(({ pairwiseId }) => pairwiseId),
          sql`text[]`,
        )}, ${ofAnyLength(
          people.map(({ email }) => email),
          sql`text[]`,
        )}) as given (id, pairwise_id, email)
    ), open as (
      select j.id from jobs j where j.realm_id = ${realm.id} and j.finished_at is null and ${jobs}
    )
    ${named(sql`p.id`, sql`r.user_id`)}
    union
    ${named(sql`folded_id(p.pairwise_id)`, sql`folded_id(r.pairwise_id)`)}
     where r.pairwise_id = p.pairwise_id
        or r.user_id is null
    union
    ${named(sql`p.email`, sql`lower(r.email)`)}
     where r.user_id is null
       and r.pairwise_id is null)`;
}

/**
 * Removes people from jobs that were not started: these jobs may wait for years, and would not find the people once
 * they start.
 */
async function takeOutOfWaitingJobs(
  tx: Db,
  { realm, people, at }: { realm: ForgettingRealm; people: readonly DueUser[]; at: Date },
): Promise<void> {
  const isReady = sql`j.state = 'ready'`;
  const jobs = await tx.query<{ id: string }>(sql`
    select j.id
      from jobs j
     where j.id = any(array(select job_id from ${rowsNaming(realm, people, isReady)} as named))
       and ${isReady}
     order by j.id
       for update
  `);
  for (const { id: jobId } of jobs) {
    const named = await tx.query<{ position: number }>(sql`
      select distinct position from ${rowsNaming(realm, people, sql`j.id = ${jobId}`)} as named order by position
    `);
    await takenRows.takeOut(tx, { realmId: realm.id, jobId, positions: named.map(({ position }) => position), at });
  }
}

/** Returns which of the people have an unfinished row in an unfinished job. */
async function findBusy(
  tx: Db,
  { realm, people }: { realm: ForgettingRealm; people: readonly DueUser[] },
): Promise<ReadonlySet<string>> {
  const busy = await tx.query<{ id: string }>(sql`
    select distinct id from ${rowsNaming(realm, people, sql`true`)} as named
  `);
  return new Set(busy.map(({ id }) => id));
}
