import type { ApplicationType, Scope } from "../../domain/scopes.ts";
import { first, type Db } from "../client.ts";
import { sql } from "../sql.ts";

export interface Application {
  clientId: string;
  realmId: string;
  type: ApplicationType;
  active: boolean;
  name: string;
  clientUri: string;
  redirectUri: string | null;
  scopes: Scope[];
  useClientSecret: boolean;
  requirePkce: boolean;
}

const columns = sql`
  a.client_id as "clientId", a.realm_id as "realmId", a.type, a.active, a.name, a.client_uri as "clientUri",
  a.redirect_uri as "redirectUri", a.scopes, a.use_client_secret as "useClientSecret", a.require_pkce as "requirePkce"`;

/**
 * An application and the hashes of the secrets it may use now. The caller compares them in constant time, and does the
 * same work when there is no such application.
 */
export async function findWithSecrets(
  db: Db,
  { clientId, at }: { clientId: string; at: Date },
): Promise<(Application & { secretHashes: Buffer[] }) | undefined> {
  return first(
    await db.query<Application & { secretHashes: Buffer[] }>(sql`
      select ${columns},
             array(select s.secret_hash
                     from application_secrets s
                    where s.client_id = a.client_id
                      and (s.expires_at is null or s.expires_at > ${at})) as "secretHashes"
        from applications a
       where a.client_id = ${clientId}
    `),
  );
}

export interface NewApplication extends Omit<Application, "active"> {
  createdBy: string;
  secretHash: Uint8Array | null;
  at: Date;
}

/** Registers an application, with its secret's hash when it has one. Call in a transaction. */
export async function create(tx: Db, row: NewApplication): Promise<void> {
  await tx.query(sql`
    insert into applications (client_id, realm_id, type, name, client_uri, redirect_uri, scopes, use_client_secret,
                              require_pkce, created_at, created_by)
    values (${row.clientId}, ${row.realmId}, ${row.type}, ${row.name}, ${row.clientUri}, ${row.redirectUri},
            ${row.scopes}, ${row.useClientSecret}, ${row.requirePkce}, ${row.at}, ${row.createdBy})
  `);
  if (row.secretHash !== null) {
    await tx.query(sql`
      insert into application_secrets (secret_hash, client_id, created_at)
      values (${row.secretHash}, ${row.clientId}, ${row.at})
    `);
  }
}

/** Remembers that a client was given a token, to the minute: a busy client is not worth a write each time. */
export async function markUsed(db: Db, { clientId, at }: { clientId: string; at: Date }): Promise<void> {
  await db.query(sql`
    update applications
       set last_used_at = ${at}
     where client_id = ${clientId}
       and (last_used_at is null or last_used_at < ${at}::timestamptz - interval '1 minute')
  `);
}
