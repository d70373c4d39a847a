import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { openDatabase, type Db } from "./client.ts";
import { groupRoles, memberships, type GroupRole } from "./rights.ts";
import { sql, verbatim } from "./sql.ts";

/** The role that owns the database and everything in it, and migrates. No server process signs in with this role. */
export const ownerRole = "realmpass_owner";

/** A login for processes, and the service's role that the login is a member of. */
export interface Login {
  name: string;
  group: GroupRole;
}

/** The logins of an installation with its own database: one for each kind of process, and one for the queue. */
export const installationLogins: readonly Login[] = groupRoles.map((group) => ({ name: `${group}_login`, group }));

/** Roles belong to the cluster: another session may create the same role at the same moment. */
const createUnlessThere = (role: string, attributes: string): string => `
  if not exists (select from pg_roles where rolname = '${role}') then
    begin
      create role ${role} ${attributes};
    exception when duplicate_object or unique_violation then null;
    end;
  end if;`;

/**
 * Returns SQL that ends the memberships selected by `of`. Since Postgres 16 each grantor has a separate grant of a
 * membership.
 */
const endMemberships = (of: string): string => `
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where ${of}
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;`;

const grantUnlessMember = (role: string, member: string): string => `
  if not exists (select from pg_auth_members where roleid = '${role}'::regrole and member = '${member}'::regrole) then
    grant ${role} to ${member};
  end if;`;

const dropAttributes = (role: string): string => `
  if exists (select from pg_roles where rolname = '${role}'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role ${role} nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;`;

const block = (body: string): string => `do $body$\ndeclare held record;\nbegin${body}\nend\n$body$;\n`;

/** Returns SQL that creates a login that is a member of its group only, or changes an existing login accordingly. */
const loginScript = ({ name, group }: Login): string =>
  block(
    createUnlessThere(name, "login") +
      dropAttributes(name) +
      endMemberships(`member = '${name}'::regrole and roleid <> '${group}'::regrole`) +
      grantUnlessMember(group, name) +
      `
  alter role ${name} login;`,
  );

const groups = groupRoles.map((role) => `'${role}'`).join(", ");

const groupsScript = block(
  groupRoles.map((role) => createUnlessThere(role, "nologin") + dropAttributes(role)).join("") +
    `
  -- Nobody signs in as a group: earlier versions gave api and worker a password.
  for held in select rolname as role from pg_roles where rolname in (${groups}) and rolcanlogin loop
    execute format('alter role %I nologin password null', held.role);
  end loop;` +
    endMemberships(`pg_get_userbyid(roleid) in (${groups}) and pg_get_userbyid(member) in (${groups})
       and (pg_get_userbyid(roleid), pg_get_userbyid(member)) not in (${memberships
         .map(({ member, of }) => `('${of}', '${member}')`)
         .join(", ")})`) +
    memberships.map(({ member, of }) => grantUnlessMember(of, member)).join(""),
);

/**
 * The owner is a member of every group, because it may do everything that the groups may do: `migrate` can act as each.
 */
const ownerScript = block(
  createUnlessThere(ownerRole, "login") +
    dropAttributes(ownerRole) +
    groupRoles.map((role) => grantUnlessMember(role, ownerRole)).join(""),
);

const databaseScript = block(
  `
  -- The queue's schema of another owner is made again by the next migration; the sweep adds its tasks again.
  if exists (select from pg_namespace where nspname = 'bullmq' and nspowner <> '${ownerRole}'::regrole) then
    drop schema bullmq cascade;
  end if;
  execute format('alter database %I owner to ${ownerRole}', current_database());
  alter schema public owner to ${ownerRole};
  revoke create on schema public from public;
  for held in
    select format('alter table public.%I owner to ${ownerRole}', relname) as statement
      from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and relowner <> '${ownerRole}'::regrole
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'e', 'i'))
    union all
    select format('alter routine %s owner to ${ownerRole}', p.oid::regprocedure)
      from pg_proc p
     where pronamespace = 'public'::regnamespace and proowner <> '${ownerRole}'::regrole
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute held.statement;
  end loop;
  execute format('revoke connect on database %I from public', current_database());
  execute format('grant connect on database %I to ${installationLogins.map(({ name }) => name).join(", ")}', current_database());`,
);

/**
 * The SQL for everything that needs a superuser, for the connected database: the groups, the owner, the logins without
 * passwords, and the ownership of the database and its objects. Can be run again. `deploy/postgres/roles.sql` has the
 * same text.
 */
export const rolesScript = `-- The roles of Realmpass, for the database that you are connected to. Run it as a superuser, before the first migration
-- and after each upgrade; running it again changes nothing:
--
--   createdb realmpass && psql -X -1 -v ON_ERROR_STOP=1 -d realmpass -f roles.sql
--
-- Then give ${ownerRole} (which migrates) and each login its password, with psql's \\password.
-- "operator migrate --logins DIR" does all of it, with the passwords in DIR. db/logins.ts is where this text is made.

set search_path = pg_catalog;

-- The groups, one for each kind of process. What they may do is given by the migrations (db/grants.md).
${groupsScript}
-- What migrates.
${ownerScript}
-- The logins, each in its group alone.
${installationLogins.map(loginScript).join("")}
-- The database and everything in it belong to ${ownerRole}.
${databaseScript}`;

/**
 * Creates the roles, the owner and the logins of an installation, as {@link rolesScript} does, and sets the passwords
 * of logins. Returns false, with nothing changed, if the login of `url` is not a superuser. Runs in one transaction, so
 * a crash leaves nothing changed.
 */
export async function makeInstallationRoles(
  url: string,
  passwords: readonly { name: string; password: string }[],
): Promise<boolean> {
  const db = openDatabase({ url, connectionsMax: 1, applicationName: "realmpass migrate" });
  try {
    return await db.transaction(async (tx) => {
      const [login] = await tx.query<{ super: boolean }>(
        sql`select rolsuper as super from pg_roles where rolname = current_user`,
      );
      if (login?.super !== true) return false;
      await tx.query(sql`select pg_advisory_xact_lock(${rolesLock}::bigint)`);
      await tx.query(verbatim(rolesScript));
      for (const login of passwords) await setPassword(tx, login);
      return true;
    });
  } finally {
    await db.close();
  }
}

/** The lock that serializes runs in a database. Other programs are unlikely to use this number. */
const rolesLock = 7_246_712;

/**
 * Creates a login for each group, unless the login exists, and sets a new random password. Login names are derived from
 * the database's name, so another installation in the cluster keeps its own logins. Returns `undefined`, with nothing
 * changed, if the login of `url` may not create logins. Removes the passwords that earlier versions gave to the groups.
 */
export async function drawLogins<Group extends GroupRole>(
  url: string,
  groups: readonly Group[],
): Promise<Record<Group, { name: string; password: string }> | undefined> {
  const db = openDatabase({ url, connectionsMax: 1, applicationName: "realmpass start" });
  try {
    return await db.transaction(async (tx) => {
      const [session] = await tx.query<{ database: string; may: boolean }>(sql`
        select current_database() as database,
               rolsuper or (rolcreaterole
                            and (current_setting('server_version_num')::integer < 160000
                                 or (select bool_and(pg_has_role(current_user, g.oid, 'member with admin option'))
                                       from pg_roles g where g.rolname = any(${groups}::text[])))) as may
          from pg_roles where rolname = current_user
      `);
      if (session?.may !== true) return undefined;
      await tx.query(sql`select pg_advisory_xact_lock(${rolesLock}::bigint)`);
      const suffix = createHash("sha256").update(session.database).digest("hex").slice(0, 8);
      const drawn = groups.map((group) => {
        const login = { name: `${group}_${suffix}`, password: randomBytes(24).toString("base64url") };
        return [group, login] as const;
      });
      for (const [group, login] of drawn) {
        await tx.query(
          verbatim(loginScript({ name: login.name, group }) + letConnect(login.name) + withoutPassword(group)),
        );
        await setPassword(tx, login);
      }
      return Object.fromEntries(drawn) as Record<Group, { name: string; password: string }>;
    });
  } finally {
    await db.close();
  }
}

const letConnect = (login: string): string =>
  block(
    `
  if not has_database_privilege('${login}', current_database(), 'connect') then
    execute format('grant connect on database %I to ${login}', current_database());
  end if;`,
  );

const withoutPassword = (group: GroupRole): string =>
  block(
    `
  if (select rolcanlogin from pg_roles where rolname = '${group}') then
    alter role ${group} nologin password null;
  end if;`,
  );

/**
 * Sets a login's password. Sends only the verifier (RFC 5802), so a log of the server's statements contains no
 * password.
 */
async function setPassword(db: Db, { name, password }: { name: string; password: string }): Promise<void> {
  const [statement] = await db.query<{ text: string }>(
    sql`select format('alter role %I password %L', ${name}::text, ${scramVerifier(password)}::text) as text`,
  );
  await db.query(verbatim(statement?.text ?? ""));
}

const scramIterations = 4096;

/**
 * Returns what Postgres stores for a password (`SCRAM-SHA-256`, RFC 5803). The password must be printable ASCII,
 * because it is not normalized.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, scramIterations, 32, "sha256");
  const hmac = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const stored = createHash("sha256").update(hmac("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${scramIterations}:${salt.toString("base64")}$${stored}:${hmac("Server Key").toString("base64")}`;
}
