import { expect, test } from "vitest";
import { outcomeOf } from "../../../../console/pages/bulk-jobs/plan/outcome.ts";
import { jobKinds } from "../../../../domain/bulk-job/job.ts";

test("a row of an onboarding is new if the realm does not know the person, and updated if it does", () => {
  expect(outcomeOf("onboarding", { status: "changed", user: null })).toBe("new");
  expect(outcomeOf("onboarding", { status: "changed", user: "7" })).toBe("changed");
});

test.each(jobKinds)("a row without a change is never new (%s)", (kind) => {
  expect(outcomeOf(kind, { status: "unchanged", user: null })).toBe("unchanged");
  expect(outcomeOf(kind, { status: "failed", user: null })).toBe("failed");
  expect(outcomeOf(kind, { status: "pending", user: null })).toBe("skipped");
});

test.each(jobKinds.filter((kind) => kind !== "onboarding"))("a job of the kind %s adds nobody", (kind) => {
  expect(outcomeOf(kind, { status: "changed", user: null })).toBe("changed");
});
