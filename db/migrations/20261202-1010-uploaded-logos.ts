import type { Migration } from "./migration.ts";

/** Logos that administrators upload. The release before shows the one at the address. */
export const uploadedLogos: Migration = {
  name: "20261202-1010-uploaded-logos",
  up: `
alter table realms
  add column uploaded_logo bytea check (octet_length(uploaded_logo) between 1 and 262144),
  add column uploaded_logo_type text check (uploaded_logo_type in ('image/png', 'image/svg+xml')),
  add column uploaded_logo_digest text generated always as (encode(sha256(uploaded_logo), 'hex')) stored,
  add constraint realms_uploaded_logo check ((uploaded_logo is null) = (uploaded_logo_type is null));
comment on column realms.uploaded_logo is 'A picture that pages show instead of the one at logo_uri.';
`,
};
