import type { Migration } from "./migration.ts";

export const realmsAndUsers: Migration = {
  name: "20261121-0900-realms-and-users",
  up: `
create table realms (
  id               bigint generated always as identity primary key,
  name             text not null unique check (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  display_name     text not null check (char_length(display_name) between 1 and 200),
  domain           text not null check (domain = lower(domain) and char_length(domain) between 3 and 43),
  logo_uri         text not null default '' check (char_length(logo_uri) <= 2000),
  max_profiles     integer not null default 5 check (max_profiles between 0 and 100),
  max_valid_months integer not null default 12 check (max_valid_months between 1 and 24),
  radius_cn        text check (char_length(radius_cn) between 1 and 255),
  radius_ca        text,
  key_types        jsonb not null default '{}' check (jsonb_typeof(key_types) = 'object'),
  local_sign_in    boolean not null default false,
  upstream_issuer        text,
  upstream_client_id     text,
  upstream_client_secret bytea,
  upstream_claims        jsonb not null default '{}' check (jsonb_typeof(upstream_claims) = 'object'),
  created_at       timestamptz not null
);
comment on table realms is 'An organisation. Every other row belongs to exactly one.';
comment on column realms.domain is 'What follows the @ in identities; 43 characters, so that an identity fits a common name of 64.';
comment on column realms.max_valid_months is 'Longest validity of a user profile, in months.';
comment on column realms.radius_cn is 'The name the RADIUS server''s certificate shows; null: radius.<domain>.';
comment on column realms.radius_ca is 'PEM of the CA that issued the RADIUS server''s certificate; null: the realm''s issuing CA.';
comment on column realms.key_types is 'Device type to key type, where the realm departs from the default.';
comment on column realms.upstream_client_secret is 'Sealed under the service''s master key.';

create table users (
  id               bigint generated always as identity primary key,
  realm_id         bigint not null references realms,
  pairwise_id      text not null check (char_length(pairwise_id) between 1 and 255),
  email            text not null default '' check (char_length(email) <= 320),
  display_name     text check (char_length(display_name) <= 200),
  administrator    boolean not null default false,
  profile_override integer not null default 0 check (profile_override between 0 and 100),
  locked_at        timestamptz,
  offboarded_at    timestamptz,
  created_at       timestamptz not null,
  unique (realm_id, pairwise_id)
);
comment on table users is 'The people of a realm. Nobody is ever deleted: an offboarded person must not come back as a new one.';
comment on column users.pairwise_id is 'The pseudonymous identifier that the realm knows the person by.';
comment on column users.profile_override is 'The person''s own profile limit; 0: the realm''s.';
comment on column users.locked_at is 'Locked people keep their profiles and sign in, but get no new profile.';
comment on column users.offboarded_at is 'Offboarded people cannot sign in, and all their profiles are revoked.';
create index users_newest on users (realm_id, created_at desc, id desc);

create table local_credentials (
  user_id       bigint primary key references users on delete cascade,
  realm_id      bigint not null references realms,
  username      text not null check (char_length(username) between 1 and 255),
  password_hash text
);
comment on table local_credentials is 'Local sign-in, for trial and emergencies.';
comment on column local_credentials.password_hash is 'argon2id in PHC format; null: sign-in links only.';
create unique index local_credentials_username on local_credentials (realm_id, lower(username));

create table sign_in_links (
  token_hash  bytea primary key check (octet_length(token_hash) = 32),
  user_id     bigint not null references users on delete cascade,
  created_at  timestamptz not null,
  expires_at  timestamptz not null,
  consumed_at timestamptz
);
comment on table sign_in_links is 'One-time sign-in links. Only the SHA-256 of a link''s token is kept.';
create index sign_in_links_expiry on sign_in_links (expires_at);

create table guest_accounts (
  id            bigint generated always as identity primary key,
  realm_id      bigint not null references realms,
  name          text not null check (char_length(name) between 1 and 200),
  note          text check (char_length(note) <= 2000),
  profile_limit integer check (profile_limit between 0 and 100000),
  token_hash    bytea not null unique check (octet_length(token_hash) = 32),
  token_sealed  bytea not null,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  revoked_at    timestamptz
);
comment on table guest_accounts is 'Time-limited containers for guest profiles. Whoever holds the token may create profiles.';
comment on column guest_accounts.profile_limit is 'Null: unlimited.';
comment on column guest_accounts.token_sealed is 'The token under the master key, for administrators who read it again.';
create index guest_accounts_newest on guest_accounts (realm_id, created_at desc, id desc);
`,
};
