import type { Migration } from "./migration.ts";

export const consoleSessions: Migration = {
  name: "20261121-1140-console-sessions",
  up: `
create table console_sessions (
  id                  uuid primary key,
  token_hash          bytea not null unique check (octet_length(token_hash) = 32),
  realm_id            bigint not null references realms,
  user_id             bigint not null references users on delete cascade,
  session_id          uuid not null unique references sessions on delete cascade,
  login_id            uuid not null references logins on delete cascade,
  sealed_tokens       bytea not null,
  access_expires_at   timestamptz not null,
  created_at          timestamptz not null,
  expires_at          timestamptz not null,
  absolute_expires_at timestamptz not null,
  constraint console_sessions_end check (expires_at <= absolute_expires_at)
);
comment on table console_sessions is
  'Browsers in which the console is open. Each ends with its OAuth session and with the browser''s login, whatever ends those.';
comment on column console_sessions.token_hash is 'SHA-256 of the cookie''s value.';
comment on column console_sessions.sealed_tokens is 'Access and refresh token, sealed under the master key: the browser never has them.';
comment on column console_sessions.expires_at is 'Moves with use, up to absolute_expires_at.';
create index console_sessions_of_user on console_sessions (user_id);
create index console_sessions_of_login on console_sessions (login_id);
create index console_sessions_expiry on console_sessions (expires_at);

grant select, insert, update, delete on console_sessions to realmpass_api;
-- Upkeep ends the sessions of those that have run out.
grant select (session_id, expires_at) on console_sessions to realmpass_worker;
grant select (id, realm_id, user_id, session_id, created_at, expires_at) on console_sessions to realmpass_operator;
`,
};
