import type { Migration } from "./migration.ts";

/**
 * When a profile was first checked, and first refused. A trigger records both, so also the release before, which does
 * not read them.
 */
export const firstChecks: Migration = {
  name: "20261202-1100-first-checks",
  up: `
alter table certificates add column first_ocsp_at timestamptz, add column first_refused_at timestamptz;
comment on column certificates.first_ocsp_at is 'When its status was first sent. Null with last_ocsp_at set: before this was recorded.';
comment on column certificates.first_refused_at is 'When it was first sent as revoked. Null with last_ocsp_at after revoked_at: before this was recorded.';

create function note_first_checks() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if old.last_ocsp_at is null then
    new.first_ocsp_at := new.last_ocsp_at;
  end if;
  if new.last_ocsp_at >= new.revoked_at and (old.last_ocsp_at is null or old.last_ocsp_at < new.revoked_at) then
    new.first_refused_at := new.last_ocsp_at;
  end if;
  return new;
end
$body$;
-- Runs at most twice for a certificate.
create trigger certificates_note_first_checks before update of last_ocsp_at on certificates
  for each row
  when ((old.last_ocsp_at is null and new.last_ocsp_at is not null)
        or (old.last_ocsp_at < new.revoked_at and new.last_ocsp_at >= new.revoked_at))
  execute function note_first_checks();
`,
};
