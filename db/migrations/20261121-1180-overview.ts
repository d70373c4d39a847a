import type { Migration } from "./migration.ts";

export const overview: Migration = {
  name: "20261121-1180-overview",
  up: `
-- What was revoked between two moments is counted without reading a row.
create index certificates_revoked_at on certificates (realm_id, revoked_at) where kind = 'user' and revoked_at is not null;
`,
};
