import { first, only, type Db } from "../../client.ts";
import { isHeldJob, rolesOf } from "../../rules.ts";
import { sql } from "../../sql.ts";

/** A connection of a realm with a directory: an application with the scope `scim`. */
export interface ScimConnection {
  clientId: string;
  name: string;
  active: boolean;
  createdAt: Date;
  /** When the connection last used a static token or was issued an access token, to the minute; null: never. */
  lastUsedAt: Date | null;
}

/** Lists the connections of a realm by name, including switched-off connections. */
export const listConnections = (db: Db, { realmId }: { realmId: string }): Promise<ScimConnection[]> =>
  db.query<ScimConnection>(sql`
    select client_id as "clientId", name, active, created_at as "createdAt", last_used_at as "lastUsedAt"
      from applications
     where realm_id = ${realmId}
       and 'scim' = any(scopes)
     order by name, client_id
  `);

/** Counts of a realm's people, by whether a directory manages them. */
export interface ScimNumbers {
  /** People whom a directory manages. */
  people: number;
  /** How many of the managed people have access. */
  active: number;
  /** People with access whom no directory manages. */
  unknown: number;
  /** The job that waits for a person to confirm the revocations that a directory requested. */
  heldJob: { id: string; people: number } | null;
  /** The last people who signed in through the identity provider, {@link signInsMax} at most. */
  lastSignIns: { people: number; unknown: number };
  /** Whether a directory manages the only person who administers the realm. */
  isLastAdministratorManaged: boolean;
}

/** How many of the last people who signed in are compared with the directory. */
export const signInsMax = 20;

/** How many sign-ins of each kind are read at most from the audit log to find {@link signInsMax} people. */
const entriesMax = 200;

/** Counts the people of a realm by whether a directory manages them. */
export const count = async (db: Db, { realmId }: { realmId: string }): Promise<ScimNumbers> =>
  only(
    await db.query<ScimNumbers>(sql`
      with managed as materialized (
        select count(*)::integer as people, count(*) filter (where u.offboarded_at is null)::integer as active
          from scim_users s
          join users u on u.id = s.user_id
         where s.realm_id = ${realmId}
           and s.deleted_at is null
      ), administrators as materialized (
        select count(*) as people,
               count(*) filter (where exists (select
                                                from scim_users s
                                               where s.user_id = u.id
                                                 and s.deleted_at is null)) as managed
          from users u
         where u.realm_id = ${realmId}
           and 'administrator' = any(${rolesOf(sql`u`)})
           and ${rolesOf(sql`u`)} <> '{}'
           and u.offboarded_at is null
      ), sign_ins as materialized (
        (select user_id, at
           from audit_entries
          where realm_id = ${realmId} and event = 'user_login' and properties ->> 'method' = 'upstream'
          order by at desc, id desc
          limit ${entriesMax})
        union all
        (select user_id, at
           from audit_entries
          where realm_id = ${realmId} and event = 'admin_login' and properties ->> 'method' = 'upstream'
          order by at desc, id desc
          limit ${entriesMax})
      ), latest as materialized (
        select user_id from sign_ins where user_id is not null group by user_id order by max(at) desc limit ${signInsMax}
      )
      select managed.people, managed.active,
             (select count(*)::integer from users where realm_id = ${realmId} and offboarded_at is null)
               - managed.active as unknown,
             (select jsonb_build_object('id', j.id, 'people', j.total - j.changed - j.unchanged - j.failed - j.skipped)
                from jobs j
               where j.realm_id = ${realmId}
                 and ${isHeldJob(sql`j`)}) as "heldJob",
             (select jsonb_build_object(
                       'people', count(*),
                       'unknown', count(*) filter (where not exists (select
                                                                       from scim_users s
                                                                      where s.user_id = latest.user_id
                                                                        and s.deleted_at is null)))
                from latest) as "lastSignIns",
             administrators.people = 1 and administrators.managed = 1 as "isLastAdministratorManaged"
        from managed, administrators
    `),
  );

/** How a directory knows a user. */
interface ManagedUser {
  /** The connection; null: its application was deleted. */
  clientId: string | null;
  userName: string;
  externalId: string | null;
  /** The last value that the directory sent. */
  active: boolean;
  updatedAt: Date;
}

/** Returns how a directory knows a user; undefined if no directory manages them. */
export async function findOfUser(
  db: Db,
  { realmId, userId }: { realmId: string; userId: string },
): Promise<ManagedUser | undefined> {
  return first(
    await db.query<ManagedUser>(sql`
      select client_id as "clientId", user_name as "userName", external_id as "externalId", active,
             updated_at as "updatedAt"
        from scim_users
       where realm_id = ${realmId}
         and user_id = ${userId}
         and deleted_at is null
    `),
  );
}
