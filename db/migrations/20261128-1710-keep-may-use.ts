import type { Migration } from "./migration.ts";

/**
 * The previous release's operator writes the claims that it knows with each change of a realm. Without this trigger its
 * next change would drop the rules and let everyone in. This release removes rules by an empty list.
 */
export const keepMayUse: Migration = {
  name: "20261128-1710-keep-may-use",
  up: `
create function keep_may_use() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  new.upstream_claims := jsonb_set(new.upstream_claims, '{mayUse}', old.upstream_claims -> 'mayUse');
  return new;
end
$body$;
comment on function keep_may_use() is 'Who may use a realm stays as it is when the release before writes the claims, which does not know it.';

create trigger realms_keep_may_use before update of upstream_claims on realms
  for each row when (old.upstream_claims ? 'mayUse' and not new.upstream_claims ? 'mayUse')
  execute function keep_may_use();
`,
};
