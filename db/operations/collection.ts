import type { Database } from "../client.ts";
import * as certificates from "../queries/certificates/certificates.ts";
import type { Certificate } from "../queries/certificates/certificates.ts";
import type { IssuanceResult } from "../queries/issuance/issuances.ts";
import { radiusServerName } from "../rules.ts";
import { ofAnyLength, sql, type Sql } from "../sql.ts";

/** The state of an issuance and, once it is issued, its profile. */
export interface Collected {
  issuance: IssuanceResult;
  certificate: Certificate | undefined;
  /** The name of the realm's RADIUS server. */
  radiusCn: string;
  /** The CA that issued the RADIUS server's certificate, in PEM; null: the realm's own. */
  radiusCa: string | null;
}

/**
 * Reads issuances, and marks the output of issued ones as collected: it is erased some minutes after the first
 * collection. One write and one result for all ids. The mark does not wait for the disk: if a crash of Postgres loses
 * it, the output is erased as if it were uncollected.
 */
export async function collect(db: Database, { ids, at }: { ids: readonly string[]; at: Date }): Promise<Collected[]> {
  const [, rows = [], made = []] = await db.pipelined([
    sql`set local synchronous_commit = off`,
    marked(ids, at),
    // Reads the certificates after the states, so every issuance read as issued has its certificate here.
    certificates.ofIssuances(ids),
  ]);
  const certificateOf = new Map((made as Certificate[]).map((certificate) => [certificate.issuanceId, certificate]));
  return (rows as Row[]).map(({ sealed, dataKeyId, wrappedDataKey, radiusCn, radiusCa, ...issuance }) => ({
    issuance: { ...issuance, output: dataKeyId === null ? null : { sealed, dataKeyId, wrappedDataKey } },
    certificate: issuance.state === "issued" ? certificateOf.get(issuance.id) : undefined,
    radiusCn,
    radiusCa,
  }));
}

interface Row extends Omit<IssuanceResult, "output">, Pick<Collected, "radiusCn" | "radiusCa"> {
  sealed: Buffer | null;
  dataKeyId: string | null;
  wrappedDataKey: Buffer | null;
}

/** Looks up each id separately, because Postgres keeps a plan that it made for tables without statistics. */
function marked(ids: readonly string[], at: Date): Sql {
  const asked = ofAnyLength(ids, sql`uuid[]`);
  return sql`
  with collected as (
    update issuance_outputs o
       set collected_at = coalesce(o.collected_at, ${at})
     where o.issuance_id = any(${asked}::uuid[])
    returning o.issuance_id, o.sealed, o.data_key_id
  )
  select i.id, i.realm_id as "realmId", i.kind, i.status as state, i.created_at as "createdAt",
         i.finished_at as "finishedAt", i.error_code as "errorCode", i.error_detail as "errorDetail",
         i.created_by_user_id as "createdByUserId", i.created_by_client_id as "createdByClientId",
         c.sealed, c.data_key_id as "dataKeyId", k.wrapped as "wrappedDataKey",
         ${radiusServerName(sql`r`)} as "radiusCn", r.radius_ca as "radiusCa"
    from unnest(${asked}) as asked (id)
   cross join lateral (select * from issuances where id = asked.id offset 0) i
   cross join lateral (select radius_cn, radius_ca, domain from realms where id = i.realm_id offset 0) r
    left join collected c on c.issuance_id = i.id
    left join lateral (select wrapped from output_data_keys where id = c.data_key_id offset 0) k on true`;
}
