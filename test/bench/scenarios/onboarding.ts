import { setTimeout as delay } from "node:timers/promises";
import { countEach, writeCounters } from "../counters.ts";
import { cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { untilQuiet } from "../load/index.ts";
import type { Service } from "../service.ts";
import { figure, median, percentile, withRange } from "../statistics.ts";
import { costCells, costColumns, costOfEach, onboardingFile, runJob, type Cost } from "./jobs.ts";
import { checkCertificates, singlesPauseMs, singlesWhile } from "./profiles/profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const peopleAlone = 100_000;
const peopleWithProfiles = 20_000;
const rounds = 3;
const idleSeconds = 20;

/** Measures bulk onboarding from a CSV file, while a client creates single profiles. */
export const onboarding: Scenario = {
  title: "Bulk onboarding",
  about: `\`POST /api/jobs/onboarding\` with a CSV file, from the 202 to the end of the job: people once, people with a P-256 profile each ${rounds} times. Meanwhile a client creates single profiles, ${singlesPauseMs} ms apart; the multiple is of their p95 in ${idleSeconds} s without a job.`,
  columns: [
    "queue",
    "rows",
    "until 202, s",
    "seconds",
    "rows/s",
    ...costColumns("row", { times: "floor" }),
    "interactive p50 / p95 / p99 ms",
    "× without a job",
    "goal",
  ],
  keptOnly: { columns: ["until 202, s", "seconds"] },
  env: () => ({}),

  async run(run) {
    const { service, quick, once, floorUs } = run;
    const scale = (count: number): number => count / (quick ? 10 : 1);
    let expected = 0;
    let waitedFor = 0;
    const onboardUntilQuiet = async (people: number, profiles: boolean): Promise<Onboarded> => {
      const attempts = await untilQuiet({ quick }, () => onboard(service, { people, profiles }));
      for (const { latencies } of attempts) {
        expected += profiles ? people : 0;
        waitedFor += latencies.length;
      }
      return attempts[0];
    };

    await onboardUntilQuiet(scale(2_000), true);
    const [idle = []] = await singlesWhile([service], () => delay((quick ? 5 : idleSeconds) * 1000));
    waitedFor += idle.length;
    const alone = await onboardUntilQuiet(scale(peopleAlone), false);
    const withProfiles: Onboarded[] = [];
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      withProfiles.push(await onboardUntilQuiet(scale(peopleWithProfiles), true));
    }
    const counters = await countEach(service.db, async () => {
      await runJob(service, onboardingFile(scale(peopleWithProfiles), { profiles: true }));
      return scale(peopleWithProfiles);
    });
    expected += scale(peopleWithProfiles);
    await checkCertificates(run, expected + waitedFor);

    const name = backendNames[service.backend];
    const row = (
      what: string,
      {
        people,
        measured,
        times,
        goal,
      }: { people: number; measured: readonly Onboarded[]; times: boolean; goal: string },
    ): string[] => {
      const latencies = latenciesOf(measured);
      return [
        name,
        what,
        figure(median(measured.map(({ accepted }) => accepted))),
        withRange(measured.map(({ ended }) => ended)),
        withRange(measured.map(({ ended }) => people / ended)),
        ...costCells(measured, times ? floorUs : null),
        [0.5, 0.95, 0.99].map((part) => figure(percentile(latencies, part))).join(" / "),
        figure(percentile(latencies, 0.95) / percentile(idle, 0.95)),
        goal,
      ];
    };
    return {
      rows: [
        row(`${scale(peopleAlone).toLocaleString("en-GB")} people`, {
          people: scale(peopleAlone),
          measured: [alone],
          times: false,
          goal: "≥ 10,000/s",
        }),
        row(`${scale(peopleWithProfiles).toLocaleString("en-GB")} people with profiles`, {
          people: scale(peopleWithProfiles),
          measured: withProfiles,
          times: true,
          goal: "≤ 4 × floor, ≥ 2,500/s, interactive ≤ 3 ×",
        }),
      ],
      figures: [
        ...onboardingFigures("people", scale(peopleAlone), [alone]),
        ...onboardingFigures("people with profiles", scale(peopleWithProfiles), withProfiles),
        figureOf("interactive without a job", "p95 ms", [idle], (latencies) => percentile(latencies, 0.95)),
        figureOf("people with profiles", "interactive p95 × without a job", withProfiles, (each) => {
          return percentile(latenciesOf([each]), 0.95) / percentile(idle, 0.95);
        }),
      ],
      details: `A row with a profile: ${writeCounters([counters])}.`,
    };
  },
};

interface Onboarded extends Cost {
  accepted: number;
  ended: number;
  latencies: number[];
}

const latenciesOf = (measured: readonly Onboarded[]): number[] =>
  measured.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);

const onboardingFigures = (of: string, people: number, measured: readonly Onboarded[]): Figure[] => [
  figureOf(of, "CPU µs each", measured, ({ cpu }) => cpuTotal(cpu)),
  figureOf(of, "per second", measured, ({ ended }) => people / ended),
  figureOf(of, "s until 202", measured, ({ accepted }) => accepted),
  figureOf(of, "interactive p50 ms", measured, ({ latencies }) => median(latencies)),
];

async function onboard(
  service: Service,
  { people, profiles }: { people: number; profiles: boolean },
): Promise<Onboarded> {
  const file = onboardingFile(people, { profiles });
  let measured = { accepted: Number.NaN, ended: Number.NaN };
  let latencies: number[] = [];
  const cost = await costOfEach(service, people, async () => {
    [latencies = []] = await singlesWhile([service], async () => {
      measured = await runJob(service, file);
    });
  });
  return { ...measured, ...cost, latencies };
}
