/**
 * One of the processes of `npm run test:seeded`, in a copy of the working tree: tries the faults that one test file
 * catches, then the faults of the next file. Vitest stays loaded, so each run only transforms what has changed.
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createVitest } from "vitest/node";
import { titlePattern, withFault, type Fault } from "./fault-list.ts";

/** The verdict on a fault: only `red` is a success. */
export type Verdict = "red" | "GREEN" | "NOT RUN" | "NOT GREEN WITHOUT THE FAULT";

/** A tried fault with its verdict. */
export interface Tried {
  number: number;
  verdict: Verdict;
  /** The first line of the test's error: it shows whether the test fails for the right reason. */
  error: string;
}

/** A lane's message: the verdict on a fault, or that the lane is idle. */
export type LaneMessage = Tried | "idle";

/** The combined result of all tests with the same title. */
interface Outcome {
  state: "passed" | "failed" | "not run";
  error: string;
}

const vitest = await createVitest("test", {
  watch: false,
  // Each run gets a new process, so the previous fault leaves no trace.
  isolate: true,
  maxWorkers: 1,
  retry: 0,
  reporters: [{}],
  project: ["integration", "process"],
});

const send = (message: LaneMessage): void => void process.send?.(message);

/** Tries faults that the same test file catches. */
async function tryFaults(faults: readonly Fault[]): Promise<void> {
  const healthy = await run(faults);
  for (const fault of faults) {
    const { state, error } = healthy(fault);
    if (state === "passed") send(await tryFault(fault, faults));
    else send({ number: fault.number, verdict: "NOT GREEN WITHOUT THE FAULT", error });
  }
}

const verdicts = { failed: "red", passed: "GREEN", "not run": "NOT RUN" } as const satisfies Record<string, Verdict>;

async function tryFault(fault: Fault, faults: readonly Fault[]): Promise<Tried> {
  const path = resolve(fault.file);
  const original = await readFile(path, "utf8");
  const change = async (text: string): Promise<void> => {
    await writeFile(path, text);
    vitest.invalidateFile(path);
  };
  await change(withFault(original, fault));
  // Runs the same tests as without the fault, because a test may need data that another test has made.
  const { state, error } = (await run(faults))(fault);
  await change(original);
  return { number: fault.number, verdict: verdicts[state], error };
}

/** Runs the tests that these faults name, all in one file. */
async function run(faults: readonly Fault[]): Promise<(fault: Fault) => Outcome> {
  const path = resolve(faults[0]?.testFile ?? "");
  const specifications = (await vitest.globTestSpecifications([path])).filter(({ moduleId }) => moduleId === path);
  vitest.setGlobalTestNamePattern(new RegExp(faults.map(({ title }) => `${titlePattern(title)}$`).join("|")));
  const { testModules } = await vitest.runTestSpecifications(specifications);
  const tests = testModules.flatMap((module) => (module.moduleId === path ? [...module.children.allTests()] : []));
  return ({ title }) => {
    const pattern = new RegExp(`^${titlePattern(title)}$`);
    const results = tests.filter(({ name }) => pattern.test(name)).map((test) => test.result());
    const failed = results.find(({ state }) => state === "failed");
    if (failed !== undefined) return { state: "failed", error: failed.errors?.[0]?.message.split("\n")[0] ?? "" };
    return { state: results.some(({ state }) => state === "passed") ? "passed" : "not run", error: "" };
  };
}

process.on("message", (faults: Fault[]) => {
  void tryFaults(faults).then(() => {
    send("idle");
  });
});
// The parent has ended, or has no more work for this process.
process.once("disconnect", () => void vitest.close().finally(() => process.exit()));
send("idle");
