import type { Migration } from "./migration.ts";

/**
 * Only the owner can change a bulk job that has ended: restarted, a reactivation would let its people in again. A job
 * is removed while it is received, and 90 days after its end: the day less is for clocks.
 */
export const finishedJobs: Migration = {
  name: "20261128-1120-finished-jobs",
  up: `
create function keep_finished_job() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
declare
  -- What changes after the end: outputs are erased, and a worker that is late says that it was there.
  changing constant text[] := '{output_erased_at,progress_at,attended_at}';
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if tg_op = 'UPDATE' then
    if old.finished_at is null then
      raise exception 'the end of a job is not dated back'
        using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
    end if;
    if to_jsonb(new) - changing = to_jsonb(old) - changing
       and (old.output_erased_at is null or new.output_erased_at is not distinct from old.output_erased_at) then
      return new;
    end if;
  end if;
  raise exception 'a job that has ended stays as it is'
    using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
end
$body$;

-- Whoever ends a job may finish what it says in the same transaction.
create trigger jobs_stay_finished before update on jobs
  for each row when ((old.finished_at is not null and old.xmin <> pg_current_xact_id()::xid)
                     or (old.finished_at is null and new.finished_at < now() - interval '10 minutes'))
  execute function keep_finished_job();

create trigger jobs_are_kept before delete on jobs
  for each row when (old.state <> 'receiving'
                     and (old.finished_at is null or old.finished_at > now() - interval '89 days'))
  execute function keep_finished_job();
`,
};
