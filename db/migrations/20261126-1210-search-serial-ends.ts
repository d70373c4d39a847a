import type { Migration } from "./migration.ts";

/** The ends of serial numbers, which people read out; of every profile, as revoked ones are asked about. */
export const searchSerialEnds: Migration = {
  name: "20261126-1210-search-serial-ends",
  transaction: false,
  up: `
create index concurrently if not exists certificates_serial_end on certificates (realm_id, reverse(serial_number) text_pattern_ops)
`,
};
