import type { Migration } from "./migration.ts";

/** Which versions may use the database. */
export const installation: Migration = {
  name: "20261125-1110-installation",
  up: `
create table installation (
  id boolean primary key default true check (id),
  minimum_migration text
);
insert into installation default values;
comment on table installation is 'One row about the database as a whole.';
comment on column installation.minimum_migration is 'A migration that takes away what older versions use sets its own name: code that does not know it does not start. Null: none has.';
`,
};
