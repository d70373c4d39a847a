import type { Migration } from "./migration.ts";

/** Some OAuth clients need `expires_in` and `scope` in token answers, which the specification leaves out. */
export const fullTokenAnswers: Migration = {
  name: "20261129-0900-full-token-answers",
  up: `
alter table applications add column full_token_answers boolean not null default false;
comment on column applications.full_token_answers is 'Whether token answers contain expires_in and scope as well.';
`,
};
