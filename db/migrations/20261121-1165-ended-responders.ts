import type { Migration } from "./migration.ts";

/** Certificates of OCSP responders are forgotten once they have ended, and never before. */
export const endedResponders: Migration = {
  name: "20261121-1165-ended-responders",
  up: `
create index ocsp_responders_ending on ocsp_responders (not_after);

create function keep_responders() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if tg_op = 'DELETE' then
    if old.not_after < clock_timestamp() then
      return old;
    end if;
  end if;
  raise exception 'a responder that has not ended is not forgotten' using errcode = 'insufficient_privilege';
end
$body$;
create trigger ocsp_responders_are_kept
  before delete on ocsp_responders
  for each row execute function keep_responders();
create trigger ocsp_responders_are_not_emptied
  before truncate on ocsp_responders
  for each statement execute function keep_responders();

grant delete on ocsp_responders to realmpass_worker;
`,
};
