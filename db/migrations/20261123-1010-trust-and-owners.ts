import type { Migration } from "./migration.ts";

const refuse = (message: string): string =>
  `raise exception '${message}' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;`;

const isMember = (role: string): string => `pg_has_role(current_user, '${role}', 'usage')`;

/**
 * Rules beyond rights on columns. Triggers check roles by membership and not by name: a login that drops the role it
 * has taken on keeps the rights that it inherits, under its own name. And an issuance's owner belongs to its realm: new
 * foreign keys include the realm and replace the keys on the owner alone.
 */
export const trustAndOwners: Migration = {
  name: "20261123-1010-trust-and-owners",
  up: `
create function keep_offboarded() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not (${isMember("realmpass_api")} or ${isMember("realmpass_operator")}) then
    ${refuse("only the api and the operator take an offboarding back")}
  end if;
  return new;
end
$body$;

create trigger users_stay_offboarded before update of offboarded_at on users
  for each row when (old.offboarded_at is not null and new.offboarded_at is null)
  execute function keep_offboarded();

create function keep_guests_revoked() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    ${refuse("a guest account stays revoked")}
  end if;
  return new;
end
$body$;

create trigger guest_accounts_stay_revoked before update of revoked_at on guest_accounts
  for each row when (old.revoked_at is not null and new.revoked_at is null)
  execute function keep_guests_revoked();

create function keep_trust() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not ${isMember("realmpass_operator")}
     and ((old.radius_ca is not null and new.radius_ca is distinct from old.radius_ca)
          or (old.radius_cn is not null and new.radius_cn is distinct from old.radius_cn)
          or (old.upstream_issuer is not null and new.upstream_issuer is distinct from old.upstream_issuer)
          or (old.upstream_client_id is not null and new.upstream_client_id is distinct from old.upstream_client_id)
          or (old.upstream_client_secret is not null
              and new.upstream_client_secret is distinct from old.upstream_client_secret)
          or (old.upstream_claims <> '{}' and new.upstream_claims is distinct from old.upstream_claims)) then
    ${refuse("only the operator changes whom a realm trusts")}
  end if;
  return new;
end
$body$;
comment on function keep_trust() is 'Whom devices and sign-in trust is set once; after that the operator alone changes it.';

create trigger realms_trust_is_set_once
  before update of radius_ca, radius_cn, upstream_issuer, upstream_client_id, upstream_client_secret, upstream_claims
  on realms for each row execute function keep_trust();

alter table users add constraint users_in_realm unique (realm_id, id);
alter table guest_accounts add constraint guest_accounts_in_realm unique (realm_id, id);

alter table issuances
  add constraint issuances_user_in_realm foreign key (realm_id, user_id) references users (realm_id, id) not valid,
  add constraint issuances_guest_account_in_realm
    foreign key (realm_id, guest_account_id) references guest_accounts (realm_id, id) not valid;
alter table issuances validate constraint issuances_user_in_realm;
alter table issuances validate constraint issuances_guest_account_in_realm;
alter table issuances drop constraint issuances_user_id_fkey, drop constraint issuances_guest_account_id_fkey;
`,
};
