import type { Migration } from "./migration.ts";

/** Why a creation failed, in a sentence for the requester. The release before neither writes nor reads it. */
export const errorDetails: Migration = {
  name: "20261129-1000-error-details",
  up: `
alter table issuances add column error_detail text;
comment on column issuances.error_detail is 'A sentence that names the fault of the request more closely than the code does, for the requester; null: the code is all.';
`,
};
