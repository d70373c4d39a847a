import { figure } from "./statistics.ts";
import type { Outcome, Scenario } from "./scenarios/scenario.ts";

export interface Findings {
  machine: [string, string][];
  floorsUs: number[];
  sections: { scenario: Scenario; outcomes: Outcome[] }[];
}

const howToCompare =
  "Whether a change makes a difference is not seen by comparing two runs. `npm run bench -- --against COMMIT single` builds that " +
  "commit in a temporary worktree, measures the two builds in turn, each time with a freshly started service, and prints for each " +
  "figure both values and the ratio of this build to the other: the median of the pairs, with the lowest and the highest. A ratio " +
  "whose range includes 1 shows nothing. The load generator, and the SQL that prepares and checks a scenario, are those of this " +
  "build: a commit with another wire or other tables in a scenario cannot be compared by it.";

/** What was found, for docs/benchmarks.md. */
export function writeDocument({ machine, floorsUs, sections }: Findings): string {
  const lowest = Math.min(...floorsUs);
  const highest = Math.max(...floorsUs);
  return `${[
    "# Benchmarks",
    "Written by `npm run bench`, which drives the compiled service, all of its processes on one machine together with " +
      "the load generator, and checks every answer. `npm run bench -- --quick single` is a short run of one scenario " +
      "that only prints. A full run takes about half an hour: RSA keys and a large realm take their time.",
    howToCompare,
    table(["", ""], machine),
    "## How to read it",
    "- **The machine is shared.** Rates and latencies move by a quarter from run to run, and more while something else " +
      "is running; _others' CPU_ is the part of the machine's work that was neither the service's nor the load " +
      "generator's. The load generator takes its part of the cores, too: on a machine of its own the rates are higher.",
    "- **CPU µs** are more steady than rates. They are the user and system time of every process of the service: start, " +
      "api, worker, all of Postgres, Redis. The load generator's are left out.",
    `- **Floor** is what the same profile costs in one process that keeps nothing and talks to nobody: key, signature, PKCS#12. ` +
      `It was ${figure(lowest)} to ${figure(highest)} µs of CPU in this run, measured again before each scenario.`,
    "- **Goals** are set for a quiet machine of two cores.",
    ...sections.flatMap(({ scenario, outcomes }) => [
      `## ${scenario.title}`,
      scenario.about,
      table(
        scenario.columns,
        outcomes.flatMap(({ rows }) => rows),
      ),
      ...outcomes.flatMap(({ remark }) => (remark === undefined ? [] : [remark])),
    ]),
  ].join("\n\n")}\n`;
}

/** A table in Markdown, padded as Prettier would. */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, index) =>
    Math.max(3, ...[column, ...rows.map((row) => row[index] ?? "")].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, index) => (cells[index] ?? "").padEnd(width)).join(" | ")} |`;
  return [line(columns), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n");
}
