import type { Migration } from "./migration.ts";

/** A consent holds for what the page showed. Null: of a release before, until its first use. */
export const shownConsents: Migration = {
  name: "20261128-1010-shown-consents",
  up: `
alter table consents
  add column shown_scopes text[],
  add column shown_name text,
  add column shown_client_uri text,
  add column shown_redirect_uri text;
comment on column consents.scopes is 'As the release before reads them. What holds is shown_scopes.';
comment on column consents.shown_scopes is 'What the page listed when the person agreed. Null: of a release before, until its first use.';
comment on column consents.shown_name is 'The application as the page showed it; another name or address is asked for again.';
`,
};
