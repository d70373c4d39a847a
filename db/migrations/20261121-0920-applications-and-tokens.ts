import type { Migration } from "./migration.ts";

export const applicationsAndTokens: Migration = {
  name: "20261121-0920-applications-and-tokens",
  up: `
create table applications (
  client_id       text primary key check (client_id ~ '^[a-zA-Z0-9_-]{1,64}$'),
  realm_id        bigint not null references realms,
  type            text not null check (type in ('useragent', 'service')),
  active          boolean not null default true,
  name            text not null check (char_length(name) between 1 and 200),
  client_uri      text not null,
  redirect_uri    text,
  scopes          text[] not null,
  use_client_secret boolean not null,
  require_pkce    boolean not null default false,
  created_at      timestamptz not null,
  created_by      text not null,
  last_used_at    timestamptz,
  constraint applications_redirect_uri check ((type = 'useragent') = (redirect_uri is not null)),
  constraint applications_service_secret check (type = 'useragent' or use_client_secret),
  constraint applications_service_scopes check (type = 'useragent' or not scopes && array['openid', 'offline_access'])
);
comment on table applications is 'OAuth clients (RFC 6749 section 2).';
create index applications_newest on applications (realm_id, created_at desc, client_id);

create table application_secrets (
  secret_hash bytea primary key check (octet_length(secret_hash) = 32),
  client_id   text not null references applications on delete cascade,
  created_at  timestamptz not null,
  expires_at  timestamptz
);
comment on table application_secrets is 'SHA-256 of client secrets, which are 256 random bits. A replaced one may overlap until it expires.';
create index application_secrets_of_client on application_secrets (client_id);

create table access_tokens (
  token_hash       bytea primary key check (octet_length(token_hash) = 32),
  realm_id         bigint not null references realms,
  client_id        text references applications on delete cascade,
  user_id          bigint references users on delete cascade,
  guest_account_id bigint references guest_accounts on delete cascade,
  secret_hash      bytea references application_secrets on delete cascade,
  scopes           text[] not null,
  created_at       timestamptz not null,
  expires_at       timestamptz not null
);
comment on table access_tokens is 'SHA-256 of access tokens: deleting a row ends the token at once.';
comment on column access_tokens.secret_hash is 'The secret a service got the token with: a secret that goes takes its tokens along.';
create index access_tokens_expiry on access_tokens (expires_at);
create index access_tokens_of_user on access_tokens (user_id) where user_id is not null;
create index access_tokens_of_client on access_tokens (client_id);
create index access_tokens_of_guest_account on access_tokens (guest_account_id) where guest_account_id is not null;
create index access_tokens_of_secret on access_tokens (secret_hash) where secret_hash is not null;

create table token_signing_keys (
  kid         text primary key,
  algorithm   text not null check (algorithm in ('ES256', 'RS256')),
  public_jwk  jsonb not null,
  sealed_key  bytea not null,
  state       text not null check (state in ('next', 'current', 'retired')),
  created_at  timestamptz not null
);
comment on table token_signing_keys is 'Keys that sign tokens, never certificates. The private half is sealed under the service''s master key.';
comment on column token_signing_keys.kid is 'RFC 7638 thumbprint.';
create unique index token_signing_keys_one_current on token_signing_keys (algorithm) where state = 'current';

create table idempotency_keys (
  scope       text not null,
  key         text not null check (key ~ '^[!-~]{1,255}$'),
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  result      jsonb,
  created_at  timestamptz not null,
  primary key (scope, key)
);
comment on table idempotency_keys is 'What a request with an Idempotency-Key did, written in the transaction that did it. Ids only, no secrets.';
create index idempotency_keys_age on idempotency_keys (created_at);
`,
};
