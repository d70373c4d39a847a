import type { Migration } from "./migration.ts";

/** Check values of an installation's secrets, which reveal nothing: a process with another secret does not serve. */
export const installationSecrets: Migration = {
  name: "20261123-1500-installation-secrets",
  up: `
create table installation_secrets (
  kind text not null check (kind in ('master', 'output', 'audit')),
  check_value bytea not null check (octet_length(check_value) in (8, 32)),
  public_jwk jsonb,
  added_at timestamptz not null,
  primary key (kind, check_value),
  constraint installation_secrets_public check ((kind = 'output') = (public_jwk is not null))
);
comment on table installation_secrets is 'Check values of the secrets that all processes have alike. A process matches when one of its values is here.';
comment on column installation_secrets.check_value is 'Of the master key 8 octets of HKDF-SHA-256, of keys the RFC 7638 thumbprint.';
comment on column installation_secrets.public_jwk is 'The public half of an output key, for workers that have no file of it.';

create function first_of_its_kind() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if pg_has_role(current_user, 'realmpass_operator', 'usage') then
    return new;
  end if;
  -- One at a time: of two processes that add the first at once, the second sees what the first has added.
  perform pg_advisory_xact_lock(7246712);
  if exists (select from installation_secrets where kind = new.kind and check_value <> new.check_value) then
    raise exception 'only the operator adds another secret of a kind' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$body$;
create trigger installation_secrets_first
  before insert on installation_secrets
  for each row execute function first_of_its_kind();

alter table guest_accounts alter column token_sealed drop not null;
comment on column guest_accounts.token_sealed is 'The token under the master key, for administrators who read it again; null once the master key it was sealed under was lost.';
`,
};
