import type { RowStatus } from "../../../../domain/bulk-job/job.ts";
import { only, type Db } from "../../../client.ts";
import { radiusServerName } from "../../../rules.ts";
import { sql } from "../../../sql.ts";
import type { InRealm } from "../jobs.ts";
import * as jobRows from "../rows.ts";
import type { JobRow } from "../rows.ts";

export interface RowsPage {
  jobId: string;
  /** The last position already read. */
  after: number;
  limit: number;
  /** Only rows that show one of these statuses; undefined: all rows. */
  statuses: readonly RowStatus[] | undefined;
}

/** Lists rows in the order of the input. */
export const listAfter = (db: Db, { jobId, after, limit, statuses }: RowsPage): Promise<JobRow[]> =>
  db.query<JobRow>(sql`
    select r.position, r.input, r.max_profiles as "maxProfiles", r.serial_number as "serialNumber",
           ${jobRows.shownStatus} as status, r.error_code as "errorCode", r.message, r.issuance_id as "issuanceId"
      from job_rows r
      join jobs j on j.id = r.job_id
     where r.job_id = ${jobId}
       and r.position > ${after}::integer
       and (${statuses ?? null}::text[] is null or ${jobRows.shownStatus} = any(${statuses ?? null}::text[]))
     order by r.position
     limit ${limit}
  `);

/** A profile that was issued for a row. */
export interface IssuedProfile {
  issuanceId: string;
  serial: string;
  identity: string;
  /** The name of the realm's RADIUS server. */
  radiusCn: string;
}

/** Returns the profiles that these issuances produced. */
export const listIssued = (db: Db, issuanceIds: readonly string[]): Promise<IssuedProfile[]> =>
  db.query<IssuedProfile>(sql`
    select c.issuance_id as "issuanceId", c.serial_number::text as serial, c.identity,
           ${radiusServerName(sql`r`)} as "radiusCn"
      from certificates c
      join realms r on r.id = c.realm_id
     where c.issuance_id = any(${issuanceIds}::uuid[])
  `);

/** Output that can still be opened. */
export interface SealedRowOutput {
  issuanceId: string;
  sealed: Buffer;
  dataKeyId: string;
  wrappedDataKey: Buffer;
}

/**
 * Returns outputs of issuances that are not erased. Reading them here does not start their expiry: they are kept until
 * the outputs of their job are erased.
 */
export const listSealedOutputs = (db: Db, issuanceIds: readonly string[]): Promise<SealedRowOutput[]> =>
  db.query<SealedRowOutput>(sql`
    select o.issuance_id as "issuanceId", o.sealed, o.data_key_id as "dataKeyId", k.wrapped as "wrappedDataKey"
      from issuance_outputs o
      join output_data_keys k on k.id = o.data_key_id
     where o.issuance_id = any(${issuanceIds}::uuid[])
       and o.sealed is not null
       and k.wrapped is not null
       and length(k.wrapped) > 0
  `);

/**
 * Erases the outputs of a job's profiles and returns how many outputs were erased. The results of the job's rows stay.
 */
export async function eraseOutput(tx: Db, { realmId, jobId, at }: InRealm & { at: Date }): Promise<number> {
  const { erased } = only(
    await tx.query<{ erased: number }>(sql`
      with erased as (
        update issuance_outputs set sealed = null where job_id = ${jobId} and sealed is not null returning issuance_id
      )
      select count(*)::integer as erased from erased
    `),
  );
  await tx.query(sql`
    update jobs
       set output_erased_at = coalesce(output_erased_at, ${at})
     where realm_id = ${realmId}
       and id = ${jobId}
  `);
  return erased;
}
