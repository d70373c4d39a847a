import type { DatabaseRole, Db } from "./client.ts";
import { sql, verbatim } from "./sql.ts";

/** What a role may do with a table: with all of it, or with these columns alone. */
interface Rights {
  select?: true | readonly string[];
  insert?: true | readonly string[];
  update?: true | readonly string[];
  delete?: true;
}

/**
 * Every right of the service's roles on the tables of the schema `public`, by table and role. New migrations give none:
 * migrating gives what is missing here, after the last of them. `db/grants.md` shows what a migrated database has.
 *
 * The api decides and records intent: it writes no certificate, reads no issuer key, and changes no audit entry. The
 * worker signs and writes what it signed: it reads no secret of a client and no token, and removes expired rows by their
 * times alone. The operator makes realms, issuers, people and applications.
 */
const tables: Readonly<Record<string, Partial<Record<DatabaseRole, Rights>>>> = {
  abandoned_serial_numbers: {
    realmpass_api: { insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  access_tokens: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "token_hash"], delete: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  active_profiles: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_operator: { select: true },
  },
  application_secrets: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  applications: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["active", "client_id", "realm_id", "scopes"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  audit_entries: {
    realmpass_api: { select: true, insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true, insert: true },
  },
  audit_heads: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  audit_seals: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  audit_unsealed: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, delete: true },
    realmpass_operator: { select: true },
  },
  authorization_codes: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  certificates: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: ["lapsed", "last_ocsp_at"] },
    realmpass_operator: { select: true },
  },
  consents: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  console_sessions: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "session_id"] },
    realmpass_operator: { select: ["created_at", "expires_at", "id", "realm_id", "session_id", "user_id"] },
  },
  crl_pieces: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, delete: true },
    realmpass_operator: { select: true },
  },
  crl_requests: {
    realmpass_worker: { select: true, delete: true },
    realmpass_operator: { select: true, insert: true },
  },
  crl_unpublished: {
    realmpass_worker: { select: true, delete: true },
    realmpass_operator: { select: true },
  },
  crls: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: true },
    realmpass_operator: { select: true },
  },
  guesses: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expire", "key"], delete: true },
  },
  guest_accounts: {
    realmpass_api: { select: true, insert: true, update: true },
    // Settling locks the owner's row, here and in `users`, and a row lock needs the right to update a column.
    realmpass_worker: { select: true, update: ["revoked_at"] },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  hand_overs: {
    realmpass_api: { select: true, insert: true, update: true },
    realmpass_worker: { select: ["expires_at", "id", "issuance_id", "offered_at", "picked_up_at"], delete: true },
    realmpass_operator: { select: true },
  },
  idempotency_keys: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["created_at", "key", "scope"], delete: true },
    realmpass_operator: { select: true },
  },
  issuance_outputs: {
    realmpass_api: { select: true, update: ["collected_at", "sealed"] },
    realmpass_worker: { select: true, insert: true, update: ["sealed"] },
    realmpass_operator: { select: true },
  },
  issuances: {
    realmpass_api: {
      select: true,
      insert: true,
      update: ["claim_id", "error_code", "finished_at", "lease_expires_at", "status"],
    },
    realmpass_worker: { select: true, insert: true, update: true },
    realmpass_operator: { select: true },
  },
  issuer_keys: {
    realmpass_worker: { select: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  issuers: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  job_rows: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  jobs: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  knex_migrations: {
    realmpass_operator: { select: true },
  },
  knex_migrations_lock: {
    realmpass_operator: { select: true },
  },
  local_credentials: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  logins: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "id", "user_id"], delete: true },
    realmpass_operator: { select: true },
  },
  ocsp_responders: {
    realmpass_worker: { select: true, insert: true, update: ["certificate"], delete: true },
    realmpass_operator: { select: true },
  },
  output_data_keys: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: ["wrapped"] },
    realmpass_operator: { select: true },
  },
  profile_spans: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true },
    realmpass_operator: { select: true },
  },
  realms: {
    realmpass_api: { select: true, update: true },
    realmpass_worker: { select: true },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  refresh_tokens: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  revocations: {
    realmpass_api: { select: true, insert: true },
    realmpass_worker: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  sessions: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["client_id", "expires_at", "id", "last_used_at", "user_id"], delete: true },
    realmpass_operator: { select: true },
  },
  sign_in_links: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "token_hash"], delete: true },
    realmpass_operator: { select: true, insert: true, update: true, delete: true },
  },
  token_signing_keys: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
  upstream_attempts: {
    realmpass_api: { select: true, insert: true, update: true, delete: true },
    realmpass_worker: { select: ["expires_at", "token_hash"], delete: true },
    realmpass_operator: { select: true },
  },
  upstream_identities: {
    realmpass_api: { select: true, insert: true },
    realmpass_operator: { select: true },
  },
  user_profile_counts: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, update: ["profile_count"] },
    realmpass_operator: { select: true },
  },
  users: {
    realmpass_api: { select: true, insert: true, update: true },
    realmpass_worker: {
      select: true,
      insert: true,
      update: ["email", "locked_at", "offboarded_at", "offboarding_job_id", "profile_override"],
    },
    realmpass_operator: { select: true, insert: true, update: true },
  },
  workers: {
    realmpass_api: { select: true },
    realmpass_worker: { select: true, insert: true, update: true, delete: true },
    realmpass_operator: { select: true },
  },
};

/** Who may execute which function. Trigger functions need no such right. */
const functions: Readonly<Record<string, readonly DatabaseRole[]>> = {
  "end_sign_ins(bigint[])": ["realmpass_api", "realmpass_worker"],
};

/** Who may use what is in the schema `public`. */
const schemaUsers: readonly DatabaseRole[] = [
  "realmpass_api",
  "realmpass_worker",
  "realmpass_responder",
  "realmpass_operator",
];

/** One right of one role. */
interface Grant {
  role: DatabaseRole;
  privilege: string;
  /** Null for a right on the schema or on a function. */
  table: string | null;
  /** Null for the whole table. */
  column: string | null;
  /** Null for a right on the schema or on a table. */
  function: string | null;
}

const grants: readonly Grant[] = [
  ...schemaUsers.map((role) => ({ role, privilege: "usage", table: null, column: null, function: null })),
  ...Object.entries(tables).flatMap(([table, byRole]) =>
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
  ...Object.entries(functions).flatMap(([name, roles]) =>
    roles.map((role) => ({ role, privilege: "execute", table: null, column: null, function: name })),
  ),
];

/** The statements that give what the roles lack, in the order of the list. */
export async function findMissingGrants(db: Db): Promise<string[]> {
  const of = (pick: (grant: Grant) => string | null): (string | null)[] => grants.map(pick);
  const rows = await db.query<{ statement: string }>(sql`
    with wanted as (
      select role::regrole as role, upper(privilege) as privilege, to_regclass('public.' || quote_ident(name)) as class,
             col, to_regprocedure('public.' || routine) as routine, place, name is null and routine is null as of_schema
        from unnest(${of(({ role }) => role)}::text[], ${of(({ privilege }) => privilege)}::text[],
                    ${of(({ table }) => table)}::text[], ${of(({ column }) => column)}::text[],
                    ${of((grant) => grant.function)}::text[])
             with ordinality as w (role, privilege, name, col, routine, place)
    ), held (role, privilege, class, col, routine) as (
      select a.grantee, a.privilege_type, null::oid, null::text, null::oid
        from pg_namespace n, aclexplode(n.nspacl) a where n.nspname = 'public'
      union all
      select a.grantee, a.privilege_type, c.oid, null, null
        from pg_class c, aclexplode(c.relacl) a where c.relnamespace = 'public'::regnamespace
      union all
      select a.grantee, a.privilege_type, c.oid, t.attname, null
        from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a
       where c.relnamespace = 'public'::regnamespace and t.attacl is not null
      union all
      select a.grantee, a.privilege_type, null, null, p.oid
        from pg_proc p, aclexplode(p.proacl) a where p.pronamespace = 'public'::regnamespace
    )
    select case when of_schema then format('grant %s on schema public to %s', privilege, role)
                when routine is not null then format('grant %s on function %s to %s', privilege, routine, role)
                when col is not null then format('grant %s (%I) on %s to %s', privilege, col, class, role)
                else format('grant %s on %s to %s', privilege, class, role) end as statement
      from wanted w
     where not exists (
             select from held h
              where h.role = w.role and h.privilege = w.privilege
                and h.class is not distinct from w.class::oid and h.col is not distinct from w.col
                and h.routine is not distinct from w.routine::oid)
     order by place
  `);
  return rows.map(({ statement }) => statement);
}

/** Gives the roles what they lack of this list, in one transaction. Takes nothing from anyone. */
export async function applyGrants(db: Db): Promise<void> {
  const statements = await findMissingGrants(db);
  if (statements.length > 0) await db.query(verbatim(statements.join(";\n")));
}
