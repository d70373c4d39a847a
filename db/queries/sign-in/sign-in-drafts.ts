import type { UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** A sign-in that is being set up in the console. */
export interface SignInSettings {
  kind: "oidc";
  issuer: string;
  clientId: string;
  claims: UpstreamClaims;
}

/** A provider, as its own documents describe it. */
export interface FoundProvider {
  /** Where people sign in. */
  authorizationEndpoint: string;
  /** The names of the claims that the provider lists; it may send other claims. */
  claims: readonly string[];
}

export interface SignInDraft {
  realmId: string;
  /** The version of the draft; each change sets a new version. */
  version: string;
  settings: SignInSettings;
  /** Sealed for {@link draftSecretContext}; null: a public client. */
  sealedSecret: Buffer | null;
  found: FoundProvider;
  expiresAt: Date;
}

/** Returns the context that a draft's client secret is sealed for: this table, this row. */
export const draftSecretContext = (realmId: string): string => `sign_in_drafts/${realmId}/sealed_secret`;

const columns = sql`
  realm_id as "realmId", version, settings, sealed_secret as "sealedSecret", found, expires_at as "expiresAt"`;

/** Returns the unexpired draft of a realm. */
export async function find(db: Db, { realmId, at }: { realmId: string; at: Date }): Promise<SignInDraft | undefined> {
  return first(
    await db.query<SignInDraft>(sql`
      select ${columns} from sign_in_drafts where realm_id = ${realmId} and expires_at > ${at}
    `),
  );
}

/** Stores the realm's draft, replacing the previous one. */
export async function store(
  db: Db,
  draft: Omit<SignInDraft, "sealedSecret"> & { sealedSecret: Uint8Array | null; updatedBy: string },
): Promise<void> {
  const { realmId, version, sealedSecret, updatedBy, expiresAt } = draft;
  const [settings, found] = [JSON.stringify(draft.settings), JSON.stringify(draft.found)];
  await db.query(sql`
    insert into sign_in_drafts (realm_id, version, settings, sealed_secret, found, updated_by, expires_at)
    values (${realmId}, ${version}, ${settings}, ${sealedSecret}, ${found}, ${updatedBy}, ${expiresAt})
    on conflict (realm_id) do update
      set version = excluded.version, settings = excluded.settings, sealed_secret = excluded.sealed_secret,
          found = excluded.found, updated_by = excluded.updated_by, expires_at = excluded.expires_at
  `);
}

export async function remove(db: Db, { realmId }: { realmId: string }): Promise<void> {
  await db.query(sql`delete from sign_in_drafts where realm_id = ${realmId}`);
}
