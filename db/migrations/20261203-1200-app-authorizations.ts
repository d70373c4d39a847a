import type { Migration } from "./migration.ts";

/**
 * Authorizations of the geteduroam apps. The release before neither writes nor reads them, and finds no page of their
 * hand-overs: nobody knows a token with the hash. The function that ends a person's sign-ins ends them, so workers of
 * that release do, too.
 */
export const appAuthorizations: Migration = {
  name: "20261203-1200-app-authorizations",
  up: `
alter table hand_overs
  add column app text check (char_length(app) between 1 and 100),
  add column device_hash bytea check (octet_length(device_hash) = 32);
comment on column hand_overs.app is 'The client_id of the app that fetches the file; null: self-service.';
comment on column hand_overs.device_hash is 'SHA-256 of the cookie by which the device is known again; null: none.';

create table app_authorizations (
  id               uuid primary key references hand_overs on delete cascade,
  realm_id         bigint not null,
  user_id          bigint not null,
  app              text not null check (char_length(app) between 1 and 100),
  redirect_uri     text not null check (char_length(redirect_uri) <= 100),
  code_hash        bytea not null unique check (octet_length(code_hash) = 32),
  code_challenge   text not null check (code_challenge ~ '^[A-Za-z0-9_-]{43}$'),
  code_expires_at  timestamptz not null,
  code_used_at     timestamptz,
  token_hash       bytea unique check (octet_length(token_hash) = 32),
  token_expires_at timestamptz,
  created_at       timestamptz not null,
  constraint app_authorizations_user_in_realm foreign key (realm_id, user_id) references users (realm_id, id) on delete cascade,
  constraint app_authorizations_used check ((code_used_at is null) = (token_hash is null)
                                            and (token_hash is null) = (token_expires_at is null))
);
comment on table app_authorizations is 'A person let an app fetch one file. Code and token are kept as SHA-256; both open this hand-over alone.';
comment on column app_authorizations.redirect_uri is 'As the app sent it: the token request repeats it byte for byte.';
comment on column app_authorizations.code_used_at is 'When the app got its token for the code; a second use ends the authorization.';
create index app_authorizations_of_user on app_authorizations (user_id, created_at);

create or replace function end_sign_ins(user_ids bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  delete from sessions where user_id = any(user_ids);
  delete from logins where user_id = any(user_ids);
  delete from access_tokens where user_id = any(user_ids);
  delete from sign_in_links where user_id = any(user_ids);
  delete from app_authorizations where user_id = any(user_ids);
end
$body$;
`,
};
