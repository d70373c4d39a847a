import { roles as allRoles, type Role } from "../../../domain/people/roles.ts";
import { first, type Db } from "../../client.ts";
import { isAdministrator, rolesOf } from "../../rules.ts";
import { sql } from "../../sql.ts";

/** A person's roles: assigned here, and by the identity provider at the latest sign-in through it. */
export interface HeldRoles {
  given: Role[];
  fromProvider: Role[];
}

interface InRealm {
  realmId: string;
  userId: string;
}

/** The constraint that an error names when a realm would have no administrator left. */
export const keepsAnAdministrator = "users_keep_an_administrator";

const columns = sql`u.roles as given, u.provider_roles as "fromProvider"`;

/** Returns a person's roles; undefined when the realm has no such person. */
export async function find(db: Db, { realmId, userId }: InRealm): Promise<HeldRoles | undefined> {
  return first(
    await db.query<HeldRoles>(sql`select ${columns} from users u where u.realm_id = ${realmId} and u.id = ${userId}`),
  );
}

/**
 * Returns a person's roles with the row locked until the transaction ends, and whether the person is offboarded: an
 * offboarded person gets no role.
 */
export async function lock(
  tx: Db,
  { realmId, userId }: InRealm,
): Promise<(HeldRoles & { isOffboarded: boolean }) | undefined> {
  return first(
    await tx.query<HeldRoles & { isOffboarded: boolean }>(sql`
      select ${columns}, u.offboarded_at is not null as "isOffboarded" from users u where u.realm_id = ${realmId} and u.id = ${userId} for no key update
    `),
  );
}

/** Sets only a person's roles: `db/operations/roles.ts` does the rest. */
export async function update(tx: Db, { realmId, userId, given, fromProvider }: InRealm & HeldRoles): Promise<void> {
  await tx.query(sql`
    update users set roles = ${given}, provider_roles = ${fromProvider} where realm_id = ${realmId} and id = ${userId}
  `);
}

/** Counts the people of a realm with each role, except offboarded people. */
export async function count(db: Db, { realmId }: { realmId: string }): Promise<Record<Role, number>> {
  const rows = await db.query<{ role: Role; people: number }>(sql`
    select role, count(distinct u.id)::integer as people
      from users u
     cross join unnest(${rolesOf(sql`u`)}) as role
     where u.realm_id = ${realmId}
       and u.offboarded_at is null
     group by role
  `);
  const counted = new Map(rows.map(({ role, people }) => [role, people]));
  return Object.fromEntries(allRoles.map((role) => [role, counted.get(role) ?? 0])) as Record<Role, number>;
}

/** Serializes removals of the realm's administrators: a concurrent removal has been committed, or waits. */
export async function lockAdministrators(tx: Db, { realmId }: { realmId: string }): Promise<void> {
  await tx.query(sql`select id from realms where id = ${realmId} for no key update`);
}

/**
 * Returns which of these people administer the realm and are not offboarded, in the order of their ids. Looks up each
 * person by id, whatever statistics the planner has.
 */
export async function administratorsAmong(
  db: Db,
  { realmId, userIds }: { realmId: string; userIds: readonly string[] },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select u.id
      from unnest(${userIds}::bigint[]) as given (id)
     cross join lateral (select id, realm_id, offboarded_at, roles, provider_roles
                           from users
                          where id = given.id
                         offset 0) u
     where u.realm_id = ${realmId}
       and u.offboarded_at is null
       and ${isAdministrator(sql`u`)}
     order by u.id
  `);
  return rows.map(({ id }) => id);
}

/** Returns whether a realm would have no administrator without these people. */
export async function areLastAdministrators(
  db: Db,
  { realmId, userIds }: { realmId: string; userIds: readonly string[] },
): Promise<boolean> {
  const others = await db.query(sql`
    select u.id
      from users u
     where u.realm_id = ${realmId}
       and u.offboarded_at is null
       and ${isAdministrator(sql`u`)}
       and u.id <> all(${userIds}::bigint[])
     limit 1
  `);
  return others.length === 0;
}
