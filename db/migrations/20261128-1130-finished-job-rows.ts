import type { Migration } from "./migration.ts";

/** Only the owner can change the rows of a bulk job that has ended. */
export const finishedJobRows: Migration = {
  name: "20261128-1130-finished-job-rows",
  up: `
create function keep_finished_job_rows() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if exists (select
               from (select distinct job_id from before) b
              cross join lateral (select from jobs where id = b.job_id and finished_at is not null offset 0) j)
     and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'the rows of a job that has ended stay as they are'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return null;
end
$body$;
comment on function keep_finished_job_rows is 'Asks once for each statement: bulk jobs change 1,000 rows at a time.';

create trigger job_rows_stay_finished after update on job_rows referencing old table as before
  for each statement execute function keep_finished_job_rows();
`,
};
