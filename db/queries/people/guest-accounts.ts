import { first, only, type Db } from "../../client.ts";
import { pageOf } from "../../list.ts";
import { all, containsText, when, type Page, type PageRequest } from "../../page.ts";
import { hasEnded, isActive } from "../../rules.ts";
import { sql, type Sql } from "../../sql.ts";
import * as found from "../finding/found.ts";
import type { Searching } from "../finding/found.ts";

export interface GuestAccount {
  id: string;
  realmId: string;
  name: string;
  note: string | null;
  /** Null: unlimited. */
  profileLimit: number | null;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

const columns = sql`
  id, realm_id as "realmId", name, note, profile_limit as "profileLimit", created_at as "createdAt",
  expires_at as "expiresAt", revoked_at as "revokedAt"`;

export interface NewGuestAccount {
  realmId: string;
  name: string;
  note: string | null;
  profileLimit: number | null;
  /** SHA-256 of the whole token. */
  tokenHash: Uint8Array;
  /** The token, sealed under the master key. */
  tokenSealed: Uint8Array;
  at: Date;
  expiresAt: Date;
}

/** Returns the context in which the master key seals an account's token: this table, this row. */
export const tokenContext = (tokenHash: Uint8Array): string =>
  `guest_accounts/${Buffer.from(tokenHash).toString("hex")}`;

export async function create(tx: Db, account: NewGuestAccount): Promise<GuestAccount> {
  return only(
    await tx.query<GuestAccount>(sql`
      insert into guest_accounts (realm_id, name, note, profile_limit, token_hash, token_sealed, created_at, expires_at)
      values (${account.realmId}, ${account.name}, ${account.note}, ${account.profileLimit}, ${account.tokenHash},
              ${account.tokenSealed}, ${account.at}, ${account.expiresAt})
      returning ${columns}
    `),
  );
}

/** Returns the account of a token if it is neither revoked nor expired. */
export async function findByToken(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<GuestAccount | undefined> {
  return first(
    await db.query<GuestAccount>(sql`
      select ${columns}
        from guest_accounts
       where token_hash = ${tokenHash}
         and not ${hasEnded(sql`guest_accounts`, at)}
    `),
  );
}

/** Returns the account of a token, ended or not. */
export const findEvenEnded = async (
  db: Db,
  { tokenHash }: { tokenHash: Uint8Array },
): Promise<GuestAccount | undefined> =>
  first(await db.query<GuestAccount>(sql`select ${columns} from guest_accounts where token_hash = ${tokenHash}`));

interface InRealm {
  realmId: string;
  guestAccountId: string;
}

/** A guest account with the number of its active profiles. */
export interface CountedGuestAccount extends GuestAccount {
  /** How many active profiles the account has. */
  activeProfileCount: number;
}

const countedColumns = (at: Date): Sql => sql`
  ${columns},
  (select count(*)::integer
     from certificates c
    where c.guest_account_id = g.id
      and ${isActive(sql`c`, at)}) as "activeProfileCount"`;

export async function find(
  db: Db,
  { realmId, guestAccountId, at }: InRealm & { at: Date },
): Promise<CountedGuestAccount | undefined> {
  return first(
    await db.query<CountedGuestAccount>(sql`
      select ${countedColumns(at)}
        from guest_accounts g
       where g.realm_id = ${realmId}
         and g.id = ${guestAccountId}
    `),
  );
}

/** Returns the names of accounts of the realm, ended or not; unknown accounts are left out. */
export const namesOf = (
  db: Db,
  { realmId, ids }: { realmId: string; ids: readonly string[] },
): Promise<Pick<GuestAccount, "id" | "name">[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db.query(sql`
        select id, name
          from guest_accounts
         where realm_id = ${realmId}
           and id = any(${ids}::bigint[])
      `);

/** Returns whether the realm has this account. */
export async function exists(db: Db, { realmId, guestAccountId }: InRealm): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 as one from guest_accounts where realm_id = ${realmId} and id = ${guestAccountId}`,
  );
  return rows.length > 0;
}

/** Returns an account with its stored token; the token is null if the master key that sealed it was lost. */
export async function findWithToken(
  db: Db,
  { realmId, guestAccountId }: InRealm,
): Promise<(GuestAccount & { tokenHash: Buffer; tokenSealed: Buffer | null }) | undefined> {
  return first(
    await db.query(sql`
      select ${columns}, token_hash as "tokenHash", token_sealed as "tokenSealed"
        from guest_accounts
       where realm_id = ${realmId}
         and id = ${guestAccountId}
    `),
  );
}

/** Records that the code of an account was shown. From then on the code leads to the account. */
export async function noteCode(
  db: Db,
  { tokenHash, codeHash }: { tokenHash: Uint8Array; codeHash: Uint8Array },
): Promise<void> {
  await db.query(sql`
    update guest_accounts
       set code_hash = ${codeHash}
     where token_hash = ${tokenHash}
       and code_hash is distinct from ${codeHash}
  `);
}

/**
 * Returns the stored token of the account with one of these hashes of its code; undefined if the account is revoked, or
 * its stored token was lost with the master key.
 */
export const findTokenByCode = async (
  db: Db,
  { codeHashes }: { codeHashes: readonly Uint8Array[] },
): Promise<{ tokenHash: Buffer; tokenSealed: Buffer } | undefined> =>
  first(
    await db.query<{ tokenHash: Buffer; tokenSealed: Buffer }>(sql`
      select token_hash as "tokenHash", token_sealed as "tokenSealed"
        from guest_accounts
       where code_hash = any(${codeHashes}::bytea[])
         and revoked_at is null
         and token_sealed is not null
    `),
  );

export const guestAccountSortKeys = ["name", "createtime", "expirationtime", "profilelimit"] as const;
export type GuestAccountSortKey = (typeof guestAccountSortKeys)[number];

export interface GuestAccountFilter {
  /** True: only revoked accounts; false: only unrevoked accounts. */
  invalid: boolean;
  minCreateTime: Date;
  maxCreateTime: Date;
  minExpirationTime: Date;
  maxExpirationTime: Date;
  /** The text to find, as {@link found.isFoundGuestAccount} defines. */
  text: string;
}

/** Returns a page of a realm's guest accounts; `search` matches inside the name. */
export function list(
  db: Db,
  { page, ...searching }: Searching & { page: PageRequest<GuestAccountFilter, GuestAccountSortKey> },
): Promise<Page<CountedGuestAccount>> {
  const { realmId, at, finds } = searching;
  const { filter } = page;
  return pageOf<CountedGuestAccount, GuestAccountSortKey>(db, {
    page,
    key: ["guest accounts", realmId, ...(finds ?? [])],
    from: sql`guest_accounts g`,
    matching: all([
      sql`g.realm_id = ${realmId}`,
      when(page.search, (text) => containsText(sql`lower(g.name)`, text)),
      when(filter.text, (text) => found.isFoundGuestAccount({ ...searching, text })),
      when(filter.invalid, (is) => (is ? sql`g.revoked_at is not null` : sql`g.revoked_at is null`)),
      when(filter.minCreateTime, (bound) => sql`g.created_at >= ${bound}`),
      when(filter.maxCreateTime, (bound) => sql`g.created_at <= ${bound}`),
      when(filter.minExpirationTime, (bound) => sql`g.expires_at >= ${bound}`),
      when(filter.maxExpirationTime, (bound) => sql`g.expires_at <= ${bound}`),
    ]),
    id: sql`g.id`,
    newestFirst: sql`g.created_at`,
    sortedBy: {
      name: sql`g.name`,
      createtime: sql`g.created_at`,
      expirationtime: sql`g.expires_at`,
      profilelimit: { nullable: sql`g.profile_limit` },
    },
    items: { columns: countedColumns(at), join: sql`join guest_accounts g using (id)` },
  });
}

/**
 * Returns an account with its row locked: changes to the account and new profiles for it wait until the transaction
 * ends.
 */
export async function lock(tx: Db, { realmId, guestAccountId }: InRealm): Promise<GuestAccount | undefined> {
  return first(
    await tx.query<GuestAccount>(sql`
      select ${columns}
        from guest_accounts
       where realm_id = ${realmId}
         and id = ${guestAccountId}
         for no key update
    `),
  );
}

/** The settings of an account that can change. */
export type GuestAccountSettings = Pick<GuestAccount, "name" | "note" | "profileLimit" | "expiresAt">;

/**
 * Changes an account's settings. If the end of the account moves, the expiry of its access tokens moves with it. Call
 * in a transaction.
 */
export async function update(
  tx: Db,
  { realmId, guestAccountId, name, note, profileLimit, expiresAt }: InRealm & GuestAccountSettings,
): Promise<void> {
  await tx.query(sql`
    update guest_accounts
       set name = ${name}, note = ${note}, profile_limit = ${profileLimit}, expires_at = ${expiresAt}
     where realm_id = ${realmId}
       and id = ${guestAccountId}
  `);
  // Tokens expire on whole seconds, as their reported expiry does.
  await tx.query(sql`
    update access_tokens
       set expires_at = date_trunc('second', ${expiresAt}::timestamptz)
     where guest_account_id = ${guestAccountId}
       and expires_at <> date_trunc('second', ${expiresAt}::timestamptz)
  `);
}
