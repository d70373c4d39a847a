import type { Scope } from "../../../domain/people/scopes.ts";
import { first, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";
import type { Application } from "./applications.ts";

/** What a person allowed an application. */
export interface Consent {
  clientId: string;
  clientName: string;
  clientUri: string;
  /** The scopes that the page listed. */
  scopes: Scope[];
  grantedAt: Date;
}

/** The application as the page showed it. */
export type ShownApplication = Pick<Application, "clientId" | "name" | "clientUri" | "redirectUri">;

interface Of {
  userId: string;
  clientId: string;
}

/** Whether the consent `c` was given to the application `a` as it is now; one of a release before was. */
const isOfSame = sql`
  (c.shown_scopes is null
   or (c.shown_name, c.shown_client_uri, c.shown_redirect_uri) is not distinct from (a.name, a.client_uri, a.redirect_uri))`;

/** A person's consent to an application as it is now. `shown` is null until a consent of a release before is used. */
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

/** A person's consents, the latest first. */
export const listOfUser = (db: Db, { userId }: { userId: string }): Promise<Consent[]> =>
  db.query<Consent>(sql`
    select c.client_id as "clientId", a.name as "clientName", a.client_uri as "clientUri",
           coalesce(c.shown_scopes, c.scopes) as scopes, c.granted_at as "grantedAt"
      from consents c
      join applications a on a.client_id = c.client_id
     where c.user_id = ${userId}
     order by c.granted_at desc, c.client_id
  `);

/** Adds scopes to what was allowed before, if that was the same application to look at. */
export async function grant(
  tx: Db,
  {
    userId,
    application,
    scopes,
    at,
  }: { userId: string; application: ShownApplication; scopes: readonly Scope[]; at: Date },
): Promise<void> {
  const { clientId, name, clientUri, redirectUri } = application;
  await tx.query(sql`
    insert into consents as known (user_id, client_id, scopes, shown_scopes, shown_name, shown_client_uri, shown_redirect_uri,
                                   granted_at)
    values (${userId}, ${clientId}, ${scopes}, ${scopes}, ${name}, ${clientUri}, ${redirectUri}, ${at})
    on conflict (user_id, client_id) do update
       set shown_scopes = case when (known.shown_name, known.shown_client_uri, known.shown_redirect_uri)
                                    is not distinct from
                                    (excluded.shown_name, excluded.shown_client_uri, excluded.shown_redirect_uri)
                               then array(select distinct unnest(known.shown_scopes || excluded.shown_scopes))
                               else excluded.shown_scopes end,
           scopes = array(select distinct unnest(known.scopes || excluded.scopes)),
           shown_name = excluded.shown_name,
           shown_client_uri = excluded.shown_client_uri,
           shown_redirect_uri = excluded.shown_redirect_uri,
           granted_at = excluded.granted_at
  `);
}

/** Fixes what a consent of a release before, which kept what was asked for, holds for from now on. */
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

/** Takes a consent back. False when there is none. */
export async function remove(tx: Db, { userId, clientId }: Of): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from consents where user_id = ${userId} and client_id = ${clientId} returning client_id
  `);
  return rows.length > 0;
}
