import type { Migration } from "./migration.ts";

/** Serial numbers of certificates that nothing else is known of, as after a restore. */
export const lostCertificates: Migration = {
  name: "20261125-1100-lost-certificates",
  up: `
alter table abandoned_serial_numbers alter column issuance_id drop not null;
comment on table abandoned_serial_numbers is 'Serial numbers of attempts that did not end in a certificate we know, and of certificates that were lost with the database. A signature may exist, so they go on the CRL.';
comment on column abandoned_serial_numbers.issuance_id is 'Null: the operator gave the serial number alone.';
`,
};
