import { describe, expect, test } from "vitest";
import type { Job } from "../../../../cli/bulk-job/job.ts";
import { exitCodeOf, isStopped } from "../../../../cli/bulk-job/job.ts";
import { barText, progressText } from "../../../../cli/bulk-job/progress-text.ts";
import { barLine } from "../../../../cli/bulk-job/progress.ts";

const job: Job = {
  id: "0b5d1f6e-6f8d-4d55-9f0a-7e4a3f3c2b1a",
  kind: "offboarding",
  state: "running",
  dryRun: false,
  createdAt: "2026-11-21T09:00:00.000Z",
  startedAt: "2026-11-21T09:00:01.000Z",
  finishedAt: null,
  executeAt: null,
  createdBy: "client",
  total: 9_000,
  done: 6_210,
  changed: 6_196,
  unchanged: 0,
  failed: 14,
  skipped: 0,
  ratePerSecond: 239.6,
  etaSeconds: 62,
  error: null,
  origin: "upload",
  matching: null,
  reason: null,
  graceDays: null,
  revokeAt: null,
  undoOf: null,
  undoneBy: null,
  undoUntil: null,
  name: null,
  rowOffset: 0,
  affectedProfiles: null,
  hasOutput: false,
};

test("a running job's line shows its progress, its failures, its speed and the time left", () => {
  expect(progressText(job)).toBe("Running: 6,210 of 9,000 · 14 failed · 240 per second · about 1 min left");
});

test.each<[Partial<Job>, string]>([
  [{ state: "checking", done: 0, failed: 0 }, "Checking: 0 of 9,000"],
  [{ state: "completed", done: 9_000, failed: 0 }, "Completed: 9,000 of 9,000"],
  [{ etaSeconds: 5_000, ratePerSecond: null }, "Running: 6,210 of 9,000 · 14 failed · about 1 h 23 min left"],
  [{ etaSeconds: 0, failed: 0, ratePerSecond: 1 }, "Running: 6,210 of 9,000 · 1 per second · about 1 s left"],
  [{ etaSeconds: null, skipped: 3, state: "cancelling" }, "Cancelling: 6,210 of 9,000 · 14 failed · 3 skipped"],
  [
    { error: "stalled", etaSeconds: null, ratePerSecond: 0 },
    "Running: 6,210 of 9,000 · 14 failed · no progress for a while; a worker may be down",
  ],
  [
    { state: "scheduled", failed: 0, executeAt: "2026-11-28T09:00:00.000Z" },
    "Scheduled: 6,210 of 9,000 · runs at 2026-11-28 09:00Z",
  ],
  [
    { state: "grace", done: 0, failed: 0, graceDays: 7, revokeAt: "2026-11-28T09:00:00.000Z" },
    "Locked out: 0 of 9,000 · devices go offline at 2026-11-28 09:00Z",
  ],
  [{ state: "failed", error: "bad\u001b[2J" }, "Failed: 6,210 of 9,000 · 14 failed · bad\ufffd[2J"],
])("%j", (override, text) => {
  expect(progressText({ ...job, ...override })).toBe(text);
});

test.each([
  [{ done: 0, failed: 0, total: 10 }, "░░░░░░░░░░"],
  [{ done: 5, failed: 0, total: 10 }, "█████░░░░░"],
  [{ done: 10, failed: 0, total: 10 }, "██████████"],
  [{ done: 10, failed: 10, total: 10 }, "▒▒▒▒▒▒▒▒▒▒"],
  [{ done: 200_000, failed: 1, total: 200_000 }, "█████████▒"],
  [{ done: 1, failed: 1, total: 200_000 }, "▒░░░░░░░░░"],
  [{ done: 0, failed: 0, total: 0 }, "░░░░░░░░░░"],
])("the bar has three parts: %j", (counts, text) => {
  expect(barText(counts, 10)).toBe(text);
});

test.each([undefined, 0, 20, 80, 85, 200])("a terminal of %s columns has room for the line", (columns) => {
  const line = barLine(job, columns);
  expect(line.length).toBeLessThan(columns === undefined || columns === 0 ? 80 : columns);
  expect(line).toContain("Running: 6,210");
});

describe("a client that watches a job", () => {
  test.each<[Partial<Job>, number]>([
    [{ state: "completed", failed: 0 }, 0],
    [{ state: "completed_with_errors" }, 3],
    [{ state: "cancelled" }, 3],
    [{ state: "failed" }, 1],
    [{ state: "ready", dryRun: true, failed: 0 }, 0],
    [{ state: "ready", dryRun: true, failed: 2 }, 3],
    [{ state: "ready", dryRun: false, error: "confirmation_required" }, 1],
  ])("stops at %j with exit code %i", (override, code) => {
    expect(isStopped({ ...job, ...override })).toBe(true);
    expect(exitCodeOf({ ...job, ...override })).toBe(code);
  });

  test.each(["checking", "scheduled", "queued", "running", "cancelling"] as const)(
    "continues in the state %s",
    (state) => {
      expect(isStopped({ ...job, state })).toBe(false);
    },
  );
});
