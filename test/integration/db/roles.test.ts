import { beforeAll, describe, expect, test } from "vitest";
import { openQueuePool, type Database, type DatabaseRole } from "../../../db/client.ts";
import { sql, type Sql } from "../../../db/sql.ts";
import { givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const as = new Map<DatabaseRole, Database>();

beforeAll(() => {
  for (const role of ["realmpass_api", "realmpass_worker", "realmpass_responder", "realmpass_operator"] as const) {
    as.set(role, database.open(role, { connectionsMax: 2 }));
  }
});

const attempt = (role: DatabaseRole, statement: Sql) => as.get(role)!.query(statement);

describe.each<{ role: DatabaseRole; may: string; statement: Sql }>([
  { role: "realmpass_api", may: "read issuer keys", statement: sql`select encrypted_key from issuer_keys` },
  { role: "realmpass_api", may: "write certificates", statement: sql`update certificates set not_after = now()` },
  { role: "realmpass_api", may: "insert certificates", statement: sql`insert into certificates default values` },
  { role: "realmpass_api", may: "delete a revocation", statement: sql`delete from revocations` },
  { role: "realmpass_api", may: "write issuers", statement: sql`update issuers set issuing = true` },
  { role: "realmpass_api", may: "change what was asked for", statement: sql`update issuances set user_id = 1` },
  { role: "realmpass_api", may: "make data keys", statement: sql`insert into output_data_keys default values` },
  { role: "realmpass_api", may: "publish a CRL", statement: sql`insert into crls default values` },
  { role: "realmpass_api", may: "replace a CRL", statement: sql`update crls set number = number + 1` },
  { role: "realmpass_api", may: "put an entry on a CRL", statement: sql`insert into crl_pieces default values` },
  { role: "realmpass_api", may: "take an entry off a CRL", statement: sql`delete from crl_pieces` },
  { role: "realmpass_api", may: "keep a revocation off the CRL", statement: sql`delete from crl_unpublished` },
  { role: "realmpass_worker", may: "withdraw a CRL", statement: sql`delete from crls` },
  { role: "realmpass_worker", may: "change an entry of a CRL", statement: sql`update crl_pieces set der = ''` },
  { role: "realmpass_operator", may: "take an entry off a CRL", statement: sql`delete from crl_pieces` },
  { role: "realmpass_operator", may: "keep a revocation off the CRL", statement: sql`delete from crl_unpublished` },
  { role: "realmpass_operator", may: "publish a CRL", statement: sql`insert into crls default values` },
  { role: "realmpass_worker", may: "read client secrets", statement: sql`select * from application_secrets` },
  { role: "realmpass_worker", may: "read guests' tokens", statement: sql`select token_sealed from guest_accounts` },
  {
    role: "realmpass_worker",
    may: "read hashes of guests' tokens",
    statement: sql`select token_hash from guest_accounts`,
  },
  {
    role: "realmpass_worker",
    may: "read the secret of an identity provider",
    statement: sql`select upstream_client_secret from realms`,
  },
  { role: "realmpass_worker", may: "read tokens", statement: sql`select sealed_tokens from console_sessions` },
  { role: "realmpass_operator", may: "read tokens", statement: sql`select sealed_tokens from console_sessions` },
  { role: "realmpass_worker", may: "read whom a token is for", statement: sql`select user_id from access_tokens` },
  { role: "realmpass_worker", may: "make tokens", statement: sql`insert into access_tokens default values` },
  { role: "realmpass_worker", may: "read token signing keys", statement: sql`select * from token_signing_keys` },
  { role: "realmpass_worker", may: "read passwords", statement: sql`select * from local_credentials` },
  { role: "realmpass_worker", may: "change a certificate", statement: sql`update certificates set user_id = null` },
  { role: "realmpass_api", may: "move a realm", statement: sql`update realms set domain = 'other.example'` },
  { role: "realmpass_api", may: "let people sign in locally", statement: sql`update realms set local_sign_in = true` },
  { role: "realmpass_api", may: "move a user", statement: sql`update users set realm_id = 1` },
  {
    role: "realmpass_api",
    may: "make a user offboarded",
    statement: sql`insert into users (offboarded_at) values (now())`,
  },
  { role: "realmpass_api", may: "replace a guest's token", statement: sql`update guest_accounts set token_hash = ''` },
  {
    role: "realmpass_api",
    may: "choose serial numbers",
    statement: sql`insert into issuances (serial_number) values ('1')`,
  },
  { role: "realmpass_api", may: "rename accounts", statement: sql`update local_credentials set username = ''` },
  { role: "realmpass_api", may: "make local accounts", statement: sql`insert into local_credentials default values` },
  { role: "realmpass_api", may: "make sign-in links", statement: sql`insert into sign_in_links default values` },
  { role: "realmpass_api", may: "prolong a sign-in link", statement: sql`update sign_in_links set expires_at = now()` },
  {
    role: "realmpass_worker",
    may: "add administrators",
    statement: sql`insert into users (administrator) values (true)`,
  },
  { role: "realmpass_worker", may: "unlock people", statement: sql`update users set locked_at = null` },
  { role: "realmpass_worker", may: "change what was asked for", statement: sql`update issuances set user_id = 1` },
  { role: "realmpass_worker", may: "replace a request's key", statement: sql`update issuances set csr = ''` },
  { role: "realmpass_worker", may: "read clients' addresses", statement: sql`select redirect_uri from applications` },
  { role: "realmpass_worker", may: "change a realm", statement: sql`update realms set display_name = ''` },
  { role: "realmpass_responder", may: "read issuer keys", statement: sql`select * from issuer_keys` },
  { role: "realmpass_responder", may: "read people", statement: sql`select * from users` },
  { role: "realmpass_responder", may: "write certificates", statement: sql`insert into certificates default values` },
  { role: "realmpass_worker", may: "make administrators", statement: sql`update users set administrator = true` },
  { role: "realmpass_worker", may: "write issuer keys", statement: sql`update issuer_keys set encrypted_key = '{}'` },
  { role: "realmpass_operator", may: "write certificates", statement: sql`update certificates set not_after = now()` },
  { role: "realmpass_operator", may: "make issuances", statement: sql`insert into issuances default values` },
])("$role", ({ role, may, statement }) => {
  test(`may not ${may}`, async () => {
    await expect(attempt(role, statement)).rejects.toThrow(/permission denied/);
  });
});

describe.each(["realmpass_api", "realmpass_worker", "realmpass_operator"] as const)("%s", (role) => {
  test.each([
    ["update", sql`update audit_entries set event = 'user_lock'`],
    ["delete", sql`delete from audit_entries`],
    ["truncate", sql`truncate audit_entries`],
  ])("may not %s audit entries", async (_, statement) => {
    await expect(attempt(role, statement)).rejects.toThrow(/permission denied/);
  });
});

test.each([
  ["update", sql`update audit_entries set event = 'user_lock'`],
  ["delete", sql`delete from audit_entries`],
  ["truncate", sql`truncate audit_entries`],
])("even the owner cannot %s audit entries by accident", async (_, statement) => {
  await expect(database.owner.query(statement)).rejects.toThrow(/never changed or deleted/);
});

test("the queue's connections see the queue but no table of the service", async () => {
  const pool = openQueuePool({ url: database.url, connectionsMax: 1, applicationName: "test" });
  try {
    await expect(pool.query("select count(*) from job")).resolves.toBeDefined();
    await expect(pool.query("select * from public.users")).rejects.toThrow(/permission denied/);
    await expect(pool.query("select * from public.issuer_keys")).rejects.toThrow(/permission denied/);
    const { rows } = await pool.query<{ all: number; allowed: number }>(`
      select count(*)::integer as all,
             count(*) filter (where has_any_column_privilege(oid, 'select, insert, update, references')
                                 or has_table_privilege(oid, 'delete, truncate, trigger'))::integer as allowed
        from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
    `);
    expect(rows).toEqual([{ all: expect.any(Number) as number, allowed: 0 }]);
    expect(rows[0]!.all).toBeGreaterThan(20);
  } finally {
    await pool.end();
  }
});

test("mark_revoked runs with its owner's rights, so that either role's revocation marks the certificate", async () => {
  const [definition] = await database.owner.query<{ definer: boolean }>(
    sql`select prosecdef as definer from pg_proc where proname = 'mark_revoked'`,
  );
  expect(definition?.definer).toBe(true);
  const user = await given.user({ realmId: await given.realm() });
  for (const role of ["realmpass_api", "realmpass_worker"] as const) {
    const serial = await given.profile(user);
    await attempt(
      role,
      sql`insert into revocations (certificate_id, revoked_at, reason)
          select id, now(), 4 from certificates where serial_number = ${serial}`,
    );
    const marked = sql`select revocation_reason as reason from certificates where serial_number = ${serial}`;
    expect(await database.owner.query(marked), role).toEqual([{ reason: 4 }]);
  }
});
