import { setTimeout as delay } from "node:timers/promises";
import { figureOf, type Figure } from "../figures.ts";
import { addRealm } from "../service.ts";
import { figure, median, percentile } from "../statistics.ts";
import { onboardingFile, runJob, sendJob } from "./jobs.ts";
import { checkCertificates, singlesPauseMs, singlesWhile } from "./profiles/profiles.ts";
import { backendNames, type Scenario } from "./scenario.ts";

const large = 200_000;
const small = 1_000;
const rounds = 3;
const idleSeconds = 20;
const goal = "≤ 3";

/** Measures the effect of one realm's bulk job on another realm, and on the job's own realm. */
export const fairness: Scenario = {
  title: "Fairness",
  about: `One realm runs an onboarding of ${large.toLocaleString("en-GB")} people with a profile each. In it and in another realm a client creates single profiles, ${singlesPauseMs} ms apart: ${idleSeconds} s without the job, then during it. The other realm also runs a job of ${small.toLocaleString("en-GB")}, alone and beside the large one, ${rounds} times each.`,
  columns: ["queue", "what", "alone", "beside the job", "ratio", "goal"],
  env: () => ({}),

  async run(run) {
    const { service, quick, once } = run;
    const rows = large / (quick ? 10 : 1);
    const busy = service;
    const other = await addRealm(service, "second");
    // The first run prepares statements and opens keys.
    for (const realm of [busy, other]) await runJob(realm, onboardingFile(small, { profiles: true }));

    const idle = await singlesWhile([busy, other], () => delay((quick ? 5 : idleSeconds) * 1000));
    const alone: number[] = [];
    const beside: number[] = [];
    const smallJob = async (): Promise<number> =>
      (await runJob(other, onboardingFile(small, { profiles: true }))).ended;
    for (let round = 0; round < (once ? 1 : rounds); round++) alone.push(await smallJob());

    const { ended } = await sendJob(busy, onboardingFile(rows, { profiles: true }));
    let largeSeconds = Number.NaN;
    const during = await singlesWhile([busy, other], async () => {
      for (let round = 0; round < (once ? 1 : rounds); round++) beside.push(await smallJob());
      largeSeconds = (await ended).ended;
    });

    const singles = [...idle, ...during].reduce((sum, latencies) => sum + latencies.length, 0);
    const expected = 2 * small + small * (alone.length + beside.length) + rows + singles;
    await checkCertificates(run, expected);

    const name = backendNames[service.backend];
    const found: string[][] = [];
    const figures: Figure[] = [];
    const add = (what: string, before: number, after: number, isGoal: boolean): void => {
      found.push([name, what, figure(before), figure(after), figure(after / before), isGoal ? goal : ""]);
      figures.push(
        figureOf(what, "alone", [before], (value) => value),
        figureOf(what, "beside the job", [after], (value) => value),
      );
    };
    for (const [index, realm] of ["the realm of the job", "the other realm"].entries()) {
      const [before = [], after = []] = [idle[index], during[index]];
      add(`a single profile of ${realm}, p50 ms`, percentile(before, 0.5), percentile(after, 0.5), false);
      add(`a single profile of ${realm}, p95 ms`, percentile(before, 0.95), percentile(after, 0.95), true);
    }
    add(`a job of ${small.toLocaleString("en-GB")} of the other realm, s`, median(alone), median(beside), true);
    return {
      rows: found,
      figures,
      remark:
        `${name}: the job of ${rows.toLocaleString("en-GB")} took ${figure(largeSeconds)} s (${figure(rows / largeSeconds)}/s); ` +
        `at most ${figure(service.peakMemory("api") / 1e6)} MB in the api, ${figure(service.peakMemory("worker") / 1e6)} MB in the worker (\`VmHWM\`).`,
    };
  },
};
