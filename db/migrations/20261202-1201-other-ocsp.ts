import type { Migration } from "./migration.ts";

/** Questions about devices that no RADIUS server of the realm asked. The release before knows nothing of the column. */
export const otherOcsp: Migration = {
  name: "20261202-1201-other-ocsp",
  up: `
alter table certificates add column last_other_ocsp_at timestamptz;
comment on column certificates.last_other_ocsp_at is 'When somebody else than the realm''s RADIUS servers last asked. Written at most once a minute.';
`,
};
