import type { Actor } from "../../../domain/audit/audit.ts";
import { jobKinds, profileScope, scopesOfJob } from "../../../domain/bulk-job/job.ts";
import { rolesWith } from "../../../domain/people/roles.ts";
import { only, type Db } from "../../client.ts";
import { rolesOf } from "../../rules.ts";
import { join, sql, type Sql } from "../../sql.ts";
import type { InRealm } from "./jobs.ts";

/** Returns whether a row of the job that is pending, or that a retry would copy, requests a profile. */
export async function asksForProfiles(db: Db, jobId: string): Promise<boolean> {
  const { asks } = only(await db.query<{ asks: boolean }>(sql`select ${asking(sql`${jobId}::uuid`)} as asks`));
  return asks;
}

/** Returns the condition of {@link asksForProfiles}, for the job with this id. */
export const asking = (jobId: Sql): Sql => sql`exists (
  select
    from job_rows
   where job_id = ${jobId}
     and profile_name is not null
     and (status in ('pending', 'failed') or error_code = 'internal_error'))`;

const neededScopes = sql`(
  case j.kind ${join(
    jobKinds.map((kind) => sql`when ${kind} then ${["job.create", ...scopesOfJob(kind, { profiles: false })]}::text[]`),
    sql` `,
  )} end || case when ${asking(sql`j.id`)} then ${[profileScope]}::text[] else '{}' end)`;

/** The roles that allow users to do what the job `j` does. */
const neededRoles = sql`case j.kind ${join(
  jobKinds.map((kind) => {
    const needed = ["job.create", ...scopesOfJob(kind, { profiles: true })] as const;
    return sql`when ${kind} then ${rolesWith(needed)}::text[]`;
  }),
  sql` `,
)} end`;

/**
 * Tests whether the creator of the job `j` could still create it: a user who has a role for the job and is not
 * offboarded, or an active client with the scopes that the job needs.
 */
export const hasCreator = sql`case
  when j.created_by_user_id is not null
  then exists (select from users u
                where u.id = j.created_by_user_id and u.realm_id = j.realm_id
                  and ${rolesOf(sql`u`)} && ${neededRoles} and u.offboarded_at is null)
  else exists (select from applications a
                where a.client_id = j.created_by_client_id and a.realm_id = j.realm_id
                  and a.active and a.scopes @> ${neededScopes}) end`;

/** Returns whether the creator of a job could still create it. */
export async function creatorMayRun(db: Db, jobId: string): Promise<boolean> {
  const rows = await db.query(sql`select j.id from jobs j where j.id = ${jobId} and ${hasCreator}`);
  return rows.length > 0;
}

/**
 * Transfers a job to another creator: the job continues in their name, and they become the creator of the profiles that
 * it issues. Call with the job's row locked.
 */
export async function takeOver(tx: Db, { realmId, jobId, actor }: InRealm & { actor: Actor }): Promise<void> {
  await tx.query(sql`
    update jobs
       set created_by_user_id = ${actor.userId}, created_by_client_id = ${actor.clientId}
     where realm_id = ${realmId}
       and id = ${jobId}
  `);
}
