import { skeletonOf } from "../../../domain/look-alikes.ts";
import type { ApplicationType, Scope } from "../../../domain/people/scopes.ts";
import { meaningsOf } from "../../../domain/people/search-text.ts";
import { first, type Db } from "../../client.ts";
import { pageOf } from "../../list.ts";
import { all, containsText, when, type Page, type PageRequest } from "../../page.ts";
import { lookup, sql } from "../../sql.ts";
import * as matches from "../finding/matches.ts";

/** The settings in an application's registration. */
export interface ApplicationSettings {
  type: ApplicationType;
  active: boolean;
  name: string;
  clientUri: string;
  /** Registered redirect URIs, in order; empty for a service. */
  redirectUris: string[];
  scopes: Scope[];
  useClientSecret: boolean;
  requirePkce: boolean;
  /** Whether token answers also contain `expires_in` and `scope`. */
  fullTokenAnswers: boolean;
}

export interface Application extends ApplicationSettings {
  clientId: string;
  realmId: string;
  /** Whether the application is part of this service; if so, the user is not asked for consent. */
  firstParty: boolean;
}

/**
 * All redirect URIs of the application `a`, without duplicates: the previous release changes the first URI without
 * checking the rest.
 */
export const redirectUris = sql`
  array_remove(array_prepend(a.redirect_uri, array_remove(a.more_redirect_uris, a.redirect_uri)), null)`;

const columns = sql`
  a.client_id as "clientId", a.realm_id as "realmId", a.type, a.active, a.name, a.client_uri as "clientUri",
  ${redirectUris} as "redirectUris", a.scopes, a.use_client_secret as "useClientSecret", a.require_pkce as "requirePkce",
  a.full_token_answers as "fullTokenAnswers", a.first_party as "firstParty"`;

/** Returns an application of any realm: authorization requests name only the client, not the realm. */
export async function find(db: Db, { clientId }: { clientId: string }): Promise<Application | undefined> {
  return first(
    await db.query<Application>(lookup`select ${columns} from applications a where a.client_id = ${clientId}`),
  );
}

/**
 * Returns an application and the hashes of its current secrets. The caller compares them in constant time, and does the
 * same work if the application does not exist.
 */
export async function findWithSecrets(
  db: Db,
  { clientId, at }: { clientId: string; at: Date },
): Promise<(Application & { secretHashes: Buffer[] }) | undefined> {
  return first(
    await db.query<Application & { secretHashes: Buffer[] }>(lookup`
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

export interface NewApplication extends Omit<Application, "active" | "firstParty" | "fullTokenAnswers"> {
  /** Default: true. */
  active?: boolean;
  /** Default: false. */
  fullTokenAnswers?: boolean;
  createdBy: string;
  secretHash: Uint8Array | null;
  /** Default: false. */
  firstParty?: boolean;
  at: Date;
}

/** Registers an application, with the hash of its secret, if any. Call in a transaction. */
export async function create(tx: Db, row: NewApplication): Promise<void> {
  const [redirectUri = null, ...more] = row.redirectUris;
  await tx.query(sql`
    insert into applications (client_id, realm_id, type, active, name, client_uri, redirect_uri, more_redirect_uris, scopes,
                              use_client_secret, require_pkce, full_token_answers, first_party, created_at, created_by)
    values (${row.clientId}, ${row.realmId}, ${row.type}, ${row.active ?? true}, ${row.name}, ${row.clientUri}, ${redirectUri},
            ${more}, ${row.scopes}, ${row.useClientSecret}, ${row.requirePkce}, ${row.fullTokenAnswers ?? false}, ${row.firstParty ?? false}, ${row.at}, ${row.createdBy})
  `);
  if (row.secretHash !== null) {
    await tx.query(sql`
      insert into application_secrets (secret_hash, client_id, created_at)
      values (${row.secretHash}, ${row.clientId}, ${row.at})
    `);
  }
}

/** Records, to the minute, that a client was issued a token, so a busy client does not cause a write for each token. */
export async function markUsed(db: Db, { clientId, at }: { clientId: string; at: Date }): Promise<void> {
  await db.query(sql`
    update applications
       set last_used_at = ${at}
     where client_id = ${clientId}
       and (last_used_at is null or last_used_at < ${at}::timestamptz - interval '1 minute')
  `);
}

/** An application as administrators see it. */
export interface RegisteredApplication extends Application {
  createdAt: Date;
  /** The user or client that registered the application. */
  createdBy: string;
  lastUsedAt: Date | null;
}

const registeredColumns = sql`
  ${columns}, a.created_at as "createdAt", a.created_by as "createdBy", a.last_used_at as "lastUsedAt"`;

interface InRealm {
  realmId: string;
  clientId: string;
}

/**
 * Returns the client id of a realm's console. The service registers and maintains this client; administrators do not
 * see it.
 */
export const consoleClientId = (realmId: string): string => `console-${realmId}`;

/** Excludes the console, which no user registered. */
export const notTheConsole = sql`a.client_id <> 'console-' || a.realm_id`;

/** The name of the console on screens, whether or not the console is registered yet. */
const consoleName = "Administration console";

/**
 * Returns whether users could mistake a name for the name of another first-party application of the realm, which needs
 * no consent: the two names have the same skeleton. Call in the transaction that writes the name.
 */
export async function isLikeFirstParty(
  db: Db,
  { realmId, clientId, name }: { realmId: string; clientId: string; name: string },
): Promise<boolean> {
  const rows = await db.query<{ name: string }>(sql`
    select name from applications where realm_id = ${realmId} and first_party and client_id <> ${clientId}
  `);
  return [{ name: consoleName }, ...rows].some((taken) => skeletonOf(taken.name) === skeletonOf(name));
}

/**
 * Registers the console of a realm, or updates its registration: the service's address or the console's scopes may have
 * changed.
 */
export async function upsertConsole(
  db: Db,
  {
    realmId,
    clientUri,
    redirectUri,
    scopes,
    at,
  }: { realmId: string; clientUri: string; redirectUri: string; scopes: readonly Scope[]; at: Date },
): Promise<void> {
  await db.query(sql`
    insert into applications as a (client_id, realm_id, type, active, name, client_uri, redirect_uri, scopes,
                                   use_client_secret, require_pkce, first_party, created_at, created_by)
    values (${consoleClientId(realmId)}, ${realmId}, 'useragent', true, ${consoleName}, ${clientUri},
            ${redirectUri}, ${scopes}::text[], false, true, true, ${at}, 'realmpass')
    on conflict (client_id) do update
       set client_uri = excluded.client_uri, redirect_uri = excluded.redirect_uri, scopes = excluded.scopes
     where (a.client_uri, a.redirect_uri, a.scopes)
           is distinct from (excluded.client_uri, excluded.redirect_uri, excluded.scopes)
  `);
}

export async function findInRealm(db: Db, { realmId, clientId }: InRealm): Promise<RegisteredApplication | undefined> {
  return first(
    await db.query<RegisteredApplication>(sql`
      select ${registeredColumns}
        from applications a
       where a.realm_id = ${realmId}
         and a.client_id = ${clientId}
         and ${notTheConsole}
    `),
  );
}

/** Returns an application with its row locked until the transaction ends, so changes happen one after another. */
export async function lock(tx: Db, { realmId, clientId }: InRealm): Promise<RegisteredApplication | undefined> {
  return first(
    await tx.query<RegisteredApplication>(sql`
      select ${registeredColumns}
        from applications a
       where a.realm_id = ${realmId}
         and a.client_id = ${clientId}
         and ${notTheConsole}
         for no key update
    `),
  );
}

export const applicationSortKeys = ["name", "creationDate", "lastUsed"] as const;
export type ApplicationSortKey = (typeof applicationSortKeys)[number];

export interface ApplicationFilter {
  type: ApplicationType;
  active: boolean;
  /** The text to find: every word in the name, or the client id. */
  text: string;
}

/** Returns a page of a realm's applications; `search` matches inside the name. */
export const list = (
  db: Db,
  { realmId, page }: { realmId: string; page: PageRequest<ApplicationFilter, ApplicationSortKey> },
): Promise<Page<RegisteredApplication>> =>
  pageOf<RegisteredApplication, ApplicationSortKey>(db, {
    page,
    key: ["applications", realmId],
    from: sql`applications a`,
    matching: all([
      sql`a.realm_id = ${realmId}`,
      notTheConsole,
      when(page.search, (text) => containsText(sql`lower(a.name)`, text)),
      when(page.filter.text, (text) => matches.ofApplication(meaningsOf(text))),
      when(page.filter.type, (type) => sql`a.type = ${type}`),
      when(page.filter.active, (is) => sql`a.active = ${is}`),
    ]),
    id: sql`a.client_id`,
    newestFirst: sql`a.created_at`,
    sortedBy: {
      name: sql`a.name`,
      creationDate: sql`a.created_at`,
      lastUsed: { nullable: sql`a.last_used_at` },
    },
    items: { columns: registeredColumns, join: sql`join applications a on a.client_id = page.id` },
  });

/** Changes an application's settings, except its type. */
export async function update(
  tx: Db,
  row: Omit<ApplicationSettings, "type"> & Pick<Application, "clientId">,
): Promise<void> {
  const [redirectUri = null, ...more] = row.redirectUris;
  await tx.query(sql`
    update applications
       set active = ${row.active}, name = ${row.name}, client_uri = ${row.clientUri}, redirect_uri = ${redirectUri},
           more_redirect_uris = ${more}, scopes = ${row.scopes}, use_client_secret = ${row.useClientSecret}, require_pkce = ${row.requirePkce},
           full_token_answers = ${row.fullTokenAnswers}
     where client_id = ${row.clientId}
  `);
}

/**
 * Ends a client's sessions and tokens that have a scope other than these, and removes the other scopes from consents. A
 * static token has the scope `scim`.
 */
export async function endBeyondScopes(
  tx: Db,
  { clientId, scopes }: { clientId: string; scopes: readonly Scope[] },
): Promise<void> {
  await tx.query(sql`delete from sessions where client_id = ${clientId} and not scopes <@ ${scopes}::text[]`);
  await tx.query(sql`delete from access_tokens where client_id = ${clientId} and not scopes <@ ${scopes}::text[]`);
  await tx.query(sql`delete from static_tokens where client_id = ${clientId} and not 'scim' = any(${scopes}::text[])`);
  await tx.query(sql`delete from consents where client_id = ${clientId} and not scopes && ${scopes}::text[]`);
  await tx.query(sql`
    update consents
       set scopes = array(select unnest(scopes) intersect select unnest(${scopes}::text[])),
           shown_scopes = case when shown_scopes is not null
                               then array(select unnest(shown_scopes) intersect select unnest(${scopes}::text[])) end
     where client_id = ${clientId}
       and not (scopes || coalesce(shown_scopes, '{}')) <@ ${scopes}::text[]
  `);
}

/**
 * Gives a client a new secret. The previous secret stays valid for `overlapHours` (0: it ends immediately); earlier
 * secrets are removed, each with its tokens. Call with the application locked.
 */
export async function replaceSecret(
  tx: Db,
  {
    clientId,
    secretHash,
    overlapHours,
    at,
  }: { clientId: string; secretHash: Uint8Array; overlapHours: number; at: Date },
): Promise<void> {
  await tx.query(sql`
    delete from application_secrets
     where client_id = ${clientId}
       and (${overlapHours}::integer = 0 or expires_at is not null)
  `);
  await tx.query(sql`
    update application_secrets
       set expires_at = ${at}::timestamptz + make_interval(hours => ${overlapHours}::integer)
     where client_id = ${clientId}
  `);
  await tx.query(sql`
    insert into application_secrets (secret_hash, client_id, created_at) values (${secretHash}, ${clientId}, ${at})
  `);
}

/** Removes a client's secrets and the tokens issued with them. */
export async function removeSecrets(tx: Db, { clientId }: { clientId: string }): Promise<void> {
  await tx.query(sql`delete from application_secrets where client_id = ${clientId}`);
}

/**
 * Removes an application and everything that belongs to it. Removes its sessions first: a transaction that redeems a
 * code locks a session, then needs the application.
 */
export async function remove(tx: Db, { clientId }: { clientId: string }): Promise<void> {
  await tx.query(sql`delete from sessions where client_id = ${clientId}`);
  await tx.query(sql`delete from applications where client_id = ${clientId}`);
}
