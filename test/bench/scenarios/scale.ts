import { setTimeout as delay } from "node:timers/promises";
import { cpuTotal } from "../cpu.ts";
import { figureOf } from "../figures.ts";
import { measure, untilQuiet } from "../load/index.ts";
import { addUsers, until } from "../service.ts";
import { figure, median, withRange } from "../statistics.ts";
import { costOfEach, onboardingFile, runJob } from "./jobs.ts";
import { checkCertificates, countUnsettled, createProfiles, resolveUnfinished } from "./profiles/profiles.ts";
import { backendNames, type Run, type Scenario } from "./scenario.ts";

const workers = 8;
const concurrency = 32;
const singles = 3_000;
const jobRows = 10_000;
const rounds = 3;
const people = 2_000;
const goal = "≤ 1.25";

/** Measures the cost of a profile when many workers share the work, and the loss when a worker dies. */
export const scale: Scenario = {
  title: "Many workers",
  about: `One worker, then ${workers}, on the same two cores: ${singles.toLocaleString("en-GB")} single profiles at concurrency ${concurrency}, and an onboarding of ${jobRows.toLocaleString("en-GB")} people with a profile each, in ${rounds} rounds. Then both at once, while one worker is killed (SIGKILL) and another started.`,
  columns: ["queue", "what", "CPU µs each, 1 worker", `CPU µs each, ${workers} workers`, "ratio", "goal"],
  env: () => ({}),

  async run(run) {
    const { service } = run;
    const name = backendNames[service.backend];
    const one = await measureRounds(run);
    const started = [];
    for (let number = 1; number < workers; number++) started.push(await service.startWorker());
    const many = await measureRounds(run);

    const [victim] = started;
    const load = await measure(
      service,
      {
        method: "POST",
        paths: (await addUsers(service, people)).map((id) => `/api/user/${id}/profiles/laptop`),
        body: { format: "pkcs12", deviceType: "Windows" },
        count: Number.MAX_SAFE_INTEGER,
        concurrency,
      },
      run.cleanup,
      async () => {
        const job = runJob(service, onboardingFile(rowsOf(run), { profiles: true }));
        await delay(1_000);
        await victim?.kill();
        await delay(1_000);
        await service.startWorker();
        await job;
      },
    );
    await until("nothing is left to work off", 120, async () => (await countUnsettled(service)) === 0);
    const { issued, failed, open } = await resolveUnfinished(run, load);
    const [ok = 0, later = 0] = ["200", "202"].map((status) => load.statuses[status] ?? 0);
    const others = Object.entries(load.statuses).filter(([status]) => !["200", "202"].includes(status));
    const expected = one.made + many.made + ok + issued + rowsOf(run);
    await checkCertificates(run, expected);

    const row = (what: string, of: "singleUs" | "jobUs"): string[] => {
      const [before, after] = [median(one[of]), median(many[of])];
      return [name, what, withRange(one[of]), withRange(many[of]), figure(after / before), goal];
    };
    return {
      rows: [row(`a single profile, concurrency ${concurrency}`, "singleUs"), row("a row of a job", "jobUs")],
      figures: [
        figureOf("single, one worker", "CPU µs each", one.singleUs, (us) => us),
        figureOf(`single, ${workers} workers`, "CPU µs each", many.singleUs, (us) => us),
        figureOf("a row of a job, one worker", "CPU µs each", one.jobUs, (us) => us),
        figureOf(`a row of a job, ${workers} workers`, "CPU µs each", many.jobUs, (us) => us),
      ],
      remark:
        `${name}, beside the killed worker: ${ok} answers 200, ${later} 202 (${issued} issued, ${failed} failed, ${open} open), ` +
        `${others.map(([status, count]) => `${count} ${status}`).join(", ") || "nothing else"}; the longest took ${figure(load.max / 1000)} s. ` +
        `No profile lost or twice.`,
    };
  },
};

const rowsOf = ({ quick }: Run): number => jobRows / (quick ? 5 : 1);

/** Measures the CPU time for each profile, in each round, after one to warm up. */
async function measureRounds(run: Run): Promise<{ singleUs: number[]; jobUs: number[]; made: number }> {
  const { service, quick, once } = run;
  const found = { singleUs: [] as number[], jobUs: [] as number[], made: 0 };
  for (let round = -1; round < (once ? 1 : rounds); round++) {
    const { cpuUs, made } = await createProfiles(run, { count: singles / (quick ? 5 : 1), concurrency });
    const jobs = await untilQuiet(run, () =>
      costOfEach(service, rowsOf(run), () => runJob(service, onboardingFile(rowsOf(run), { profiles: true }))),
    );
    found.made += made + rowsOf(run) * jobs.length;
    if (round < 0) continue;
    found.singleUs.push(cpuUs);
    found.jobUs.push(cpuTotal(jobs[0].cpu));
  }
  return found;
}
