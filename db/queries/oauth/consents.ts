import type { Scope } from "../../../domain/people/scopes.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";
import * as applications from "./applications.ts";
import type { Application } from "./applications.ts";

/** A user's consent to an application. */
export interface Consent {
  clientId: string;
  clientName: string;
  clientUri: string;
  /** The scopes that the consent page listed; until a consent of an earlier release is used, the requested scopes. */
  scopes: Scope[];
  grantedAt: Date;
}

/** The application as the consent page showed it. */
export type ShownApplication = Pick<Application, "clientId" | "name" | "clientUri" | "redirectUris">;

interface Of {
  userId: string;
  clientId: string;
}

/**
 * Tests whether the consent `c` covers the application `a` as it is now: its name, its home page, and each of its
 * redirect URIs. A consent of an earlier release, whose page was not recorded, covers an application with one redirect
 * URI.
 */
const isOfSame = sql`
  case when c.shown_scopes is null then a.more_redirect_uris = '{}'
       else (c.shown_name, c.shown_client_uri) is not distinct from (a.name, a.client_uri)
            and ${applications.redirectUris} <@ array_prepend(c.shown_redirect_uri, c.shown_more_redirect_uris)
       end`;

/**
 * Returns a user's consent to an application if it covers the application as it is now. `shown` is null for a consent
 * of an earlier release that has not been used since.
 */
export async function find(
  db: Db,
  { userId, clientId }: Of,
): Promise<{ shown: Scope[] | null; scopes: Scope[] } | undefined> {
  return first(
    await db.query<{ shown: Scope[] | null; scopes: Scope[] }>(sql`
      select c.shown_scopes as shown, c.scopes
        from consents c
        join applications a on a.client_id = c.client_id
       where c.user_id = ${userId}
         and c.client_id = ${clientId}
         and ${isOfSame}
    `),
  );
}

/** Lists a user's consents, latest first. */
export const listOfUser = (db: Db, { userId }: { userId: string }): Promise<Consent[]> =>
  db.query<Consent>(sql`
    select c.client_id as "clientId", a.name as "clientName", a.client_uri as "clientUri",
           coalesce(c.shown_scopes, c.scopes) as scopes, c.granted_at as "grantedAt"
      from consents c
      join applications a on a.client_id = c.client_id
     where c.user_id = ${userId}
     order by c.granted_at desc, c.client_id
  `);

/**
 * Stores a consent. Adds scopes to an earlier consent if the application looked the same and has no new redirect URI;
 * otherwise replaces the scopes that were shown.
 */
export async function grant(
  tx: Db,
  {
    userId,
    application,
    scopes,
    at,
  }: { userId: string; application: ShownApplication; scopes: readonly Scope[]; at: Date },
): Promise<void> {
  const { clientId, name, clientUri } = application;
  const [redirectUri, ...more] = application.redirectUris;
  await tx.query(sql`
    insert into consents as known (user_id, client_id, scopes, shown_scopes, shown_name, shown_client_uri, shown_redirect_uri,
                                   shown_more_redirect_uris, granted_at)
    values (${userId}, ${clientId}, ${scopes}, ${scopes}, ${name}, ${clientUri}, ${redirectUri},
            ${more}, ${at})
    on conflict (user_id, client_id) do update
       set shown_scopes = case when (known.shown_name, known.shown_client_uri)
                                    is not distinct from (excluded.shown_name, excluded.shown_client_uri)
                                and array_prepend(excluded.shown_redirect_uri, excluded.shown_more_redirect_uris)
                                    <@ array_prepend(known.shown_redirect_uri, known.shown_more_redirect_uris)
                               then array(select distinct unnest(known.shown_scopes || excluded.shown_scopes))
                               else excluded.shown_scopes end,
           scopes = array(select distinct unnest(known.scopes || excluded.scopes)),
           shown_name = excluded.shown_name,
           shown_client_uri = excluded.shown_client_uri,
           shown_redirect_uri = excluded.shown_redirect_uri,
           shown_more_redirect_uris = excluded.shown_more_redirect_uris,
           granted_at = excluded.granted_at
  `);
}

/**
 * Fixes the scopes of a consent of an earlier release, which recorded only the requested scopes. Its page showed one
 * redirect URI: further redirect URIs stay without consent.
 */
export async function settle(db: Db, { userId, clientId, shown }: Of & { shown: readonly Scope[] }): Promise<void> {
  await db.query(sql`
    update consents c
       set shown_scopes = ${shown}, shown_name = a.name, shown_client_uri = a.client_uri, shown_redirect_uri = a.redirect_uri
      from applications a
     where a.client_id = c.client_id
       and c.user_id = ${userId}
       and c.client_id = ${clientId}
       and c.shown_scopes is null
  `);
}

/** Withdraws a consent. Returns false if there is no consent. */
export async function remove(tx: Db, { userId, clientId }: Of): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from consents where user_id = ${userId} and client_id = ${clientId} returning client_id
  `);
  return rows.length > 0;
}
