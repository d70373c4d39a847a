import { onTestFinished, TestRunner } from "vitest";

/**
 * Where what a test has started is stopped again. Vitest takes no notice of an `afterAll` inside a hook or a test, and
 * test files share their processes: what one leaves behind slows down all that come after it.
 */
type Step = () => unknown;

/** How long one step may take, in milliseconds. */
const stepMsMax = 30_000;

let steps: Step[] = [];
/** Those that wait for the end of a test. */
const ofTests = new Set<Step>();

/** Runs `step` when the test ends that is running, or the file when none is: last come, first served. */
export function atEnd(step: Step): void {
  if (TestRunner.getCurrentTest() === undefined) {
    atEndOfFile(step);
    return;
  }
  ofTests.add(step);
  onTestFinished(async () => {
    ofTests.delete(step);
    await step();
  }, stepMsMax);
}

/** Runs `step` when the file ends, after its own `afterAll`: last come, first served. */
export function atEndOfFile(step: Step): void {
  steps.push(step);
}

/** Runs what was asked for until the file's end, all of it. Throws when some of it did. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = [];
  const taken = steps.reverse();
  steps = [];
  for (const step of taken) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "a test file could not be ended");
}

// When the run is killed, nobody else stops what this process has started, or the process itself.
process.once("disconnect", () => {
  for (const step of ofTests) atEndOfFile(step);
  void endFile().finally(() => process.exit(1));
});
