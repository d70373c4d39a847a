import { describe, expect, test } from "vitest";
import { shownState, stepsMade } from "../../../../console/pages/bulk-jobs/steps.ts";
import type { JobState } from "../../../../domain/bulk-job/job.ts";

interface Given {
  state: JobState;
  dryRun: boolean;
  startedAt: string | null;
  undoneBy: string | null;
}

const job = (given: Pick<Given, "state"> & Partial<Given>): Given => ({
  dryRun: true,
  startedAt: null,
  undoneBy: null,
  ...given,
});
const startedAt = "2026-11-27T08:00:00Z";

describe("the ticks of a job's steps", () => {
  test.each([
    { of: "checking", given: job({ state: "checking" }), made: ["file"] },
    { of: "ready", given: job({ state: "ready" }), made: ["file", "check"] },
    { of: "running", given: job({ state: "running", startedAt }), made: ["file", "check", "confirm"] },
    { of: "completed", given: job({ state: "completed", startedAt }), made: ["file", "check", "confirm", "run"] },
    { of: "discarded", given: job({ state: "cancelled" }), made: ["file", "check"] },
    {
      of: "stopped while it ran",
      given: job({ state: "cancelled", startedAt }),
      made: ["file", "check", "confirm", "run"],
    },
    { of: "without anything to do", given: job({ state: "completed" }), made: ["file", "check"] },
    {
      of: "started without a preview",
      given: job({ state: "completed", startedAt, dryRun: false }),
      made: ["file", "check", "run"],
    },
  ])("$of: are at exactly the steps that the job has completed", ({ given, made }) => {
    expect([...stepsMade(given)]).toEqual(made);
  });
});

describe("the state that a page shows", () => {
  const undoneBy = "6f1c1f0e-0000-4000-8000-000000000000";

  test.each(["completed", "completed_with_errors", "cancelled"] as const)(
    "is undone for an undone job (%s)",
    (state) => {
      expect(shownState(job({ state, undoneBy }))).toBe("undone");
      expect(shownState(job({ state }))).toBe(state);
    },
  );

  test("is the job's own during its grace period, because some devices may still go offline", () => {
    expect(shownState(job({ state: "grace", undoneBy }))).toBe("grace");
  });
});
