import { openDatabase, queueRole, type DatabaseOptions, type DatabaseRole, type Db } from "./client.ts";
import { installationLogins } from "./logins.ts";
import { roleRefused } from "./outage.ts";
import { sql, type Sql } from "./sql.ts";

/**
 * A right that a login has beyond its role: `reason` is a word for programs, `remedy` explains how to remove the right.
 */
export interface WideLogin {
  login: string;
  reason: string;
  remedy: string;
}

/**
 * A privilege that a session of each role must not have: a session with this privilege is not restricted to its role.
 */
const beyond: Readonly<Partial<Record<DatabaseRole, { table: string; privilege: string }>>> = {
  realmpass_api: { table: "issuer_keys", privilege: "select" },
  realmpass_worker: { table: "application_secrets", privilege: "select" },
  realmpass_responder: { table: "certificates", privilege: "insert" },
};

/**
 * Selects the rights that a role of `pg_roles` has beyond `allowed`. A superuser is a member of every role, so its
 * memberships are not listed.
 */
const widthOf = (role: Sql, allowed: readonly string[]): Sql => sql`
  ${role}.rolname as login,
  array_remove(array[
    case when ${role}.rolsuper then 'superuser' end,
    case when ${role}.rolcreaterole then 'createrole' end,
    case when ${role}.rolreplication then 'replication' end,
    case when ${role}.rolbypassrls then 'bypassrls' end,
    case when exists (select from pg_shdepend d
                       where d.refclassid = 'pg_authid'::regclass and d.refobjid = ${role}.oid and d.deptype = 'o')
         then 'owner' end], null)
  || array(select 'member_of:' || g.rolname
             from pg_roles g
            where not ${role}.rolsuper
              and g.oid <> ${role}.oid
              and g.rolname <> all(${allowed}::text[])
              and pg_has_role(${role}.oid, g.oid, 'member')
            order by g.rolname) as reasons`;

const remedyOf = (login: string, reason: string, role: string): string => {
  const [word, other] = reason.split(":");
  if (word === "member_of") return `revoke ${other ?? ""} from ${login}`;
  if (word === "owner") return `Give this process a login of its own that owns nothing: ${ownLogin(role)}.`;
  if (word === "superuser") return `Give this process a login of its own: ${ownLogin(role)}.`;
  return `alter role ${login} no${word ?? ""}`;
};

const ownLogin = (role: string): string => `"operator migrate --logins" makes ${role}_login`;

/** The result of examining the login that a process signs in with. */
export type LoginExamination =
  /** `refused`: the login does not restrict the process to its role; `message` explains why. */
  { refused: true; message: string } | { refused: false; login: string; wide: WideLogin[] };

const pooler = "A pooler between Realmpass and PostgreSQL drops the role; connect directly";

/**
 * Examines the session that these options open: whether the session has assumed its role, and which rights its login
 * has beyond the role. Throws `DatabaseUnavailable` while Postgres is away or refuses the login, for example because
 * the login is unknown.
 */
export async function examineLogin(
  options: Omit<DatabaseOptions, "role" | "connectionsMax"> & { role: DatabaseRole | typeof queueRole },
): Promise<LoginExamination> {
  const { role } = options;
  const db = openDatabase({ ...options, connectionsMax: 1 });
  const { table, privilege } = (role === queueRole ? undefined : beyond[role]) ?? { table: null, privilege: null };
  const allowed = role === "realmpass_api" || role === "realmpass_worker" ? [role, queueRole] : [role];
  try {
    const [found] = await db.query<{ current: string; login: string; reasons: string[]; reaches: boolean }>(sql`
      select current_user as current, ${widthOf(sql`r`, allowed)},
             coalesce(has_table_privilege(current_user, to_regclass('public.' || ${table}::text), ${privilege}), false) as reaches
        from pg_roles r
       where r.rolname = session_user
    `);
    if (found === undefined) throw new Error("a session has a login");
    const { current, login, reasons, reaches } = found;
    if (current !== role)
      return { refused: true, message: `The session runs as ${current}, not as ${role}. ${pooler}.` };
    if (reaches) {
      const message = `${role} may ${privilege ?? ""} ${table ?? ""}. Run "operator migrate", which takes what no role should have.`;
      return { refused: true, message };
    }
    const wide = reasons.map((reason) => ({ login, reason, remedy: remedyOf(login, reason, role) }));
    return { refused: false, login, wide };
  } catch (error) {
    // A pooler does not pass on the role.
    if (causeOf(error).includes("unsupported startup parameter")) return { refused: true, message: `${pooler}.` };
    // Postgres ends the connection of a login that is not a member of the role.
    if (roleRefused(error)) {
      return { refused: true, message: `The login may not take on ${role}: grant ${role} to it.` };
    }
    throw error;
  } finally {
    await db.close();
  }
}

/** Returns the message of Postgres, or of whatever responds in its place. */
const causeOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
};

const serverRoles = ["realmpass_api", "realmpass_worker", "realmpass_responder"] as const;

/** Examines every login that a server process is signed in with now, according to Postgres. */
export async function examineSessions(db: Db): Promise<WideLogin[]> {
  const found: WideLogin[] = [];
  for (const role of serverRoles) {
    const rows = await db.query<{ login: string; reasons: string[] }>(sql`
      select ${widthOf(sql`r`, [role, queueRole])}
        from pg_roles r
       where r.rolname in (select a.usename
                             from pg_stat_activity a
                            where a.datname = current_database()
                              and a.application_name = ${role.replace("_", " ")})
       order by r.rolname
    `);
    found.push(
      ...rows.flatMap(({ login, reasons }) =>
        reasons.map((reason) => ({ login, reason, remedy: remedyOf(login, reason, role) })),
      ),
    );
  }
  return found;
}

/**
 * Returns the logins that cannot sign in as their role. Examines the logins made by `operator migrate --logins` and the
 * logins of running server processes, whose sessions keep a revoked role.
 */
export async function loginsWithoutRole(db: Db): Promise<{ login: string; role: string }[]> {
  const named = installationLogins.map(({ name, group }) => ({ login: name, role: group, application: null }));
  const signedIn = serverRoles.map((role) => ({ login: null, role, application: role.replace("_", " ") }));
  return db.query<{ login: string; role: string }>(sql`
    select distinct r.rolname as login, given.role
      from jsonb_to_recordset(${JSON.stringify([...named, ...signedIn])}::jsonb)
             as given (login text, role text, application text)
      join pg_roles r
        on r.rolname = given.login
        or r.rolname in (select a.usename
                           from pg_stat_activity a
                          where a.datname = current_database() and a.application_name = given.application)
     where not exists (select
                         from pg_roles g
                        where (g.rolname = given.role or (given.login is null and g.rolname = ${queueRole}))
                          and pg_has_role(r.oid, g.oid, 'member'))
     order by r.rolname
  `);
}

/**
 * Returns a description of the session's login if the login is a superuser or owns the service's tables; otherwise
 * undefined.
 */
export async function ownerLogin(db: Db): Promise<string | undefined> {
  const [found] = await db.query<{ login: string; what: string | null }>(sql`
    select r.rolname as login,
           case when r.rolsuper then 'a superuser'
                when exists (select from pg_class c where c.oid = to_regclass('public.realms') and c.relowner = r.oid)
                  then 'the owner of the tables' end as what
      from pg_roles r
     where r.rolname = session_user
  `);
  return found === undefined || found.what === null ? undefined : `${found.login} is ${found.what}`;
}
