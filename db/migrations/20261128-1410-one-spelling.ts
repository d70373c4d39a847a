import type { Migration } from "./migration.ts";

/** One person has one id, in whatever spelling. Twins from before are numbered first, and stay as they are. */
export const oneSpelling: Migration = {
  name: "20261128-1410-one-spelling",
  transaction: false,
  before: `
update users u
   set twin = numbered.twin
  from (select s.id, row_number() over (partition by s.realm_id, folded_id(s.pairwise_id) order by s.id) - 1 as twin
          from users s
          join (select realm_id, folded_id(pairwise_id) as folded
                  from users
                 group by 1, 2
                having count(*) > 1) several on several.realm_id = s.realm_id and several.folded = folded_id(s.pairwise_id)) numbered
 where u.id = numbered.id
   and u.twin <> numbered.twin
`,
  up: `
create unique index concurrently if not exists users_folded_id on users (realm_id, folded_id(pairwise_id), twin)
`,
};
