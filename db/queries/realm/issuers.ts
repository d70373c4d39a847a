import { first, only, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

export interface IssuerRow {
  id: string;
  realmId: string;
  certificate: Buffer;
  /** DER certificates above the issuer, root last. */
  chain: Buffer[];
  fingerprint: string;
  subject: string;
  notBefore: Date;
  notAfter: Date;
  issuing: boolean;
  /** It will issue after the one that does, and has never issued yet. */
  prepared: boolean;
}

const columns = sql`
  id, realm_id as "realmId", certificate, chain, encode(fingerprint, 'hex') as fingerprint, subject,
  not_before as "notBefore", not_after as "notAfter", issuing,
  not issuing and exists (select from issuers e where e.realm_id = issuers.realm_id and e.issuing and e.id < issuers.id)
    as prepared`;

/** The realm's issuers, newest first. */
export const list = (db: Db, realmId: string): Promise<IssuerRow[]> =>
  db.query<IssuerRow>(sql`select ${columns} from issuers where realm_id = ${realmId} order by id desc`);

export const listByIds = (db: Db, ids: readonly string[]): Promise<IssuerRow[]> =>
  db.query<IssuerRow>(sql`select ${columns} from issuers where id = any(${ids}::bigint[])`);

/** When the realm's issuing CA ends; undefined when there is none. */
export async function findIssuingEnd(db: Db, realmId: string): Promise<Date | undefined> {
  const rows = await db.query<{ notAfter: Date }>(
    sql`select not_after as "notAfter" from issuers where realm_id = ${realmId} and issuing`,
  );
  return first(rows)?.notAfter;
}

/** Issuers with their encrypted keys: for workers and operators alone. */
export const listWithKeys = (db: Db, ids: readonly string[]): Promise<(IssuerRow & { encryptedKey: unknown })[]> =>
  db.query(sql`
    select ${columns}, encrypted_key as "encryptedKey"
      from issuers
      join issuer_keys on issuer_id = id
     where id = any(${ids}::bigint[])
  `);

/** The encrypted key of the newest issuer of all: what tells whether a passphrase is the one in use. */
export async function findNewestKey(db: Db): Promise<unknown> {
  const row = first(
    await db.query<{ encryptedKey: unknown }>(sql`
      select encrypted_key as "encryptedKey" from issuer_keys order by issuer_id desc limit 1
    `),
  );
  return row?.encryptedKey;
}

export interface NewIssuer {
  realmId: string;
  certificate: Uint8Array;
  chain: readonly Uint8Array[];
  fingerprint: Uint8Array;
  subject: string;
  notBefore: Date;
  notAfter: Date;
  encryptedKey: object;
  at: Date;
}

/** Adds an issuer that issues from now on; the one before it goes on publishing. Call in a transaction. */
export async function create(tx: Db, issuer: NewIssuer): Promise<IssuerRow> {
  await stopIssuing(tx, issuer.realmId);
  return add(tx, { ...issuer, issuing: true });
}

/** Adds an issuer that publishes and does not issue yet. Call in a transaction. */
export const prepare = (tx: Db, issuer: NewIssuer): Promise<IssuerRow> => add(tx, { ...issuer, issuing: false });

/** Has a prepared issuer issue from now on; the one before it goes on publishing. Call in a transaction. */
export async function startIssuing(tx: Db, { id, realmId }: Pick<IssuerRow, "id" | "realmId">): Promise<IssuerRow> {
  await stopIssuing(tx, realmId);
  return only(
    await tx.query<IssuerRow>(
      sql`update issuers set issuing = true where id = ${id} and realm_id = ${realmId} returning ${columns}`,
    ),
  );
}

async function stopIssuing(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`update issuers set issuing = false where realm_id = ${realmId} and issuing`);
}

async function add(tx: Db, issuer: NewIssuer & { issuing: boolean }): Promise<IssuerRow> {
  const row = only(
    await tx.query<IssuerRow>(sql`
      insert into issuers (realm_id, certificate, chain, fingerprint, subject, not_before, not_after, issuing, created_at)
      values (${issuer.realmId}, ${issuer.certificate}, ${issuer.chain}, ${issuer.fingerprint}, ${issuer.subject},
              ${issuer.notBefore}, ${issuer.notAfter}, ${issuer.issuing}, ${issuer.at})
      returning ${columns}
    `),
  );
  await tx.query(sql`
    insert into issuer_keys (issuer_id, encrypted_key)
    values (${row.id}, ${JSON.stringify(issuer.encryptedKey)}::jsonb)
  `);
  return row;
}
