import { first, only, type Db } from "../client.ts";
import { sql } from "../sql.ts";

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
  /** The token under the master key. */
  tokenSealed: Uint8Array;
  at: Date;
  expiresAt: Date;
}

/** What an account's token is sealed under the master key for: this table, this row. */
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

/** The account of a token, while it is neither revoked nor expired. */
export async function findByToken(
  db: Db,
  { tokenHash, at }: { tokenHash: Uint8Array; at: Date },
): Promise<GuestAccount | undefined> {
  return first(
    await db.query<GuestAccount>(sql`
      select ${columns}
        from guest_accounts
       where token_hash = ${tokenHash}
         and revoked_at is null
         and expires_at > ${at}
    `),
  );
}
