import { first, only, type Db } from "../client.ts";
import { sql } from "../sql.ts";
import * as issuers from "./realm/issuers.ts";
import type { IssuerRow } from "./realm/issuers.ts";

/** An issuer with its encrypted key: only for signing threads and operators. */
export interface IssuerWithKey extends IssuerRow {
  /** Null: the issuer has no key. */
  encryptedKey: unknown;
}

/** Returns the issuers with these ids that have a key. */
export const listWithKeys = (db: Db, ids: readonly string[]): Promise<IssuerWithKey[]> =>
  db.query(sql`
    select ${issuers.columns}, encrypted_key as "encryptedKey"
      from issuers
      join issuer_keys on issuer_id = id
     where id = any(${ids}::bigint[])
  `);

/** Lists all unexpired issuers, with or without a key. */
export const listUnended = (db: Db, { at }: { at: Date }): Promise<IssuerWithKey[]> =>
  db.query(sql`
    select ${issuers.columns}, encrypted_key as "encryptedKey"
      from issuers
      left join issuer_keys on issuer_id = id
     where not_after > ${at}
     order by id
  `);

/** Returns the newest issuer that has a key, which is encrypted under the current passphrase. */
export const findNewest = async (db: Db): Promise<IssuerWithKey | undefined> =>
  first(
    await db.query<IssuerWithKey>(sql`
      select ${issuers.columns}, encrypted_key as "encryptedKey"
        from issuers
        join issuer_keys on issuer_id = id
       order by id desc
       limit 1
    `),
  );

/** Returns the encrypted key of the newest issuer, to check whether a passphrase is the current passphrase. */
export async function findNewestKey(db: Db): Promise<unknown> {
  const row = first(
    await db.query<{ encryptedKey: unknown }>(sql`
      select encrypted_key as "encryptedKey" from issuer_keys order by issuer_id desc limit 1
    `),
  );
  return row?.encryptedKey;
}

/** Lists the encrypted keys of all issuers. */
export const listKeys = (db: Db): Promise<{ issuerId: string; encryptedKey: unknown }[]> =>
  db.query(sql`select issuer_id as "issuerId", encrypted_key as "encryptedKey" from issuer_keys order by issuer_id`);

/** Replaces the record of an issuer's key. */
export async function replaceKey(
  db: Db,
  { issuerId, encryptedKey }: { issuerId: string; encryptedKey: object },
): Promise<void> {
  await db.query(sql`
    update issuer_keys set encrypted_key = ${JSON.stringify(encryptedKey)}::jsonb where issuer_id = ${issuerId}
  `);
}

export interface NewIssuer {
  realmId: string;
  certificate: Uint8Array;
  chain: readonly Uint8Array[];
  fingerprint: Uint8Array;
  subject: string;
  notBefore: Date;
  notAfter: Date;
  permittedDomains: readonly string[] | null;
  encryptedKey: object;
  at: Date;
}

/** Adds an issuer that issues from now on; the previous issuer continues to publish. Call in a transaction. */
export async function create(tx: Db, issuer: NewIssuer): Promise<IssuerRow> {
  await issuers.stopIssuing(tx, issuer.realmId);
  return add(tx, { ...issuer, issuing: true });
}

/** Adds an issuer that publishes and does not issue yet. Call in a transaction. */
export const prepare = (tx: Db, issuer: NewIssuer): Promise<IssuerRow> => add(tx, { ...issuer, issuing: false });

async function add(tx: Db, issuer: NewIssuer & { issuing: boolean }): Promise<IssuerRow> {
  const row = only(
    await tx.query<IssuerRow>(sql`
      insert into issuers (realm_id, certificate, chain, fingerprint, subject, not_before, not_after, permitted_domains, issuing,
                           created_at)
      values (${issuer.realmId}, ${issuer.certificate}, ${issuer.chain}, ${issuer.fingerprint}, ${issuer.subject},
              ${issuer.notBefore}, ${issuer.notAfter}, ${issuer.permittedDomains}, ${issuer.issuing}, ${issuer.at})
      returning ${issuers.columns}
    `),
  );
  await tx.query(sql`
    insert into issuer_keys (issuer_id, encrypted_key)
    values (${row.id}, ${JSON.stringify(issuer.encryptedKey)}::jsonb)
  `);
  return row;
}
