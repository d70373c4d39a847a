import { only, type Database, type Db } from "../../client.ts";
import { sql } from "../../sql.ts";

/** The triggers that protect the tables of the audit log, as the migrations create them. */

interface Trigger {
  name: string;
  /** The bits of `pg_trigger.tgtype`. */
  type: number;
  function: string;
  newTable: string | null;
}

const beforeUpdateDeleteTruncate = 0b111010;
const afterInsert = 0b000100;

const appendOnly = (table: string): Trigger => ({
  name: `${table}_append_only`,
  type: beforeUpdateDeleteTruncate,
  function: "refuse_change",
  newTable: null,
});

const triggers: Readonly<Record<string, readonly Trigger[]>> = {
  audit_entries: [
    appendOnly("audit_entries"),
    { name: "audit_entries_await_sealing", type: afterInsert, function: "await_sealing", newTable: "added" },
  ],
  audit_heads: [appendOnly("audit_heads")],
  audit_seals: [appendOnly("audit_seals")],
  audit_unsealed: [],
};

const tables = Object.keys(triggers);

const functions: Readonly<Record<string, { text: string; definer: boolean; settings: string | null }>> = {
  refuse_change: {
    text: `
begin
  raise exception 'audit entries are never changed or deleted' using errcode = 'insufficient_privilege';
end
`,
    definer: false,
    settings: null,
  },
  await_sealing: {
    text: `
begin
  insert into audit_unsealed (realm_id, entry_id) select realm_id, id from added;
  return null;
end
`,
    definer: true,
    settings: "search_path=public, pg_temp",
  },
};

/**
 * Returns a sentence for each guard of the audit log that differs from the migrations. Row security, a rule, another
 * trigger or a different table of the same name would change what a reader sees or a writer can do.
 */
export async function findChangedGuards(db: Db): Promise<string[]> {
  return [...(await changedTables(db)), ...(await changedTriggers(db)), ...(await changedFunctions(db))];
}

async function changedTables(db: Db): Promise<string[]> {
  const rows = await db.query<{ table: string; changes: string[] }>(sql`
    select n.name as table,
           array_remove(array[
             case when c.oid is null then 'is not there' end,
             case when c.relkind <> 'r' or c.relpersistence <> 'p' then 'is no ordinary table' end,
             case when c.relrowsecurity or c.relforcerowsecurity then 'has row security' end,
             case when exists (select from pg_policy where polrelid = c.oid) then 'has a policy' end,
             case when exists (select from pg_rewrite where ev_class = c.oid) then 'has a rule' end,
             case when exists (select from pg_inherits where inhrelid = c.oid) then 'has a parent table' end,
             case when exists (select from pg_inherits where inhparent = c.oid) then 'has a child table' end,
             case when exists (select
                                 from pg_class o
                                 join pg_namespace s on s.oid = o.relnamespace
                                where o.relname = n.name
                                  and (s.nspname = session_user or s.nspname like 'realmpass\_%'))
                  then 'is hidden by another in the schema of a role' end
           ], null) as changes
      from unnest(${tables}::text[]) as n (name)
      left join pg_class c on c.relname = n.name and c.relnamespace = 'public'::regnamespace
     order by n.name
  `);
  return rows.flatMap(({ table, changes }) => changes.map((change) => `The table ${table} ${change}.`));
}

async function changedTriggers(db: Db): Promise<string[]> {
  const found = await db.query<Trigger & { table: string; whole: boolean }>(sql`
    select c.relname as table, t.tgname as name, t.tgtype::integer as type, t.tgnewtable as "newTable",
           case when p.pronamespace = 'public'::regnamespace then p.proname end as function,
           t.tgenabled = 'O' and t.tgqual is null and t.tgoldtable is null and t.tgnargs = 0
           and t.tgattr = ''::int2vector and t.tgconstraint = 0 as whole
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal
       and c.relnamespace = 'public'::regnamespace
       and c.relname = any(${tables}::text[])
     order by c.relname, t.tgname
  `);
  const isAsMade = (table: string, made: Trigger): boolean =>
    found.some(
      (one) =>
        one.whole &&
        one.table === table &&
        (["name", "type", "function", "newTable"] as const).every((part) => one[part] === made[part]),
    );
  const changed = Object.entries(triggers).flatMap(([table, all]) =>
    all
      .filter((made) => !isAsMade(table, made))
      .map(({ name }) => `The trigger ${name} of ${table} is missing, switched off or another one.`),
  );
  const foreign = found
    .filter(({ table, name }) => !triggers[table]?.some((made) => made.name === name))
    .map(({ table, name }) => `The trigger ${name} of ${table} is not one of the service's.`);
  return [...changed, ...foreign];
}

async function changedFunctions(db: Db): Promise<string[]> {
  const found = await db.query<{ name: string; text: string; definer: boolean; settings: string | null }>(sql`
    select p.proname as name, p.prosrc as text, p.prosecdef as definer, array_to_string(p.proconfig, ';') as settings
      from pg_proc p
      join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'public'::regnamespace
       and p.proname = any(${Object.keys(functions)}::text[])
       and p.pronargs = 0
       and l.lanname = 'plpgsql'
  `);
  return Object.entries(functions)
    .filter(
      ([name, made]) =>
        !found.some(
          (one) =>
            one.name === name &&
            one.text === made.text &&
            one.definer === made.definer &&
            one.settings === made.settings,
        ),
    )
    .map(([name]) => `The function ${name} is not the one that the migrations made.`);
}

/** How many audit entries a role sees, and the highest of their ids. */
export interface SeenEntries {
  count: number;
  highest: string | null;
}

/**
 * Returns what this login and the api's role see of the audit log, in one snapshot; undefined if the login may not
 * assume the api's role.
 */
export async function compareWithApi(db: Database): Promise<{ own: SeenEntries; api: SeenEntries } | undefined> {
  const { may } = only(
    await db.query<{ may: boolean }>(sql`select pg_has_role(session_user, 'realmpass_api', 'member') as may`),
  );
  if (!may) return undefined;
  return db.transaction(async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`);
    const own = await seen(tx);
    await tx.query(sql`set local role realmpass_api`);
    return { own, api: await seen(tx) };
  });
}

const seen = async (db: Db): Promise<SeenEntries> =>
  only(await db.query<SeenEntries>(sql`select count(*)::float8 as count, max(id) as highest from audit_entries`));
