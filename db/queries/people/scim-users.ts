import type { DirectoryFilter, PairwiseAttribute, TextComparison } from "../../../domain/people/directory.ts";
import { first, only, type Db } from "../../client.ts";
import { join, sql, unprepared, type Sql } from "../../sql.ts";

/** People whom a directory manages over SCIM. A connection sees only people whom it created or adopted. */

/** A connection: an application of the realm. */
export interface Connection {
  realmId: string;
  clientId: string;
}

type OfConnection = Connection & { userId: string };

/** The attributes that are kept only for the directory. */
export interface ScimRow {
  /** Null: the connection was deleted. */
  clientId: string | null;
  externalId: string | null;
  userName: string;
  /** Null: treated as `work`. */
  emailType: string | null;
  /** Null: treated as true. */
  emailPrimary: boolean | null;
  /** The last value that the directory sent; whether the person has access is {@link ScimUser.offboardedAt}. */
  active: boolean;
  /** The values of attributes that the realm names, as sent, by path in lower case. */
  attributes: Readonly<Record<string, unknown>>;
  deletedAt: Date | null;
}

export interface ScimUser extends ScimRow {
  id: string;
  pairwiseId: string;
  displayName: string | null;
  /** Empty: none. */
  email: string;
  offboardedAt: Date | null;
  createdAt: Date;
  /** When the directory last changed the person. */
  updatedAt: Date;
}

const columns = sql`
  s.user_id as id, s.client_id as "clientId", s.external_id as "externalId", s.user_name as "userName",
  s.email_type as "emailType", s.email_primary as "emailPrimary", s.active, s.attributes, s.deleted_at as "deletedAt",
  s.created_at as "createdAt", s.updated_at as "updatedAt",
  u.pairwise_id as "pairwiseId", u.display_name as "displayName", u.email, u.offboarded_at as "offboardedAt"`;

const ofConnection = ({ realmId, clientId }: Connection): Sql =>
  sql`s.realm_id = ${realmId} and s.client_id = ${clientId} and s.deleted_at is null`;

/** Returns a person of a connection; undefined for everybody else, including deleted people. */
export async function find(db: Db, { userId, ...connection }: OfConnection): Promise<ScimUser | undefined> {
  return first(
    await db.query<ScimUser>(sql`
      select ${columns}
        from scim_users s
        join users u on u.id = s.user_id
       where s.user_id = ${userId}
         and ${ofConnection(connection)}
    `),
  );
}

/** Returns the row of a user, whatever its connection, even if deleted. Call with the user's row locked. */
export async function findRow(
  tx: Db,
  { realmId, userId }: { realmId: string; userId: string },
): Promise<ScimRow | undefined> {
  return first(
    await tx.query<ScimRow>(sql`
      select s.client_id as "clientId", s.external_id as "externalId", s.user_name as "userName",
             s.email_type as "emailType", s.email_primary as "emailPrimary", s.active, s.attributes,
             s.deleted_at as "deletedAt"
        from scim_users s
       where s.realm_id = ${realmId}
         and s.user_id = ${userId}
    `),
  );
}

const textOf = {
  userName: { column: sql`s.user_name_folded`, folded: (value: string) => sql`folded_id(${value})` },
  externalId: { column: sql`s.external_id`, folded: (value: string) => sql`${value}::text` },
  displayName: { column: sql`lower(u.display_name)`, folded: (value: string) => sql`lower(${value})` },
  email: { column: sql`nullif(u.email_folded, '')`, folded: (value: string) => sql`lower(${value})` },
} as const;

/**
 * Returns the condition of a text comparison. The condition is never null, so its negation holds for people without a
 * value.
 */
function comparesText({ attribute, operator, value }: TextComparison): Sql {
  const { column, folded } = textOf[attribute];
  const given = folded(value);
  switch (operator) {
    case "eq":
      return sql`(${column} is not null and ${column} = ${given})`;
    case "ne":
      return sql`${column} is distinct from ${given}`;
    case "co":
      return sql`(${column} is not null and position(${given} in ${column}) > 0)`;
    case "sw":
      return sql`(${column} is not null and starts_with(${column}, ${given}))`;
    case "ew":
      return sql`(${column} is not null and right(${column}, length(${given})) = ${given})`;
  }
}

const compares = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const;
const timeOf = { created: sql`s.created_at`, updated: sql`s.updated_at` } as const;

/** Returns the condition of a filter on rows `s` and their users `u`; the values are parameters. */
function matches(filter: DirectoryFilter): Sql {
  if (typeof filter === "boolean") return filter ? sql`true` : sql`false`;
  if ("and" in filter) return sql`(${join(filter.and.map(matches), sql` and `)})`;
  if ("or" in filter) return sql`(${join(filter.or.map(matches), sql` or `)})`;
  if ("not" in filter) return sql`(not ${matches(filter.not)})`;
  if (filter.operator === "pr") return sql`(${textOf[filter.attribute].column} is not null)`;
  switch (filter.attribute) {
    case "id":
      return sql`(s.user_id = ${filter.value}::bigint)`;
    case "active":
      return filter.value ? sql`(u.offboarded_at is null)` : sql`(u.offboarded_at is not null)`;
    case "created":
    case "updated":
      return sql`(date_trunc('milliseconds', ${timeOf[filter.attribute]}) ${compares[filter.operator]} ${filter.value}::timestamptz)`;
    default:
      return comparesText(filter);
  }
}

/** Lists the people of a connection in the order of their ids, and counts all matching people. */
export async function list(
  db: Db,
  { filter, offset, limit, ...connection }: Connection & { filter: DirectoryFilter; offset: number; limit: number },
): Promise<{ users: ScimUser[]; total: number }> {
  const matching = sql`
      from scim_users s
      join users u on u.id = s.user_id
     where ${ofConnection(connection)}
       and ${matches(filter)}`;
  const users =
    limit === 0
      ? []
      : await db.query<ScimUser>(
          unprepared(sql`select ${columns} ${matching} order by s.user_id limit ${limit} offset ${offset}`),
        );
  // A page that is not full is the last one; an empty page may be beyond the end.
  if (users.length < limit && (users.length > 0 || offset === 0)) return { users, total: offset + users.length };
  const { total } = only(
    await db.query<{ total: number }>(unprepared(sql`select count(*)::integer as total ${matching}`)),
  );
  return { users, total };
}

/**
 * Stores a person of a connection: a new person, or one who has an earlier row, of this or another connection. Throws
 * unique violations of `scim_users_user_name` and `scim_users_external_id`.
 */
export async function put(
  tx: Db,
  { realmId, clientId, userId, row, at }: OfConnection & { row: Omit<ScimRow, "clientId" | "deletedAt">; at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into scim_users (user_id, realm_id, client_id, external_id, user_name, email_type, email_primary, active,
                            attributes, created_at, updated_at)
    values (${userId}, ${realmId}, ${clientId}, ${row.externalId}, ${row.userName}, ${row.emailType},
            ${row.emailPrimary}, ${row.active}, ${JSON.stringify(row.attributes)}, ${at}, ${at})
    on conflict (user_id) do update
      set client_id = excluded.client_id, external_id = excluded.external_id, user_name = excluded.user_name,
          email_type = excluded.email_type, email_primary = excluded.email_primary, active = excluded.active,
          attributes = excluded.attributes, deleted_at = null, updated_at = excluded.updated_at
  `);
}

/**
 * Changes what is stored for the directory; `at` is null if the directory sees no change. Throws the same unique
 * violations as {@link put}.
 */
export async function update(
  tx: Db,
  { realmId, userId, row, at }: { realmId: string; userId: string; row: Omit<ScimRow, "clientId">; at: Date | null },
): Promise<void> {
  await tx.query(sql`
    update scim_users
       set external_id = ${row.externalId}, user_name = ${row.userName}, email_type = ${row.emailType},
           email_primary = ${row.emailPrimary}, active = ${row.active}, attributes = ${JSON.stringify(row.attributes)},
           deleted_at = ${row.deletedAt},
           updated_at = coalesce(${at}::timestamptz, updated_at)
     where realm_id = ${realmId}
       and user_id = ${userId}
  `);
}

/** Records that SCIM revoked a person's profiles, for the guard. */
export async function setOffboardedAt(
  tx: Db,
  { realmId, userId, at }: { realmId: string; userId: string; at: Date },
): Promise<void> {
  await tx.query(sql`
    update scim_users set offboarded_at = ${at} where realm_id = ${realmId} and user_id = ${userId}
  `);
}

/** Stores the name, the e-mail address and, if given, the pairwise id of a user. */
export async function updateUser(
  tx: Db,
  {
    realmId,
    userId,
    pairwiseId,
    displayName,
    email,
  }: { realmId: string; userId: string; pairwiseId?: string } & Pick<ScimUser, "displayName" | "email">,
): Promise<void> {
  await tx.query(sql`
    update users
       set pairwise_id = coalesce(${pairwiseId ?? null}, pairwise_id), display_name = ${displayName}, email = ${email}
     where realm_id = ${realmId}
       and id = ${userId}
  `);
}

/** Makes other deactivations of the realm wait until the transaction ends, so each sees all earlier deactivations. */
export async function lockGuard(tx: Db, realmId: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('scim guard', ${realmId}::bigint))`);
}

/**
 * Returns how many people of a realm SCIM has offboarded within the last hour and since a person last confirmed a held
 * job, and the realm's share.
 */
export const countRevoked = async (
  tx: Db,
  { realmId, at }: { realmId: string; at: Date },
): Promise<{ revoked: number; sharePercent: number }> =>
  only(
    await tx.query<{ revoked: number; sharePercent: number }>(sql`
      select r.offboarding_share_percent as "sharePercent",
             (select count(*)::integer
                from scim_users s
               where s.realm_id = r.id
                 and s.offboarded_at > greatest(${at}::timestamptz - interval '1 hour', r.scim_window_from)) as revoked
        from realms r
       where r.id = ${realmId}
    `),
  );

/** Restarts the guard's count, because a person has confirmed a held job. */
export async function beginWindow(tx: Db, { realmId, at }: { realmId: string; at: Date }): Promise<void> {
  await tx.query(sql`update realms set scim_window_from = ${at} where id = ${realmId}`);
}

/**
 * Returns the attribute that is the pairwise id of the realm's people. The attribute cannot change until the
 * transaction ends: the trigger `realms_scim_pairwise_stays` waits.
 */
export async function keepPairwise(tx: Db, realmId: string): Promise<PairwiseAttribute> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(hashtextextended('scim pairwise', ${realmId}::bigint))`);
  return only(
    await tx.query<{ scimPairwise: PairwiseAttribute }>(
      sql`select scim_pairwise as "scimPairwise" from realms where id = ${realmId}`,
    ),
  ).scimPairwise;
}
