import type { Migration } from "./migration.ts";

/**
 * Roles belong to the cluster, not to the database, so another database's migration may have made them already, even at
 * this very moment. A login that may not make roles finds them made (`deploy/postgres/roles.sql`). The migrating login
 * becomes a member, so a process with its URL can take on the role.
 */
export const createRole = (role: string): string => `
do $body$
begin
  if not exists (select from pg_roles where rolname = '${role}') then
    begin
      create role ${role} nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if not pg_has_role(current_user, '${role}',
                     case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end) then
    execute format('grant ${role} to %I', current_user);
  end if;
end
$body$;`;

export const roles: Migration = {
  name: "20261121-0940-roles",
  up: `
${["realmpass_api", "realmpass_worker", "realmpass_operator", "realmpass_queue"].map(createRole).join("\n")}

grant usage on schema public to realmpass_api, realmpass_worker, realmpass_operator;

-- The API decides and records intent. It writes no certificate, reads no issuer key, and changes no audit entry.
grant select on realms, users, guest_accounts, issuers, certificates, revocations, issuances, workers, applications,
  application_secrets, audit_entries, local_credentials, sign_in_links, access_tokens, token_signing_keys,
  idempotency_keys, output_data_keys, issuance_outputs to realmpass_api;
grant update on realms to realmpass_api;
grant insert, update on users, guest_accounts, local_credentials to realmpass_api;
grant delete on local_credentials to realmpass_api;
grant insert, update, delete on applications, application_secrets, access_tokens, sign_in_links, idempotency_keys,
  token_signing_keys to realmpass_api;
grant insert on issuances, revocations, audit_entries, abandoned_serial_numbers to realmpass_api;
grant update (status, finished_at, error_code, claim_id, lease_expires_at) on issuances to realmpass_api;
grant update (collected_at, sealed) on issuance_outputs to realmpass_api;

-- The worker signs and writes what it signed. It sees no secret of a client and no token.
grant select on realms, users, guest_accounts, issuers, issuer_keys, certificates, revocations, issuances, workers,
  abandoned_serial_numbers, output_data_keys, issuance_outputs to realmpass_worker;
grant update on issuances, workers to realmpass_worker;
grant update (last_ocsp_at) on certificates to realmpass_worker;
grant insert on certificates, abandoned_serial_numbers, output_data_keys, issuance_outputs, revocations, audit_entries,
  workers to realmpass_worker;
grant update (sealed) on issuance_outputs to realmpass_worker;
grant update (wrapped) on output_data_keys to realmpass_worker;
grant delete on workers to realmpass_worker;
-- Upkeep: it removes what has run out, by time alone.
grant select (token_hash, expires_at), delete on access_tokens, sign_in_links to realmpass_worker;
grant select (scope, key, created_at), delete on idempotency_keys to realmpass_worker;
-- Settling locks the owner's row, so that nobody is locked out while their certificate becomes active.
grant update (locked_at) on users to realmpass_worker;
grant update (revoked_at) on guest_accounts to realmpass_worker;

-- The operator makes realms, issuers, people and applications.
grant select on all tables in schema public to realmpass_operator;
grant insert, update on realms, users, local_credentials, guest_accounts, issuers, applications to realmpass_operator;
grant insert, update, delete on issuer_keys, application_secrets, sign_in_links, access_tokens to realmpass_operator;
grant insert on audit_entries to realmpass_operator;
`,
};
