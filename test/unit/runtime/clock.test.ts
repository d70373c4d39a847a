import { describe, expect, test } from "vitest";
import { createDatabaseClock, skewMs } from "../../../runtime/clock.ts";

const start = Date.parse("2027-03-01T12:00:00Z");

interface Line {
  event: string;
  text: string;
}

/** Makes a machine whose clock is this far ahead of the database's; only the test lets time pass and sets clocks. */
function setUp({ aheadMs = 0, others }: { aheadMs?: number; others?: () => readonly number[] } = {}) {
  const lines: Line[] = [];
  const problems = new Set<string>();
  const state = { passedMs: 0, aheadMs, answerMs: 0, isAway: false };
  const line = ({ event }: object & { event?: string }, text: string) => lines.push({ event: event ?? "", text });
  const databaseTime = () => new Date(start + state.passedMs);
  const clock = createDatabaseClock({
    readTime: () => {
      state.passedMs += state.answerMs;
      return state.isAway ? Promise.reject(new Error("away")) : Promise.resolve(databaseTime());
    },
    log: { info: line, warn: line, error: line } as never,
    problems: {
      report: (code) => problems.add(code),
      end: (code) => problems.delete(code),
    },
    ...(others && { readOtherSkews: () => Promise.resolve(others()) }),
    machine: { now: () => new Date(databaseTime().getTime() + state.aheadMs) },
    monotonicMs: () => state.passedMs,
  });
  return {
    clock,
    state,
    databaseTime,
    problems: () => [...problems],
    events: () => lines.splice(0).map(({ event }) => event),
    texts: () => lines.splice(0).map(({ text }) => text),
  };
}

const hour = 3_600_000;

test("readings before and after the database's show how far a clock is ahead or behind, or that no difference is certain", () => {
  const at = (ms: number) => new Date(start + ms);
  expect(skewMs({ before: at(3_000), now: at(0), after: at(3_010) })).toBe(3_005);
  expect(skewMs({ before: at(-3_010), now: at(0), after: at(-3_000) })).toBe(-3_005);
  expect(skewMs({ before: at(-5), now: at(0), after: at(5) })).toBe(0);
});

test("a clock is not trusted before it has been measured", async () => {
  const { clock } = setUp();
  expect([clock.isInStep(), clock.skewMs]).toEqual([false, null]);
  await clock.measure();
  expect([clock.isInStep(), clock.skewMs]).toEqual([true, 0]);
});

test("without a readable database, or if the database responds too slowly, the last measurement stays", async () => {
  const { clock, state } = setUp({ aheadMs: 1_500 });
  state.isAway = true;
  await expect(clock.measure()).rejects.toThrow("away");
  expect(clock.isInStep()).toBe(false);
  state.isAway = false;
  await clock.measure();

  state.isAway = true;
  await expect(clock.measure()).rejects.toThrow("away");
  expect([clock.isInStep(), clock.skewMs]).toEqual([true, 1_500]);

  state.isAway = false;
  state.answerMs = 2_500;
  state.aheadMs = 0;
  await clock.measure();
  expect(clock.skewMs).toBe(1_500);
});

describe("dates follow the database's clock", () => {
  test.each([1_000, -1_000, 4_000, hour, -hour])("on a machine that is %d ms ahead", async (aheadMs) => {
    const { clock, state, databaseTime } = setUp({ aheadMs });
    await clock.measure();
    state.passedMs += 60_000;
    expect(clock.now()).toEqual(databaseTime());
    expect(clock.skewMs).toBe(aheadMs);
  });
});

test.each([
  { aheadMs: 1_900, inStep: true, event: [], problem: [] },
  { aheadMs: -2_100, inStep: true, event: ["clock.skewed"], problem: ["clock_skewed"] },
  { aheadMs: 4_900, inStep: true, event: ["clock.skewed"], problem: ["clock_skewed"] },
  { aheadMs: 5_100, inStep: false, event: ["clock.untrusted"], problem: ["clock_skewed"] },
  { aheadMs: -hour, inStep: false, event: ["clock.untrusted"], problem: ["clock_skewed"] },
])("$aheadMs ms of difference: in step $inStep, log $event", async ({ aheadMs, inStep, event, problem }) => {
  const { clock, state, events, problems } = setUp({ aheadMs });
  await clock.measure();
  await clock.measure();
  expect(clock.isInStep()).toBe(inStep);
  expect(events()).toEqual(event);
  expect(problems()).toEqual(problem);

  // The machine's clock is corrected: the first measurement finds a jump, the second finds that the clock is right.
  state.aheadMs = 0;
  await clock.measure();
  await clock.measure();
  expect(clock.isInStep()).toBe(true);
  expect(problems()).toEqual([]);
});

test("a clock that is set is not trusted from then until the second measurement after it", async () => {
  const { clock, state, databaseTime, events } = setUp();
  await clock.measure();
  state.passedMs += 3_000;
  expect(clock.isInStep()).toBe(true);

  state.aheadMs = 1_500;
  expect(clock.isInStep()).toBe(false);
  await clock.measure();
  expect(clock.isInStep()).toBe(false);
  expect(clock.now()).toEqual(databaseTime());
  await clock.measure();
  expect(clock.isInStep()).toBe(true);
  expect(events()).toEqual(["clock.untrusted", "clock.trusted"]);
});

test("if the clocks of all processes differ from the database by about the same time, the log says that the database's clock may be wrong", async () => {
  const alike = setUp({ aheadMs: hour, others: () => [hour - 500, hour + 500] });
  await alike.clock.measure();
  expect(alike.texts()).toEqual([expect.stringContaining("its clock may be the wrong one")]);

  for (const others of [[0, hour], []]) {
    const alone = setUp({ aheadMs: hour, others: () => others });
    await alone.clock.measure();
    expect(alone.texts()).toEqual([expect.not.stringContaining("its clock may be the wrong one")]);
  }
});
