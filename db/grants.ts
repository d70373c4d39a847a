import { queueRole, queueSchema, type DatabaseRole, type Db } from "./client.ts";
import { functionRights, groupRoles, memberships, schemaUsers, tableRights } from "./rights.ts";
import { sql, verbatim, type Sql } from "./sql.ts";

/**
 * Matches the service's roles and the logins that it creates for them (see `logins.ts`). The rights of other roles are
 * left alone.
 */
const ofOurs = sql`(rolname = any(${groupRoles}::text[])
                    or rolname ~ '^realmpass_(api|worker|responder|operator|queue)_(login|[0-9a-f]{8})$')`;

interface Grant {
  role: DatabaseRole;
  privilege: string;
  /** Null for a right on the schema or on a function. */
  table: string | null;
  /** Null for a right on a whole table, on the schema or on a function. */
  column: string | null;
  /** Null for a right on the schema or on a table. */
  function: string | null;
}

const grants: readonly Grant[] = [
  ...schemaUsers.map((role) => ({ role, privilege: "usage", table: null, column: null, function: null })),
  ...Object.entries(tableRights).flatMap(([table, byRole]) =>
    Object.entries(byRole).flatMap(([role, rights]) =>
      Object.entries(rights as Record<string, true | readonly string[]>).flatMap(([privilege, columns]) =>
        (columns === true ? [null] : columns).map((column) => ({
          role: role as DatabaseRole,
          privilege,
          table,
          column,
          function: null,
        })),
      ),
    ),
  ),
  ...Object.entries(functionRights).flatMap(([name, roles]) =>
    roles.map((role) => ({ role, privilege: "execute", table: null, column: null, function: name })),
  ),
];

const of = (pick: (grant: Grant) => string | null): (string | null)[] => grants.map(pick);

const isOfExtension = (catalogue: string, oid: Sql): Sql =>
  sql`exists (select from pg_depend e where e.classid = ${catalogue}::regclass and e.objid = ${oid} and e.deptype = 'e')`;

/**
 * `wanted`: the list above, and the rights in BullMQ's schema, where the queue's role works on rows and the operator
 * counts tasks. `held`: the rights of the service's roles and logins and of public (0) in the two schemas, without the
 * rights of owners and on objects of extensions.
 */
const wantedAndHeld = sql`
  wanted as (
    select role::regrole::oid as grantee, upper(privilege) as privilege,
           case when name is not null then 'pg_class' when routine is not null then 'pg_proc'
                else 'pg_namespace' end::regclass as kind,
           case when name is not null then to_regclass('public.' || quote_ident(name))::oid
                when routine is not null then to_regprocedure('public.' || routine)::oid
                else 'public'::regnamespace::oid end as object, col, place
      from unnest(${of(({ role }) => role)}::text[], ${of(({ privilege }) => privilege)}::text[],
                  ${of(({ table }) => table)}::text[], ${of(({ column }) => column)}::text[],
                  ${of((grant) => grant.function)}::text[])
           with ordinality as w (role, privilege, name, col, routine, place)
    union all
    select r.oid, 'USAGE', 'pg_namespace'::regclass, n.oid, null, null
      from pg_namespace n, pg_roles r
     where n.nspname = ${queueSchema} and r.rolname in (${queueRole}, 'realmpass_operator')
    union all
    select ${queueRole}::regrole::oid, privilege, 'pg_class'::regclass, c.oid, null, null
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'USAGE']) as p (privilege)
     where n.nspname = ${queueSchema}
       and case when c.relkind = 'S' then privilege = 'USAGE'
                when c.relname = 'migration' then privilege = 'SELECT'
                else c.relkind in ('r', 'p') and privilege <> 'USAGE' end
    union all
    select 'realmpass_operator'::regrole::oid, 'SELECT', 'pg_class'::regclass, c.oid, null, null
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = ${queueSchema} and c.relname = 'job'
    union all
    select ${queueRole}::regrole::oid, 'EXECUTE', 'pg_proc'::regclass, p.oid, null, null
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname = ${queueSchema}
  ), acls (kind, object, col, owner, acl) as (
    select 'pg_namespace'::regclass, oid, null, nspowner, nspacl
      from pg_namespace where nspname in ('public', ${queueSchema})
    union all
    select 'pg_class'::regclass, c.oid, null, c.relowner, c.relacl
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', ${queueSchema}) and not ${isOfExtension("pg_class", sql`c.oid`)}
    union all
    select 'pg_class'::regclass, c.oid, t.attname, c.relowner, t.attacl
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute t on t.attrelid = c.oid
     where n.nspname in ('public', ${queueSchema}) and t.attacl is not null and not ${isOfExtension("pg_class", sql`c.oid`)}
    union all
    -- A function without an acl may be executed by everybody.
    select 'pg_proc'::regclass, p.oid, null, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', ${queueSchema}) and not ${isOfExtension("pg_proc", sql`p.oid`)}
  ), held as (
    select a.grantee, a.privilege_type as privilege, a.is_grantable, s.kind, s.object, s.col
      from acls s, aclexplode(s.acl) a
     where a.grantee <> s.owner
       and (a.grantee = 0 or a.grantee in (select oid from pg_roles where ${ofOurs}))
  )`;

/**
 * Returns the privilege and the object of a grant or revoke statement. The object is qualified, so the search path does
 * not matter.
 */
const named = (row: Sql): Sql => sql`
  ${row}.privilege || coalesce(' (' || quote_ident(${row}.col) || ')', '') || ' on ' ||
  case ${row}.kind
    when 'pg_namespace'::regclass then (select format('schema %I', nspname) from pg_namespace where oid = ${row}.object)
    when 'pg_class'::regclass
      then (select case relkind when 'S' then 'sequence ' else '' end || format('%s.%I', relnamespace::regnamespace, relname)
              from pg_class where oid = ${row}.object)
    else (select format('routine %s.%I(%s)', pronamespace::regnamespace, proname, pg_get_function_identity_arguments(oid))
            from pg_proc where oid = ${row}.object) end`;

const statements = async (db: Db, query: Sql): Promise<string[]> =>
  (await db.query<{ statement: string }>(query)).map(({ statement }) => statement);

/**
 * Returns the statements that grant the rights that roles lack, in the order of the list, and then the memberships that
 * roles lack.
 */
export const findMissingGrants = (db: Db): Promise<string[]> =>
  statements(
    db,
    sql`
      with ${wantedAndHeld}
      select 'grant ' || ${named(sql`w`)} || ' to ' || w.grantee::regrole as statement, 1 as step, w.place
        from wanted w
       where not exists (
               select from held h
                where h.grantee = w.grantee and h.privilege = w.privilege and h.kind = w.kind and h.object = w.object
                  and h.col is not distinct from w.col)
      union all
      select format('grant %I to %I', of_role, member), 2, null
        from unnest(${memberships.map((membership) => membership.of)}::text[],
                    ${memberships.map(({ member }) => member)}::text[]) as m (of_role, member)
       where not exists (
               select from pg_auth_members a where a.roleid = of_role::regrole and a.member = m.member::regrole)
       order by step, place, statement
    `,
  );

/**
 * Returns the statements that revoke surplus rights from the service's roles and logins and from public, and surplus
 * memberships between the roles. Public may use the schema `public`, as is usual, and call functions in it that run
 * with the caller's own rights. Since Postgres 16 each grantor has a separate grant of a membership.
 */
export const findSurplusGrants = (db: Db): Promise<string[]> =>
  statements(
    db,
    sql`
      with ${wantedAndHeld}
      select 'revoke ' || ${named(sql`h`)} || ' from '
             || case h.grantee when 0 then 'public' else h.grantee::regrole::text end || ' cascade' as statement
        from held h
        left join wanted w
          on h.grantee = w.grantee and h.privilege = w.privilege and h.kind = w.kind and h.object = w.object
             and h.col is not distinct from w.col
       where (h.is_grantable or w.grantee is null)
         and not (h.grantee = 0 and h.kind = 'pg_namespace'::regclass and h.object = 'public'::regnamespace
                  and h.privilege = 'USAGE')
         and not (h.grantee = 0 and h.kind = 'pg_proc'::regclass
                  and exists (select from pg_proc p
                               where p.oid = h.object and p.pronamespace = 'public'::regnamespace and not p.prosecdef))
      union all
      select format('revoke %I from %I', pg_get_userbyid(a.roleid), pg_get_userbyid(a.member))
             || case when current_setting('server_version_num')::integer >= 160000
                     then format(' granted by %I', pg_get_userbyid(a.grantor)) else '' end
        from pg_auth_members a
       where pg_get_userbyid(a.roleid) = any(${groupRoles}::text[])
         and pg_get_userbyid(a.member) = any(${groupRoles}::text[])
         and not exists (
               select from unnest(${memberships.map((membership) => membership.of)}::text[],
                                  ${memberships.map(({ member }) => member)}::text[]) as m (of_role, member)
                where m.of_role::regrole = a.roleid and m.member::regrole = a.member)
       order by statement
    `,
  );

/**
 * Returns the missing roles and memberships that the session's login may not create, including memberships of the login
 * itself. Empty if the login may create roles.
 */
export async function findMissingRoles(db: Db): Promise<string[]> {
  const rows = await db.query<{ missing: string }>(sql`
    with wanted (role, member) as (
      select role, current_user::text from unnest(${groupRoles}::text[]) as g (role)
      union all
      select * from unnest(${memberships.map((membership) => membership.of)}::text[],
                           ${memberships.map(({ member }) => member)}::text[])
    )
    select distinct case when r.oid is null then 'the role ' || w.role
                         else format('the membership of %s in %s', w.member, w.role) end as missing
      from wanted w
      left join pg_roles r on r.rolname = w.role
      left join pg_roles m on m.rolname = w.member
     where (r.oid is null or m.oid is null or not pg_has_role(m.oid, r.oid, 'member'))
       and not (select rolsuper or rolcreaterole from pg_roles where rolname = current_user)
     order by missing
  `);
  return rows.map(({ missing }) => missing);
}

/** The statements that {@link applyGrants} has run. */
export interface GrantChanges {
  granted: string[];
  revoked: string[];
}

/**
 * Grants and revokes until the roles have exactly the listed rights. Call in a transaction. Revoking a right on a whole
 * table also revokes the right on the table's columns, so missing rights are determined afterwards.
 */
export async function applyGrants(tx: Db): Promise<GrantChanges> {
  const run = async (texts: string[]): Promise<string[]> => {
    if (texts.length > 0) await tx.query(verbatim(texts.join(";\n")));
    return texts;
  };
  const revoked = await run(await findSurplusGrants(tx));
  return { revoked, granted: await run(await findMissingGrants(tx)) };
}
