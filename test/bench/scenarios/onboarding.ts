import { cpuBetween, cpuTotal } from "../cpu.ts";
import { figureOf, type Figure } from "../figures.ts";
import { addUsers, type Service } from "../service.ts";
import { figure, median, percentile, withRange } from "../statistics.ts";
import { onboardingFile, runJob } from "./jobs.ts";
import { checkCertificates, createSingles, singlesPauseMs } from "./profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const peopleAlone = 100_000;
const peopleWithProfiles = 20_000;
const rounds = 3;

/** Bulk onboarding from a CSV file, while somebody else creates single profiles. */
export const onboarding: Scenario = {
  title: "Bulk onboarding",
  about:
    `\`POST /api/jobs/onboarding\` with a CSV file of ${peopleAlone.toLocaleString("en-GB")} new people, and of ` +
    `${peopleWithProfiles.toLocaleString("en-GB")} new people with a P-256 profile as PKCS#12 each; from the 202 to the end of the job. ` +
    `Meanwhile somebody creates one profile after the other over HTTP, ${singlesPauseMs} ms apart. Medians of ${rounds} rounds with profiles, after a smaller one to warm up.`,
  columns: ["queue", "rows", "until 202, s", "seconds", "rows/s", "CPU µs each", "interactive p50 / p95 ms", "goal"],
  env: () => ({}),

  async run(run) {
    const { service, quick, once } = run;
    const scale = (count: number): number => count / (quick ? 10 : 1);
    const warmUp = await onboard(service, { people: scale(2_000), profiles: true });

    const alone = await onboard(service, { people: scale(peopleAlone), profiles: false });
    const withProfiles: Onboarded[] = [];
    for (let round = 0; round < (once ? 1 : rounds); round++) {
      withProfiles.push(await onboard(service, { people: scale(peopleWithProfiles), profiles: true }));
    }
    const waitedFor = [warmUp, alone, ...withProfiles].reduce((sum, { latencies }) => sum + latencies.length, 0);
    const expected = scale(2_000) + scale(peopleWithProfiles) * withProfiles.length;
    await checkCertificates(run, expected + waitedFor);

    const name = backendNames[service.backend];
    const row = (what: string, people: number, measured: readonly Onboarded[], goal: string): string[] => {
      const latencies = measured.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b);
      return [
        name,
        what,
        figure(median(measured.map(({ accepted }) => accepted))),
        withRange(measured.map(({ ended }) => ended)),
        withRange(measured.map(({ ended }) => people / ended)),
        figure(median(measured.map(({ cpuUs }) => cpuUs))),
        `${figure(percentile(latencies, 0.5))} / ${figure(percentile(latencies, 0.95))}`,
        goal,
      ];
    };
    return {
      rows: [
        row(`${scale(peopleAlone).toLocaleString("en-GB")} people`, scale(peopleAlone), [alone], "< 60 s"),
        row(
          `${scale(peopleWithProfiles).toLocaleString("en-GB")} people with profiles`,
          scale(peopleWithProfiles),
          withProfiles,
          "≥ 1,000/s, p95 < 250 ms",
        ),
      ],
      figures: [
        ...onboardingFigures("people", scale(peopleAlone), [alone]),
        ...onboardingFigures("people with profiles", scale(peopleWithProfiles), withProfiles),
      ],
      remark: `${name}: every row changed; ${expected} profiles of jobs and ${waitedFor} single ones, as many distinct active certificates.`,
    };
  },
};

interface Onboarded {
  accepted: number;
  ended: number;
  cpuUs: number;
  latencies: number[];
}

const onboardingFigures = (of: string, people: number, measured: readonly Onboarded[]): Figure[] => [
  figureOf(of, "CPU µs each", measured, ({ cpuUs }) => cpuUs),
  figureOf(of, "per second", measured, ({ ended }) => people / ended),
  figureOf(of, "s until 202", measured, ({ accepted }) => accepted),
  figureOf(of, "interactive p50 ms", measured, ({ latencies }) => median(latencies)),
];

async function onboard(
  service: Service,
  { people, profiles }: { people: number; profiles: boolean },
): Promise<Onboarded> {
  const interactive = createSingles(service, await addUsers(service, 200));
  const before = service.cpu();
  try {
    const measured = await runJob(service, onboardingFile(people, { profiles }));
    const cpuUs = cpuTotal(cpuBetween(before, service.cpu())) / people;
    return { ...measured, cpuUs, latencies: await interactive.stop() };
  } finally {
    await interactive.stop();
  }
}
