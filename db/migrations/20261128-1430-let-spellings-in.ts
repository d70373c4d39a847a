import type { Migration } from "./migration.ts";

/** A reactivation lets in whom its rows name in another spelling. */
export const letSpellingsIn: Migration = {
  name: "20261128-1430-let-spellings-in",
  up: `
create or replace function let_back_in(job uuid, from_position integer, to_position integer, user_ids bigint[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $body$
declare
  let_in integer;
begin
  with people as materialized (
    select r.user_id, r.pairwise_id, j.realm_id, j.undo_of
      from jobs j
      join job_rows r on r.job_id = j.id
     where j.id = job
       and j.kind = 'reactivation'
       and j.state = 'running'
       and r.position >= from_position
       and r.position < to_position
       and r.status = 'pending'
  ), entitled as materialized (
    select u.id
      from unnest(user_ids) as given (id)
      join users u on u.id = given.id
     where u.offboarded_at is not null
       and exists (select
                     from people p
                    where p.realm_id = u.realm_id
                      and (p.user_id = u.id
                           or (p.user_id is null
                               and folded_id(p.pairwise_id) = folded_id(u.pairwise_id)
                               and (p.pairwise_id = u.pairwise_id
                                    or not exists (select
                                                     from users t
                                                    where t.realm_id = u.realm_id
                                                      and folded_id(t.pairwise_id) = folded_id(u.pairwise_id)
                                                      and t.id <> u.id))))
                      and (p.undo_of is null or p.undo_of = u.offboarding_job_id))
  )
  update users u
     set offboarded_at = null, offboarding_job_id = null
    from entitled e
   where u.id = e.id;
  get diagnostics let_in = row_count;
  if let_in <> cardinality(user_ids) then
    raise exception 'a worker lets in whom a running reactivation names, and nobody else'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'users';
  end if;
end
$body$;
`,
};
