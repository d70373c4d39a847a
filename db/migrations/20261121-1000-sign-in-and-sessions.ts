import type { Migration } from "./migration.ts";

export const signInAndSessions: Migration = {
  name: "20261121-1000-sign-in-and-sessions",
  up: `
alter table applications add column first_party boolean not null default false;
comment on column applications.first_party is 'Ours, such as the console: nobody is asked for consent.';

create table logins (
  id            uuid primary key,
  token_hash    bytea not null unique check (octet_length(token_hash) = 32),
  realm_id      bigint not null references realms,
  user_id       bigint not null references users on delete cascade,
  method        text not null check (method in ('local', 'upstream', 'link')),
  signed_in_at  timestamptz not null,
  expires_at    timestamptz not null
);
comment on table logins is 'Browsers in which somebody is signed in. The cookie''s value is kept as its SHA-256 alone.';
create index logins_of_user on logins (user_id);
create index logins_expiry on logins (expires_at);

create table sessions (
  id            uuid primary key,
  realm_id      bigint not null references realms,
  user_id       bigint not null references users on delete cascade,
  client_id     text not null references applications on delete cascade,
  login_id      uuid references logins on delete set null,
  certificate_id bigint references certificates,
  scopes        text[] not null,
  signed_in_at  timestamptz not null,
  created_at    timestamptz not null,
  last_used_at  timestamptz not null,
  expires_at    timestamptz not null
);
comment on table sessions is 'One per authorization code that was issued: its id is the sid claim. Deleting one ends its code and its tokens.';
comment on column sessions.signed_in_at is 'When the person showed who they are: the auth_time claim.';
comment on column sessions.certificate_id is 'The profile that the person signed in with over mutual TLS.';
create index sessions_of_user on sessions (user_id, created_at desc);
create index sessions_of_client on sessions (client_id);
create index sessions_of_login on sessions (login_id) where login_id is not null;
create index sessions_expiry on sessions (expires_at);

create table authorization_codes (
  code_hash      bytea primary key check (octet_length(code_hash) = 32),
  session_id     uuid not null references sessions on delete cascade,
  redirect_uri   text not null,
  code_challenge text check (code_challenge ~ '^[A-Za-z0-9_-]{43}$'),
  nonce          text,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  consumed_at    timestamptz
);
comment on table authorization_codes is 'Kept as SHA-256, and after use until the session ends, so that a replay is noticed.';
comment on column authorization_codes.code_challenge is 'S256 (RFC 7636); null when the client sent none.';
create index authorization_codes_of_session on authorization_codes (session_id);

create table refresh_tokens (
  token_hash   bytea primary key check (octet_length(token_hash) = 32),
  session_id   uuid not null references sessions on delete cascade,
  created_at   timestamptz not null,
  expires_at   timestamptz not null
);
comment on table refresh_tokens is 'SHA-256 of refresh tokens: bound to client and session, and gone with it.';
create index refresh_tokens_of_session on refresh_tokens (session_id);

alter table access_tokens add column session_id uuid references sessions on delete cascade;
alter table access_tokens add column certificate_id bigint references certificates;
comment on column access_tokens.session_id is 'A user''s token belongs to a session; whatever ends that ends the token.';
comment on column access_tokens.certificate_id is 'The profile that the token was got with over mutual TLS: it ends with that.';
create index access_tokens_of_session on access_tokens (session_id) where session_id is not null;

create table consents (
  user_id    bigint not null references users on delete cascade,
  client_id  text not null references applications on delete cascade,
  scopes     text[] not null,
  granted_at timestamptz not null,
  primary key (user_id, client_id)
);
comment on table consents is 'What people allowed which application.';
create index consents_of_client on consents (client_id);

create table upstream_identities (
  realm_id   bigint not null references realms,
  issuer     text not null,
  subject    text not null check (char_length(subject) between 1 and 255),
  user_id    bigint not null references users on delete cascade,
  created_at timestamptz not null,
  primary key (realm_id, issuer, subject),
  constraint upstream_identities_one_per_user unique (user_id, issuer)
);
comment on table upstream_identities is 'Who people are at the realm''s identity provider. Never an e-mail address: those are given to someone else.';

create table upstream_attempts (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  realm_id   bigint not null references realms,
  sealed     bytea not null,
  expires_at timestamptz not null
);
comment on table upstream_attempts is 'Sign-ins that are at the identity provider now: state, nonce and PKCE verifier, sealed under the master key; used once.';
create index upstream_attempts_expiry on upstream_attempts (expires_at);

alter table token_signing_keys add column published_at timestamptz;
alter table token_signing_keys add column activated_at timestamptz;
alter table token_signing_keys add column retired_at timestamptz;
alter table token_signing_keys add column tokens_expire_at timestamptz;
update token_signing_keys set published_at = created_at, activated_at = created_at;
alter table token_signing_keys alter column published_at set not null;
alter table token_signing_keys alter column sealed_key drop not null;
alter table token_signing_keys add constraint token_signing_keys_private check (sealed_key is not null or state = 'retired');
comment on column token_signing_keys.sealed_key is 'The private half under the master key; null once retired.';
comment on column token_signing_keys.tokens_expire_at is 'The latest expiry of a token that lives longer than usual: guests'' tokens.';
create unique index token_signing_keys_one_next on token_signing_keys (algorithm) where state = 'next';

create table guesses (
  key    varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
comment on table guesses is 'Wrong passwords, secrets and tokens, counted by digests of who and where from, while there is no Redis. Times in ms.';

grant select, insert, update, delete on logins, sessions, authorization_codes, refresh_tokens, consents, upstream_attempts,
  guesses to realmpass_api;
grant select, insert on upstream_identities to realmpass_api;

-- Upkeep removes what has run out; bulk offboarding ends sessions.
grant select (id, user_id, expires_at), delete on logins to realmpass_worker;
grant select (id, user_id, client_id, last_used_at, expires_at), delete on sessions to realmpass_worker;
grant select (token_hash, expires_at), delete on upstream_attempts to realmpass_worker;
grant select (key, expire), delete on guesses to realmpass_worker;

grant select on logins, sessions, authorization_codes, refresh_tokens, consents, upstream_identities, upstream_attempts
  to realmpass_operator;
`,
};
