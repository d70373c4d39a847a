import type { Actor } from "../../domain/audit/audit.ts";
import { deviceTypes, keyTypeOfDevice, keyTypeOfFormat, type KeyType } from "../../domain/certificate/device.ts";
import { first, type Db } from "../client.ts";
import * as plan from "../queries/bulk-job/plan/onboarding.ts";
import * as ids from "../queries/bulk-job/plan/by-id.ts";
import * as progress from "../queries/bulk-job/progress.ts";
import { sql, type Sql } from "../sql.ts";

/**
 * Onboards the people of a range: creates missing users, changes users that differ, and accepts the requested profiles,
 * all with their audit entries. Rows are done, or `working` until their profile is settled; a row that cannot be
 * applied changes nothing. Users are created in the order of their pairwise ids, locked in the order of their ids, and
 * only then counted: two jobs with the same people never deadlock, and they cannot both use the last place under a
 * limit. Of several rows about a person, which can show only once the person exists, the first is applied. Rows are
 * joined by ctid, because a join by position would compare each row with every other.
 */
export async function onboardRows(
  tx: Db,
  { realmId, actor, at, ...range }: progress.RowRange & { realmId: string; actor: Actor; at: Date },
): Promise<progress.Progress | undefined> {
  const pending = sql`(select r.* from job_rows r where ${progress.inRange(range)} and r.status = 'pending')`;
  const [, rows, terms] = await Promise.all([
    // One plan for every slice. The costs that Postgres expects depend on the range and on how many users there are, so
    // otherwise it often plans these statements for each slice, 4 ms each time.
    tx.query(sql`set local plan_cache_mode = force_generic_plan`),
    tx.query<{ pairwiseId: string | null }>(sql`
      select n.pairwise_id as "pairwiseId"
        from ${plan.named(sql`job_rows`, realmId)}
       where ${progress.inRange(range)}
         and r.status = 'pending'
       order by r.position
         for update of r
    `),
    plan.termsOf(tx, { realmId }),
  ]);
  if (rows.length === 0) return undefined;
  const verdicts = plan.planOnboarding(pending, { realmId, at, ...terms });
  const audited = (event: string, properties: Sql, source: Sql): Sql => sql`
    insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
    select ${realmId}::bigint, ${at}::timestamptz, ${event}, ${actor.userId}::bigint, ${actor.clientId}::text, ${properties}
      ${source}`;

  const made = await tx.query<{ id: string; pairwiseId: string }>(sql`
    with verdicts as materialized (${verdicts}), made as (
      insert into users (realm_id, pairwise_id, email, profile_override, created_at)
      select ${realmId}, pairwise_id, email_after, override_after, ${at}
        from verdicts
       where user_id is null
         and error_code is null
       order by folded_id(pairwise_id)
      on conflict do nothing
      returning id, pairwise_id
    ), audited as (
      ${audited(
        "user_create",
        sql`jsonb_build_object('userID', id::text, 'administrator', false, 'job', ${range.jobId}::text)`,
        sql`from made order by id`,
      )}
    )
    select id, pairwise_id as "pairwiseId" from made
  `);
  const isMade = new Set(made.map(({ pairwiseId }) => pairwiseId));
  const known = rows.flatMap(({ pairwiseId }) => (pairwiseId === null || isMade.has(pairwiseId) ? [] : [pairwiseId]));
  // Looks up each user by pairwise id: in one query over all of them in the order of ids, Postgres would read every
  // user of the realm until its statistics show how many there are.
  if (known.length > 0) {
    await tx.query(sql`
      select id
        from users
       where id = any(array(select i.user_id
                              from unnest(${known}::text[]) as p (pairwise_id)
                             cross join ${ids.byId(realmId, sql`p.pairwise_id`)}))
       order by id
         for no key update
    `);
  }
  return first(
    await tx.query<progress.Progress>(sql`
      with verdicts as materialized (
        select judged.*, r.place, case when error_code is null and issues then gen_random_uuid() end as issuance_id
          from (${oncePerPerson(verdicts)}) as judged
         cross join lateral (select ctid as place
                               from job_rows
                              where job_id = ${range.jobId}
                                and position = judged.position
                             offset 0) r
      ), updated as (
        update users u
           set email = v.email_after, profile_override = v.override_after
          from verdicts v
         where u.id = v.user_id
           and v.error_code is null
           and v.differs
      ), audited as (
        ${audited(
          "user_update",
          sql`jsonb_build_object('userID', user_id::text, 'changed', ${changedFields}, 'job', ${range.jobId}::text)
              || case when override_after <> override_before
                      then jsonb_build_object('before', jsonb_build_object('profileOverride', override_before),
                                              'after', jsonb_build_object('profileOverride', override_after))
                      else '{}' end`,
          sql`from verdicts where error_code is null and differs and user_id is not null order by user_id`,
        )}
      ), accepted as (
        insert into issuances (id, realm_id, kind, user_id, batch_id, batch_position, name, device_type, format, key_type,
                               validity_months, created_at, created_by_user_id, created_by_client_id, request_id)
        select issuance_id, ${realmId}, 'user', user_id, ${range.jobId}, position, profile_name, device_type, format,
               coalesce(${JSON.stringify(keyTypeOfFormat)}::jsonb ->> format,
                        ${JSON.stringify(keyTypesIn(terms))}::jsonb ->> device_type),
               ${terms.maxValidMonths}::integer, ${at}, ${actor.userId}, ${actor.clientId},
               (select request_id from jobs where id = ${range.jobId})
          from verdicts
         where issuance_id is not null
         order by position
      ), touched as (
        update job_rows r
           set user_id = v.user_id,
               status = case when v.issuance_id is not null then 'working'
                             when v.error_code is null and v.user_id = any(${made.map(({ id }) => id)}::bigint[])
                               then 'changed'
                             else v.verdict end,
               error_code = v.error_code,
               message = coalesce(v.message, ${progress.messageOf(sql`v.error_code`)}),
               issuance_id = v.issuance_id
          from verdicts v
         where r.ctid = v.place
        returning r.status
      ), ${progress.addToCounts(range.jobId, at)}
    `),
  );
}

/** Fails the rows of {@link plan.planOnboarding} that are about the same person as an earlier row without an error. */
const oncePerPerson = (verdicts: Sql): Sql => sql`
  select position, user_id, profile_name, device_type, format, email_before, email_after, override_before, override_after,
         issues, differs,
         case when again then 'failed' else verdict end as verdict,
         case when again then 'duplicate_row' else error_code end as error_code,
         case when again then ${progress.duplicateOf("person", sql`first`)} else message end as message
    from (select known.*, error_code is null and user_id is not null and position > first as again
            from (select v.*, min(position) filter (where error_code is null) over (partition by user_id) as first
                    from (${verdicts}) as v) as known) as v`;

/** Names of fields only, without the personal data in them: audit entries are never deleted. */
const changedFields = sql`to_jsonb(array_remove(array[
  case when email_after <> email_before then 'email' end,
  case when override_after <> override_before then 'profileOverride' end], null))`;

const keyTypesIn = ({ keyTypes }: Pick<plan.RealmTerms, "keyTypes">): Record<string, KeyType> =>
  Object.fromEntries(deviceTypes.map((deviceType) => [deviceType, keyTypeOfDevice(deviceType, { keyTypes })]));
