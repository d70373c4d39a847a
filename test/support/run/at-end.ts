import { onTestFinished, TestRunner } from "vitest";

/**
 * Stops what a test has started. Vitest ignores an `afterAll` inside a hook or a test, and test files share their
 * processes, so leftovers of one file slow down all later ones.
 */
type Step = () => unknown;

/** How long one step may take, in milliseconds. */
const stepMsMax = 180_000;

let steps: Step[] = [];
/** Steps that wait for the end of a test. */
const ofTests = new Set<Step>();

/** Runs `step` when the running test ends, or the file if no test runs: last in, first out. */
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

/** Runs `step` when the file ends, after its own `afterAll`: last in, first out. */
export function atEndOfFile(step: Step): void {
  steps.push(step);
}

/** Runs all steps registered for the end of the file. Throws if any step failed. */
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

// When the run is killed, nothing else stops this process and what it has started.
process.once("disconnect", () => {
  for (const step of ofTests) atEndOfFile(step);
  void endFile().finally(() => process.exit(1));
});
