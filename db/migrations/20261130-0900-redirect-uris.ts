import type { Migration } from "./migration.ts";

/**
 * An application may have several redirect URIs. The first stays where the release before reads and changes it, so both
 * releases always have the same.
 */
export const redirectUris: Migration = {
  name: "20261130-0900-redirect-uris",
  up: `
alter table applications
  add column more_redirect_uris text[] not null default '{}',
  add constraint applications_more_redirect_uris
    check (cardinality(more_redirect_uris) <= 9 and (type = 'useragent' or more_redirect_uris = '{}'));
comment on column applications.more_redirect_uris is 'Further redirect URIs, after redirect_uri.';
`,
};
