import type { Migration } from "./migration.ts";

/** A consent holds for the redirect URIs that the page showed; one of the release before for the first alone. */
export const shownRedirectUris: Migration = {
  name: "20261130-0910-shown-redirect-uris",
  up: `
alter table consents add column shown_more_redirect_uris text[] not null default '{}';
comment on column consents.shown_more_redirect_uris is 'Further redirect URIs that the page showed, after shown_redirect_uri.';
`,
};
