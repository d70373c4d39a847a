import type { Migration } from "./migration.ts";

/** Tokens of directories that know no OAuth. The release before neither writes nor reads them. */
export const staticTokens: Migration = {
  name: "20261203-1600-static-tokens",
  up: `
create table static_tokens (
  id           uuid primary key,
  realm_id     bigint not null references realms,
  client_id    text not null references applications on delete cascade,
  token_hash   bytea not null unique,
  name         text check (char_length(name) between 1 and 100),
  networks     inet[] not null default '{}' check (cardinality(networks) <= 64),
  created_at   timestamptz not null,
  created_by   text not null,
  expires_at   timestamptz,
  last_used_at timestamptz
);
create index static_tokens_client on static_tokens (client_id);
comment on table static_tokens is 'Tokens with which an application calls SCIM without asking for an access token. Only their hashes are stored.';
comment on column static_tokens.networks is 'Where calls may come from. Empty: from everywhere.';
comment on column static_tokens.last_used_at is 'Written once a minute at most.';
`,
};
