import type { Migration } from "./migration.ts";

export const activeGuestProfiles: Migration = {
  name: "20261121-1010-active-guest-profiles",
  up: `
create index certificates_active_of_guest_account on certificates (guest_account_id, not_after)
  where guest_account_id is not null and revoked_at is null;
comment on index certificates_active_of_guest_account is 'How many there are, and which ones outlive their account.';
`,
};
