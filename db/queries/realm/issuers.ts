import type { IssuerID } from "../../../domain/ids.ts";
import { first, only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

export interface IssuerRow {
  id: IssuerID;
  realmId: string;
  certificate: Buffer;
  /** DER certificates above the issuer, root last. */
  chain: Buffer[];
  fingerprint: string;
  subject: string;
  notBefore: Date;
  notAfter: Date;
  /** The domains that the issuer's name constraints permit for DNS names; null: no name constraints. */
  permittedDomains: string[] | null;
  issuing: boolean;
  /** The issuer will issue after the current one, and has never issued yet. */
  prepared: boolean;
}

/** The columns of an {@link IssuerRow}. */
export const columns = sql`
  id, realm_id as "realmId", certificate, chain, encode(fingerprint, 'hex') as fingerprint, subject,
  not_before as "notBefore", not_after as "notAfter", permitted_domains as "permittedDomains", issuing,
  not issuing and exists (select from issuers e where e.realm_id = issuers.realm_id and e.issuing and e.id < issuers.id)
    as prepared`;

/** Lists the realm's issuers, newest first. */
export const list = (db: Db, realmId: string): Promise<IssuerRow[]> =>
  db.query<IssuerRow>(sql`select ${columns} from issuers where realm_id = ${realmId} order by id desc`);

export const listByIds = (db: Db, ids: readonly string[]): Promise<IssuerRow[]> =>
  db.query<IssuerRow>(sql`select ${columns} from issuers where id = any(${ids}::bigint[])`);

/** Lists the realm's current issuers, newest first: the issuer that issues, and a prepared one. */
export const listCurrent = (db: Db, realmId: string): Promise<IssuerRow[]> =>
  db.query<IssuerRow>(sql`
    select * from (select ${columns} from issuers where realm_id = ${realmId}) i where issuing or prepared order by id desc
  `);

/** Returns when the realm's issuing CA expires; null if the realm has no issuing CA. */
export async function findIssuingEnd(db: Db, realmId: string): Promise<Date | null> {
  const rows = await db.query<{ notAfter: Date }>(
    sql`select not_after as "notAfter" from issuers where realm_id = ${realmId} and issuing`,
  );
  return first(rows)?.notAfter ?? null;
}

/**
 * Returns the domains that the realm's issuing CA permits for DNS names; null if the CA has no name constraints, or the
 * realm has no issuing CA.
 */
export async function findIssuingDomains(db: Db, realmId: string): Promise<string[] | null> {
  const rows = await db.query<{ permittedDomains: string[] | null }>(
    sql`select permitted_domains as "permittedDomains" from issuers where realm_id = ${realmId} and issuing`,
  );
  return first(rows)?.permittedDomains ?? null;
}

/** Makes a prepared issuer issue from now on; the previous issuer continues to publish. Call in a transaction. */
export async function startIssuing(tx: Db, { id, realmId }: Pick<IssuerRow, "id" | "realmId">): Promise<IssuerRow> {
  await stopIssuing(tx, realmId);
  return only(
    await tx.query<IssuerRow>(
      sql`update issuers set issuing = true where id = ${id} and realm_id = ${realmId} returning ${columns}`,
    ),
  );
}

/** Stops issuing in the realm until another issuer starts. Call in a transaction. */
export async function stopIssuing(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`update issuers set issuing = false where realm_id = ${realmId} and issuing`);
}
