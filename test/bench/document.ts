import { parts } from "./cpu.ts";
import type { Result } from "./results.ts";
import { scenarios, type ScenarioName } from "./scenarios/index.ts";
import { backendNames, type Scenario } from "./scenarios/scenario.ts";
import type { Backend } from "./service.ts";
import { figure, median } from "./statistics.ts";
import { table } from "./table.ts";

const howToCompare =
  "Two runs do not show whether a change makes a difference. `npm run bench -- --against COMMIT single` builds that " +
  "commit in a temporary worktree, measures the two builds in turn, each time with a freshly started service, and prints for each " +
  "figure both values and the ratio of this build to the other: the median of the pairs, with the lowest and the highest. A ratio " +
  "whose range includes 1 shows nothing. The load generator, and the SQL that prepares and checks a scenario, are those of this " +
  "build: a commit with another wire or other tables in a scenario cannot be compared.";

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
    "The compiled service, all of its processes on one machine of two cores together with the load generator, with every answer checked:",
    table(["what", "median"], headlineRows(results)),
    "## How to read it",
    "`npm run bench` writes this page, in about 75 minutes. `npm run bench -- --quick single` is a short run of one scenario " +
      "that only prints. With `--results DIRECTORY` each scenario's result is kept there as soon as " +
      "it is known, and `npm run bench -- --results DIRECTORY --document` writes this document from them, also from several runs.",
    howToCompare,
    table(["", ""], [...(results[0]?.machine ?? []), ["Commit", commitsOf(results)]]),
    "- **The machine is shared.** Rates and latencies move by a quarter from run to run, and more while something else " +
      "is running; _others' CPU_ is the part of the machine's work that was neither the service's nor the load " +
      "generator's. A round in which it was more than 10 % is repeated, at most three times, and the quietest counts; if that was still " +
      "more, the cell is marked with an asterisk. The load generator takes its part of the cores, too: on a machine of its own the rates are higher.",
    "- **CPU µs** are more steady than rates. They are the user and system time of every process of the service: start, " +
      "api, worker, responder, all of Postgres, Redis. The load generator's are left out.",
    `- **Floor** is what the same profile costs in one process that keeps nothing and talks to nobody: key, signature, PKCS#12. ` +
      `It was ${figure(Math.min(...floorsUs))} to ${figure(Math.max(...floorsUs))} µs of CPU, measured again before each scenario.`,
    "- **Goals** are set for a quiet machine of two cores.",
    ...names.flatMap((name) =>
      writeSection(
        scenarios[name],
        results.filter(({ scenario }) => scenario === name),
      ),
    ),
    "## Processes",
    "Of the service of each scenario, at its end: resident memory without what processes share, and how many single operations its batches had in the mean. " +
      "The kept results also have the delay of the event loops, and the memory at the start.",
    table(
      ["scenario", "queue", `MB: ${parts.join(" / ")}`, "batch sizes"],
      results.map(({ scenario, backend, processes }) => [scenario, backendNames[backend], ...processes.slice(-2)]),
    ),
  ].join("\n\n")}\n`;
}

const writeSection = (scenario: Scenario, results: readonly Result[]): string[] => [
  `## ${scenario.title}`,
  scenario.about,
  table(
    scenario.columns,
    results.flatMap(({ outcome }) => outcome.rows),
  ),
  ...results.flatMap(({ outcome: { remark } }) => (remark === undefined ? [] : [remark])),
  ...(scenario.note === undefined ? [] : [scenario.note]),
];

/** Returns `1bb19f7`, or which scenarios were measured with which commit. */
function commitsOf(results: readonly Result[]): string {
  const of = new Map<string, Set<ScenarioName>>();
  for (const { commit, scenario } of results) of.set(commit, (of.get(commit) ?? new Set()).add(scenario));
  const [only, ...more] = [...of.keys()];
  if (more.length === 0) return only ?? "";
  return [...of].map(([commit, names]) => `${[...names].join(", ")}: ${commit}`).join("; ");
}
