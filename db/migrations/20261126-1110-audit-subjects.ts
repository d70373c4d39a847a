import type { Migration } from "./migration.ts";

export const auditSubjects: Migration = {
  name: "20261126-1110-audit-subjects",
  up: `
create function audit_subjects(properties jsonb) returns text[]
language sql immutable parallel safe
as $body$
  select array_remove(
           array['user:' || (properties ->> 'userID'), 'user:' || (properties ->> 'user'),
                 'profile:' || (properties ->> 'serial'),
                 'guest:' || (properties ->> 'guestAccountID'), 'guest:' || (properties ->> 'guestAccount'),
                 'application:' || (properties ->> 'clientID')],
           null)
         || array(select 'profile:' || serial
                    from jsonb_array_elements_text(
                           case jsonb_typeof(properties -> 'serials') when 'array' then properties -> 'serials' end)
                      as serial)
$body$;
comment on function audit_subjects(jsonb) is 'Whom and what an audit entry is about, by its properties; jobs are left out, because their results tell it better.';
`,
};
