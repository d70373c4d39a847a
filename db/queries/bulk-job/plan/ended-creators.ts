import { jobNotices } from "../../../../domain/bulk-job/job.ts";
import { jobProgressChannel } from "../../../channels.ts";
import type { Db } from "../../../client.ts";
import { sql } from "../../../sql.ts";
import * as access from "../access.ts";
import * as checks from "./check.ts";

/** Users, or a client that acted without a user. */
type Creators = { userIds: readonly string[] } | { clientId: string };

/**
 * Stops the realm's scheduled and queued jobs that one of these creators created and may no longer create: another user
 * must start them. A job that has already locked its people out continues. Call after the creators' access has ended,
 * in the same transaction.
 */
export async function stopOfEnded(
  tx: Db,
  { realmId, creators, at }: { realmId: string; creators: Creators; at: Date },
): Promise<void> {
  const ofThem =
    "userIds" in creators
      ? sql`j.created_by_user_id = any(${creators.userIds}::bigint[])`
      : sql`j.created_by_user_id is null and j.created_by_client_id = ${creators.clientId}`;
  await tx.query(sql`
    with waiting as materialized (
      select j.id
        from jobs j
       where j.realm_id = ${realmId}
         and j.finished_at is null
         and j.state in ('scheduled', 'queued')
         and j.marked_at is null
         and ${ofThem}
         and not ${access.hasCreator}
       order by j.id
         for no key update
    ), stopped as (
      update jobs j
         set state = 'ready', error_code = ${jobNotices.creatorEnded}, changed = f.changed, unchanged = f.unchanged,
             failed = f.failed, skipped = f.skipped, affected_profiles = f.profiles, revision = j.revision + 1,
             progress_at = ${at}
        from waiting w, lateral (${checks.findingsOf(sql`w.id`)}) f
       where j.id = w.id
      returning j.id
    )
    select pg_notify(${jobProgressChannel}, id::text) from stopped
  `);
}
