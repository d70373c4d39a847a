import type { Db } from "../../client.ts";
import { sql } from "../../sql.ts";
import * as tokenSigningKeys from "../oauth/token-signing-keys.ts";
import * as guestAccounts from "../people/guest-accounts.ts";
import * as realmRows from "../realm/realms.ts";
import * as signInDrafts from "../sign-in/sign-in-drafts.ts";

/** The tables with long-lived values that are sealed under the master key. */
export const sealedTables = ["token_signing_keys", "guest_accounts", "realms", "sign_in_drafts"] as const;
export type SealedTable = (typeof sealedTables)[number];

export interface SealedRow {
  /** The primary key, as text. */
  key: string;
  sealed: Buffer;
  /** The context that the value is sealed for. */
  context: string;
}

/**
 * Returns the next rows of a table after a key, in the order of keys, locked against changes. Call in a transaction.
 */
export async function lockSlice(
  tx: Db,
  { table, after, limit }: { table: SealedTable; after: string | undefined; limit: number },
): Promise<SealedRow[]> {
  switch (table) {
    case "token_signing_keys": {
      const rows = await tx.query<{ key: string; sealed: Buffer }>(sql`
        select kid as key, sealed_key as sealed
          from token_signing_keys
         where sealed_key is not null and kid > ${after ?? ""}
         order by kid limit ${limit} for no key update
      `);
      return rows.map((row) => ({ ...row, context: tokenSigningKeys.keyContext(row.key) }));
    }
    case "guest_accounts": {
      const rows = await tx.query<{ key: string; sealed: Buffer; tokenHash: Buffer }>(sql`
        select id as key, token_sealed as sealed, token_hash as "tokenHash"
          from guest_accounts
         where token_sealed is not null and id > ${after ?? "0"}::bigint
         order by id limit ${limit} for no key update
      `);
      return rows.map(({ tokenHash, ...row }) => ({ ...row, context: guestAccounts.tokenContext(tokenHash) }));
    }
    case "realms": {
      const rows = await tx.query<{ key: string; sealed: Buffer }>(sql`
        select id as key, upstream_client_secret as sealed
          from realms
         where upstream_client_secret is not null and id > ${after ?? "0"}::bigint
         order by id limit ${limit} for no key update
      `);
      return rows.map((row) => ({ ...row, context: realmRows.upstreamSecretContext(row.key) }));
    }
    case "sign_in_drafts": {
      const rows = await tx.query<{ key: string; sealed: Buffer }>(sql`
        select realm_id as key, sealed_secret as sealed
          from sign_in_drafts
         where sealed_secret is not null and realm_id > ${after ?? "0"}::bigint
         order by realm_id limit ${limit} for no key update
      `);
      return rows.map((row) => ({ ...row, context: signInDrafts.draftSecretContext(row.key) }));
    }
  }
}

/** Stores a value that was sealed again; for a guest's token, also the hash of its code if the code was shown. */
export async function replace(
  tx: Db,
  {
    table,
    key,
    sealed,
    codeHash,
  }: { table: SealedTable; key: string; sealed: Uint8Array; codeHash: Uint8Array | null },
): Promise<void> {
  switch (table) {
    case "token_signing_keys":
      await tx.query(sql`update token_signing_keys set sealed_key = ${sealed} where kid = ${key}`);
      return;
    case "guest_accounts":
      await tx.query(sql`
        update guest_accounts
           set token_sealed = ${sealed}, code_hash = case when code_hash is not null then ${codeHash}::bytea end
         where id = ${key}
      `);
      return;
    case "realms":
      await tx.query(sql`update realms set upstream_client_secret = ${sealed} where id = ${key}`);
      return;
    case "sign_in_drafts":
      await tx.query(sql`update sign_in_drafts set sealed_secret = ${sealed} where realm_id = ${key}`);
  }
}

/**
 * Retires the keys that sign tokens, and returns how many. Their private halves are erased, and new keys are created
 * when needed. Leaked keys, even those retired before, are also no longer published.
 */
export async function retireTokenKeys(tx: Db, { leaked, at }: { leaked: boolean; at: Date }): Promise<number> {
  const rows = await tx.query(
    leaked
      ? sql`
          update token_signing_keys
             set state = 'retired', sealed_key = null, retired_at = 'epoch', tokens_expire_at = null
           where sealed_key is not null or retired_at > 'epoch'
          returning kid
        `
      : sql`
          update token_signing_keys
             set state = 'retired', sealed_key = null, retired_at = ${at}
           where sealed_key is not null
          returning kid
        `,
  );
  return rows.length;
}

/** Removes values that a lost master key sealed: they can no longer be opened. */
export async function discardSealed(
  tx: Db,
  { at }: { at: Date },
): Promise<{ realms: string[]; guestAccounts: number }> {
  await retireTokenKeys(tx, { leaked: false, at });
  const realms = await tx.query<{ name: string }>(sql`
    update realms set upstream_client_secret = null where upstream_client_secret is not null returning name
  `);
  const guests = await tx.query(sql`
    update guest_accounts set token_sealed = null, code_hash = null where token_sealed is not null returning id
  `);
  await tx.query(sql`delete from console_sessions`);
  await tx.query(sql`delete from upstream_attempts`);
  await tx.query(sql`delete from sign_in_drafts`);
  await tx.query(sql`delete from sign_in_tests`);
  return { realms: realms.map(({ name }) => name).sort(), guestAccounts: guests.length };
}

export interface ReplaceableGuestAccount {
  realm: string;
  id: string;
  name: string;
}

/**
 * Lists what must be replaced after the master key has leaked: the active guest accounts whose link signs in, and the
 * realms with a secret at their identity provider.
 */
export async function listReplaceable(
  db: Db,
  { at }: { at: Date },
): Promise<{ guestAccounts: ReplaceableGuestAccount[]; realms: string[] }> {
  const accounts = await db.query<ReplaceableGuestAccount>(sql`
    select r.name as realm, g.id, g.name
      from guest_accounts g
      join realms r on r.id = g.realm_id
     where g.token_sealed is not null and g.revoked_at is null and g.expires_at > ${at}
     order by r.name, g.id
  `);
  const realms = await db.query<{ name: string }>(sql`
    select name from realms where upstream_client_secret is not null order by name
  `);
  return { guestAccounts: accounts, realms: realms.map(({ name }) => name) };
}
