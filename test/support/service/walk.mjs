// Prints everything that its user can read: files below the named directories, the environment and the command line of
// every process, and each column of each table that the login in the environment is allowed to select. Prints one line
// per place: {"place", "text"}.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import pg from "pg";

const [database, ...roots] = process.argv.slice(2);

const print = (place, text) => process.stdout.write(`${JSON.stringify({ place, text })}\n`);

/** Returns undefined for what the user cannot read, which the walk leaves out. */
function attempt(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function walk(path) {
  for (const entry of attempt(() => readdirSync(path, { withFileTypes: true })) ?? []) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) walk(below);
    else if (entry.isFile()) printFile(below);
  }
}

function printFile(path) {
  const content = attempt(() => readFileSync(path, "latin1"));
  if (content !== undefined) print(path, content);
}

for (const root of roots) walk(root);
for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
  for (const name of ["environ", "cmdline"]) printFile(join("/proc", pid, name));
}

const { DATABASE_URL: url, DATABASE_PASSWORD_FILE: file } = process.env;
if (database === "database") {
  const address = Object.assign(new URL(url), { password: readFileSync(file, "utf8").trim() });
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  // Lists tables with the login, which has all rights of its role, so a right too many would show here.
  const { rows: tables } = await client.query(`
    select format('%I.%I', n.nspname, c.relname) as name,
           string_agg(format('%I', a.attname), ', ' order by a.attnum) as columns
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p', 'v', 'm', 'f')
       and n.nspname <> 'information_schema'
       and has_schema_privilege(n.oid, 'usage')
       and has_column_privilege(c.oid, a.attnum, 'select')
     group by 1
  `);
  for (const { name, columns } of tables) {
    const { rows } = await client.query(`select row(${columns})::text as row from ${name}`).catch(() => ({ rows: [] }));
    print(name, rows.map(({ row }) => row).join("\n"));
  }
  await client.end();
}
