import type { HeldSecret, SecretKind } from "../../../runtime/keys/held-secret.ts";
import type { PublicJwk } from "../../../runtime/keys/sealed-output.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

export interface InstallationSecret {
  kind: SecretKind;
  checkValue: Buffer;
  publicJwk: PublicJwk | null;
  addedAt: Date;
}

const columns = sql`kind, check_value as "checkValue", public_jwk as "publicJwk", added_at as "addedAt"`;

/** Lists the secrets of the installation, by kind, newest first. */
export const list = (db: Db): Promise<InstallationSecret[]> =>
  db.query(sql`select ${columns} from installation_secrets order by kind, added_at desc, check_value`);

/** Returns the newest output key of the installation. */
export const findOutputKey = async (db: Db): Promise<InstallationSecret | undefined> =>
  first(
    await db.query(sql`
      select ${columns}
        from installation_secrets
       where kind = 'output'
       order by added_at desc, check_value
       limit 1
    `),
  );

/**
 * Adds the first value of a secret, unless that value exists. For every role except the operator's, the value must be
 * the first of its kind.
 */
export async function add(tx: Db, { kind, checkValues, publicJwk }: HeldSecret, { at }: { at: Date }): Promise<void> {
  await tx.query(sql`
    insert into installation_secrets (kind, check_value, public_jwk, added_at)
    values (${kind}, ${checkValues[0]}, ${publicJwk === null ? null : JSON.stringify(publicJwk)}::jsonb, ${at})
    on conflict do nothing
  `);
}

/** Makes other changes of the installation's secrets wait until the transaction ends. */
export async function lock(tx: Db): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7246712)`);
}

/** Removes one value. Returns false when it does not exist. */
export async function forget(tx: Db, { kind, checkValue }: { kind: SecretKind; checkValue: Buffer }): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from installation_secrets where kind = ${kind} and check_value = ${checkValue} returning kind
  `);
  return rows.length > 0;
}

/** Removes all check values of a kind. */
export async function forgetAll(tx: Db, kind: SecretKind): Promise<void> {
  await tx.query(sql`delete from installation_secrets where kind = ${kind}`);
}

/**
 * Finds data that was made with a secret: such data shows that the installation has had the secret, even without a
 * check value.
 */
const traces = {
  masterKey: sql`select from token_signing_keys where sealed_key is not null`,
  outputPrivateKey: sql`select from output_data_keys`,
  auditKey: sql`select from audit_heads`,
  issuerKeyPassphrase: sql`select from issuer_keys`,
} as const;

const kinds = {
  masterKey: "master",
  outputPrivateKey: "output",
  auditKey: "audit",
  issuerKeyPassphrase: null,
} as const;

/** Returns whether the installation has never had a secret of a kind, so a secret may be created. */
export async function isFirst(db: Db, name: keyof typeof traces): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one
     where exists (select from installation_secrets where kind = ${kinds[name]}) or exists (${traces[name]})
  `);
  return rows.length === 0;
}
