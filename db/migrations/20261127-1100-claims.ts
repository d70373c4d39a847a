import type { Migration } from "./migration.ts";

/**
 * A hand-over is claimed by a browser before its profile is made. The release before this one takes one in a single step,
 * without a claim.
 */
export const claims: Migration = {
  name: "20261127-1100-claims",
  up: `
alter table hand_overs
  add column claimed_at timestamptz,
  drop constraint hand_overs_picked_up,
  add constraint hand_overs_picked_up check (
    (picked_up_at is null) = (issuance_id is null)
    and (picker_hash is null) = (claimed_at is null and picked_up_at is null)
    and (picked_up_at is not null or (offered_at is null and downloaded_at is null))
  ) not valid;
alter table hand_overs validate constraint hand_overs_picked_up;
comment on table hand_overs is 'Permission for one device to have one profile made. Claimed once, by the browser that is first.';
comment on column hand_overs.claimed_at is 'When a browser claimed it. Null with picked_up_at set: taken by the release before claims.';
comment on column hand_overs.picked_up_at is 'When Download was tapped and the profile was asked for.';
comment on column hand_overs.picker_hash is 'SHA-256 of the cookie of the browser that claimed it: nobody else gets the file.';
comment on column hand_overs.offered_at is 'Written by the release before claims.';
comment on column hand_overs.downloaded_at is 'When the file was first fetched; it can be fetched for 30 minutes from then.';
`,
};
