import type { Migration } from "./migration.ts";

/** The addresses of a realm's help and privacy pages; empty for none. */
export const helpAndPrivacy: Migration = {
  name: "20261121-1185-help-and-privacy",
  up: `
alter table realms
  add column help_uri text not null default '' check (char_length(help_uri) <= 2000),
  add column privacy_uri text not null default '' check (char_length(privacy_uri) <= 2000);
`,
};
