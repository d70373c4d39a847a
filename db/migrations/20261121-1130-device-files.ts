import type { Migration } from "./migration.ts";

export const deviceFiles: Migration = {
  name: "20261121-1130-device-files",
  up: `
alter table issuances drop constraint issuances_format_check;
alter table issuances add constraint issuances_format_check
  check (format in ('pkcs12', 'pfx', 'pem', 'crt', 'mobileconfig', 'eap-config'));

alter table realms add column ssids text[] not null default '{eduroam}';
alter table realms add constraint realms_ssids check (
  cardinality(ssids) between 1 and 16
  and array_ndims(ssids) = 1
  and array_position(ssids, null) is null
  and array_position(ssids, '') is null
);
comment on column realms.ssids is 'The Wi-Fi networks that files for devices set up, by name, 1 to 32 octets each.';
`,
};
