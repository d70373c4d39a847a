import type { Migration } from "./migration.ts";

/** A sign-in at the identity provider is sealed in its browser's cookie; a row records that it came back. */
export const upstreamAttempts: Migration = {
  name: "20261123-1300-upstream-attempts",
  up: `
alter table upstream_attempts alter column sealed drop not null;
comment on table upstream_attempts is 'Sign-ins whose answer from the identity provider was verified, so that each counts once.';
comment on column upstream_attempts.token_hash is 'SHA-256 of the state.';
comment on column upstream_attempts.sealed is 'Of earlier versions: what the browser has in its cookie now.';
`,
};
