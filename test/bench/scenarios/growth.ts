import { sql, verbatim } from "../../../db/sql.ts";
import { figureOf } from "../figures.ts";
import { measure } from "../load/index.ts";
import { figure } from "../statistics.ts";
import { onboardingFile, runJob } from "./jobs.ts";
import { backendNames, type Run, type Scenario } from "./scenario.ts";

const people = 10_000;

/** The tables whose growth the document shows separately; `rest` contains all other tables. */
const groups: Readonly<Record<string, readonly string[]>> = {
  certificates: ["certificates", "active_profiles", "profile_spans", "revocations", "crl_pieces"],
  issuances: ["issuances", "issuance_outputs"],
  people: ["users", "user_profile_counts", "absences"],
  "audit log": ["audit_entries", "audit_seals"],
};

/** Tables whose rows the service erases some time after the end of a job. */
const passing = ["jobs", "job_rows"];

/** Measures how much of each operation remains in the database. */
export const growth: Scenario = {
  title: "Growth of the database",
  about: `Bytes in tables and indexes after \`vacuum full\`, for each of ${people.toLocaleString("en-GB")} people: added by an onboarding, then given a profile as PKCS#12, then offboarded, which revokes it. Queue, logs, and what is erased in time (outputs, rows of jobs) are not counted.`,
  columns: ["queue", "each", "bytes", ...Object.keys(groups), "rest", "audit entries"],
  keptOnly: { columns: [...Object.keys(groups), "rest", "audit entries"] },
  backends: ["redis"],
  env: () => ({}),

  async run(run) {
    const { service, quick } = run;
    const count = people / (quick ? 10 : 1);
    const file = onboardingFile(count, { profiles: false });
    const ids = file.csv
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(",")[0]);
    const steps: readonly (readonly [each: string, happens: () => Promise<unknown>])[] = [
      ["person added", () => runJob(service, file)],
      ["profile made", () => createProfileOfEach(run, count)],
      [
        "person with a profile offboarded",
        () => runJob(service, { kind: "offboarding", csv: ["pairwiseID", ...ids, ""].join("\n"), total: count }),
      ],
    ];
    const rows: string[][] = [];
    const figures = [];
    let before = await sizes(run);
    for (const [each, happens] of steps) {
      await happens();
      const after = await sizes(run);
      const grown = Object.fromEntries(
        Object.entries(after).map(([group, size]) => [group, (size - (before[group] ?? 0)) / count]),
      );
      const { entries = 0, ...bytes } = grown;
      const total = Object.values(bytes).reduce((sum, part) => sum + part, 0);
      rows.push([
        backendNames[service.backend],
        each,
        figure(total),
        ...Object.values(bytes).map(figure),
        figure(entries),
      ]);
      figures.push(figureOf(each, "bytes", [total], (size) => size));
      before = after;
    }
    return { rows, figures };
  },
};

async function createProfileOfEach({ service, cleanup }: Run, count: number): Promise<void> {
  const users = await service.db.query<{ id: string }>(
    sql`select id from users where pairwise_id like '%-%' order by id`,
  );
  const paths = users.map(({ id }) => `/api/user/${id}/profiles/laptop`);
  if (paths.length !== count) throw new Error(`there are ${paths.length} people, not ${count}`);
  const body = { format: "pkcs12", deviceType: "Windows" };
  await measure(service, { method: "POST", paths, body, contains: '"data":"MI', count, concurrency: 8 }, cleanup);
}

/** Returns the bytes of each group of tables, `rest` last, and the number of audit entries as `entries`. */
async function sizes({ service: { db } }: Run): Promise<Record<string, number>> {
  await db.query(sql`update issuance_outputs set sealed = null where sealed is not null`);
  await db.query(verbatim("vacuum (full)"));
  const tables = await db.query<{ name: string; bytes: number }>(sql`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes
      from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and not relname = any(${passing}::text[])
  `);
  const [counted] = await db.query<{ entries: number }>(sql`select count(*)::float8 as entries from audit_entries`);
  const sum = (belongs: (name: string) => boolean): number =>
    tables.filter(({ name }) => belongs(name)).reduce((total, { bytes }) => total + bytes, 0);
  const known = Object.values(groups).flat();
  return {
    ...Object.fromEntries(Object.entries(groups).map(([group, names]) => [group, sum((name) => names.includes(name))])),
    rest: sum((name) => !known.includes(name)),
    entries: counted?.entries ?? 0,
  };
}
