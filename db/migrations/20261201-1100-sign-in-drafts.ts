import type { Migration } from "./migration.ts";

const upstream = (row: "old" | "new"): string =>
  ["kind", "set_by", "issuer", "client_id", "client_secret", "claims"]
    .map((column) => `${row}.upstream_${column}`)
    .join(", ");

/**
 * The first set-up of a realm's sign-in from the console: drafts, tests of them, and what the api may store in the end.
 * A trigger keeps the kind of the identity provider: the operator of the release before does not write it.
 */
export const signInDrafts: Migration = {
  name: "20261201-1100-sign-in-drafts",
  up: `
alter table realms
  add column upstream_kind text constraint realms_upstream_kind check (upstream_kind in ('oidc')),
  add column upstream_set_by text constraint realms_upstream_set_by check (upstream_set_by in ('operator', 'console'));
comment on column realms.upstream_kind is 'The protocol of the realm''s identity provider; null: it has none.';
comment on column realms.upstream_set_by is 'Who named the identity provider; the console names one on the Internet only.';

update realms
   set upstream_kind = 'oidc', upstream_set_by = 'operator'
 where upstream_issuer is not null or upstream_client_id is not null;

create function keep_upstream_kind() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if new.upstream_issuer is null and new.upstream_client_id is null then
    new.upstream_kind := null;
    new.upstream_set_by := null;
  else
    new.upstream_kind := coalesce(new.upstream_kind, 'oidc');
    if new.upstream_set_by is null
       or (new.upstream_issuer is distinct from old.upstream_issuer
           and new.upstream_set_by is not distinct from old.upstream_set_by) then
      new.upstream_set_by := 'operator';
    end if;
  end if;
  return new;
end
$body$;
comment on function keep_upstream_kind() is 'The release before writes neither the kind of the identity provider nor who named it.';

create trigger realms_keep_upstream_kind
  before update of upstream_kind, upstream_set_by, upstream_issuer, upstream_client_id
  on realms for each row execute function keep_upstream_kind();

create or replace function keep_trust() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage')
     and (((old.radius_ca is not null or old.set_up_at is not null) and new.radius_ca is distinct from old.radius_ca)
          or ((old.radius_cn is not null or old.set_up_at is not null) and new.radius_cn is distinct from old.radius_cn)
          or ((${upstream("new")}) is distinct from (${upstream("old")})
              and not (old.upstream_kind is null
                       and old.set_up_at is null
                       and new.upstream_kind is not null
                       and new.upstream_set_by is not distinct from 'console'
                       and new.upstream_issuer is not null
                       and new.upstream_client_id is not null))) then
    raise exception 'only the operator changes whom a realm trusts' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;
comment on function keep_trust() is 'Whom devices and sign-in trust is set once, before the set-up is finished, and the sign-in as a whole; after that the operator alone changes it.';

drop trigger realms_trust_is_set_once on realms;
create trigger realms_trust_is_set_once
  before update of radius_ca, radius_cn, upstream_kind, upstream_set_by, upstream_issuer, upstream_client_id,
                   upstream_client_secret, upstream_claims
  on realms for each row execute function keep_trust();

create table sign_in_drafts (
  realm_id      bigint primary key references realms,
  version       uuid not null,
  settings      jsonb not null constraint sign_in_drafts_settings check (jsonb_typeof(settings) = 'object'),
  sealed_secret bytea,
  found         jsonb not null,
  updated_by    bigint not null,
  expires_at    timestamptz not null,
  constraint sign_in_drafts_user_in_realm foreign key (realm_id, updated_by) references users (realm_id, id)
);
comment on table sign_in_drafts is 'Identity providers that are set up in the console and sign nobody in yet.';
comment on column sign_in_drafts.version is 'New with each change: a test counts for the version that it tested.';
comment on column sign_in_drafts.sealed_secret is 'Sealed for sign_in_drafts/<realm_id>/sealed_secret; null: a public client.';
comment on column sign_in_drafts.found is 'Read from the provider''s own documents when the draft was stored.';

create table sign_in_tests (
  id            uuid primary key,
  realm_id      bigint not null,
  user_id       bigint not null,
  draft_version uuid,
  passed        boolean,
  sealed_report bytea,
  expires_at    timestamptz not null,
  constraint sign_in_tests_user_in_realm foreign key (realm_id, user_id) references users (realm_id, id) on delete cascade,
  constraint sign_in_tests_ended check ((passed is null) = (sealed_report is null))
);
comment on table sign_in_tests is 'Sign-ins that sign nobody in: they show their maker what the identity provider sends.';
comment on column sign_in_tests.draft_version is 'The tested draft; null: the sign-in in use.';
comment on column sign_in_tests.passed is 'Null: it has not ended.';
comment on column sign_in_tests.sealed_report is 'Sealed for sign_in_tests/<id>/sealed_report.';
create index sign_in_tests_user on sign_in_tests (realm_id, user_id);

create function forget_sign_in_tests() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  delete from sign_in_tests where realm_id = new.realm_id and user_id = new.id;
  return null;
end
$body$;
create trigger users_forget_sign_in_tests after update of forgotten_at on users
  for each row when (new.forgotten_at is not null) execute function forget_sign_in_tests();
`,
};
