import type { Migration } from "./migration.ts";

/**
 * The same subjects as an expression that Postgres inlines into the index in place of a call, which every entry would
 * pay for.
 */
export const auditSubjectsInline: Migration = {
  name: "20261127-1010-audit-subjects-inline",
  up: `
create function audit_serials(properties jsonb) returns text[]
language sql immutable parallel safe
as $body$
  select array(select 'profile:' || serial
                 from jsonb_array_elements_text(
                        case jsonb_typeof(properties -> 'serials') when 'array' then properties -> 'serials' end)
                   as serial)
$body$;
comment on function audit_serials(jsonb) is 'The profiles of an audit entry that is about several.';

-- Parsed now: analyzing a table looks for functions in the system's schema alone.
create or replace function audit_subjects(properties jsonb) returns text[]
language sql immutable parallel safe
return array_remove(
         array['user:' || (properties ->> 'userID'), 'user:' || (properties ->> 'user'),
               'profile:' || (properties ->> 'serial'),
               'guest:' || (properties ->> 'guestAccountID'), 'guest:' || (properties ->> 'guestAccount'),
               'application:' || (properties ->> 'clientID')],
         null)
       || case when properties ? 'serials' then audit_serials(properties) else '{}' end;
`,
};
