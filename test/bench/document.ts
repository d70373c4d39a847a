import { parts } from "./cpu.ts";
import type { Result } from "./results.ts";
import { scenarios, type ScenarioName } from "./scenarios/index.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import type { Backend } from "./service.ts";
import { figure, median } from "./statistics.ts";
import { table } from "./table.ts";

const howToRun =
  "[CONTRIBUTING](../CONTRIBUTING.md#commands) has the commands. `--results DIRECTORY` also keeps more columns, " +
  "and each process's CPU time, memory and batch sizes. `--quick` runs scenarios briefly and only prints. " +
  "`--against COMMIT` measures this build and that commit in turn, and prints the median, lowest and highest ratio; " +
  "a range that includes 1 shows nothing. A commit with another wire or other tables cannot be compared.";

/** The CPU time of each part of the service; only the kept results have this column. */
const partsColumn = `${parts.join(" / ")} µs`;

/** The figures at the head of the document, as a scenario names them. */
const headlines: readonly { name: string; scenario: ScenarioName; backend: Backend; of: string; what: string }[] = [
  {
    name: "profiles made per second, 32 at once",
    scenario: "single",
    backend: "redis",
    of: "concurrency 32",
    what: "per second",
  },
  { name: "a profile alone, p50 ms", scenario: "single", backend: "redis", of: "concurrency 1", what: "p50 ms" },
  {
    name: "rows of an onboarding per second, without and",
    scenario: "onboarding",
    backend: "redis",
    of: "people",
    what: "per second",
  },
  {
    name: "… with a profile each",
    scenario: "onboarding",
    backend: "redis",
    of: "people with profiles",
    what: "per second",
  },
  {
    name: "10,000 people with three profiles locked out, s",
    scenario: "offboarding",
    backend: "redis",
    of: "0 revoked before",
    what: "s until locked out",
  },
  {
    name: "… and every profile revoked, s",
    scenario: "offboarding",
    backend: "redis",
    of: "0 revoked before",
    what: "s until revoked",
  },
  {
    name: "from the request that revokes to `revoked`, p50 ms",
    scenario: "revocation",
    backend: "redis",
    of: "a profile's request until `revoked`",
    what: "p50 ms",
  },
  {
    name: "OCSP answers per second of a responder",
    scenario: "ocsp",
    backend: "postgres",
    of: "responder: nonce",
    what: "per second",
  },
  {
    name: "reads of a user per second, 32 at once",
    scenario: "reads",
    backend: "redis",
    of: "concurrency 32",
    what: "per second",
  },
  { name: "first `npm start`, s", scenario: "start", backend: "postgres", of: "first start", what: "seconds" },
];

/** Returns a row for each headline that has a result. */
const headlineRows = (results: readonly Result[]): string[][] =>
  headlines.flatMap(({ name, scenario, backend, of, what }) => {
    const { outcome } = results.find((result) => result.scenario === scenario && result.backend === backend) ?? {};
    const found = outcome?.figures.find((each) => each.of === of && each.what === what);
    return found === undefined ? [] : [[name, figure(median(found.values))]];
  });

/** Writes the findings for docs/benchmarks.md. The results are in the document's order. */
export function writeDocument(results: readonly Result[]): string {
  const floorsUs = results.map(({ floorUs }) => floorUs);
  const names = [...new Set(results.map(({ scenario }) => scenario))];
  return `${[
    "# Benchmarks",
    "The compiled service, all its processes and the load generator on one machine of two cores, every answer checked:",
    table(["what", "median"], headlineRows(results)),
    "## How to read it",
    howToRun,
    table(["", ""], [...(results[0]?.machine ?? []), ["Commit", commitsOf(results)]]),
    "- **Figures** are medians of rounds after a warm-up, with the lowest and highest in parentheses.\n" +
      "- **The machine is shared.** Rates and latencies move by a quarter from run to run. A round in which other programs use " +
      "more than 10 % of the CPU is repeated up to three times, and the quietest counts. _Others' CPU_ is shown where it " +
      "stayed above (asterisk).\n" +
      "- **CPU µs** are steadier: user and system time of all processes of the service, with Postgres and Redis.\n" +
      "- **Floor** is the cost of the same profile in one process that keeps nothing: key, signature, PKCS#12. " +
      `It was ${figure(Math.min(...floorsUs))} to ${figure(Math.max(...floorsUs))} µs of CPU.\n` +
      "- **Goals** are for a quiet machine.",
    ...names.flatMap((name) =>
      writeSection(
        scenarios[name],
        results.filter(({ scenario }) => scenario === name),
      ),
    ),
  ].join("\n\n")}\n`;
}

const writeSection = (scenario: Scenario, all: readonly Result[]): string[] => {
  const { columns = [], backend: hidden } = scenario.keptOnly ?? {};
  const results = all.filter(({ backend }) => backend !== hidden);
  const rows = results.flatMap(({ outcome }) => outcome.rows);
  const goalOf = (row: readonly string[]): string | undefined => row[scenario.columns.indexOf("goal")];
  const goals = new Set(rows.map(goalOf));
  const common = goals.size === 1 ? [...goals].find((goal) => goal !== undefined && goal !== "") : undefined;
  const isShown = (_: string, index: number): boolean => {
    const column = scenario.columns[index] ?? "";
    switch (column) {
      case "goal":
        return common === undefined;
      case "queue":
        return results.length > 1;
      case "others' CPU":
        return rows.some((row) => row[index]?.endsWith("*"));
      default:
        return column !== partsColumn && !columns.includes(column);
    }
  };
  return [
    `## ${scenario.title}`,
    common === undefined ? scenario.about : `${scenario.about} Goal: ${common}.`,
    table(
      scenario.columns.filter(isShown),
      rows.map((row) => row.filter(isShown)),
    ),
    ...results.flatMap(({ outcome: { remark } }) => (remark === undefined ? [] : [remark])),
  ];
};

/** Returns the commit of the results, `1bb19f7`, or each commit with its scenarios. */
function commitsOf(results: readonly Result[]): string {
  const of = new Map<string, Set<ScenarioName>>();
  for (const { commit, scenario } of results) of.set(commit, (of.get(commit) ?? new Set()).add(scenario));
  const [only, ...more] = [...of.keys()];
  if (more.length === 0) return only ?? "";
  return [...of].map(([commit, names]) => `${[...names].join(", ")}: ${commit}`).join("; ");
}
