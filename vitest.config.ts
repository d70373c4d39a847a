import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { durationsReporter } from "./test/support/run/durations-reporter.ts";
import LongFirst from "./test/support/run/sequencer.ts";

// A busy machine is slow, which is not a failure: these limits end hanging tests and promise nothing about speed.
// A full run tries ten times as much in some tests.
const limits = { testTimeout: process.env["TEST_EXTENT"] === "full" ? 600_000 : 120_000, hookTimeout: 600_000 };
const services = { globalSetup: "test/support/run/global-setup.ts", ...limits };

/** Tests with a RADIUS server take some minutes, so a separate command runs them. */
const radius = ["test/conformance/radius/**/*.test.ts"];

// Tests spend a third of their time waiting for Postgres and for timers. More than eight workers on one Postgres gain
// nothing.
const workers = Math.min(2 * availableParallelism(), 8);
/**
 * Each test runs a browser, a RADIUS server or a whole machine: two at a time, in a separate group, as vitest requires
 * for a different number of workers.
 */
const heavy = { maxWorkers: 2, sequence: { groupOrder: 1 } };
/** Files that mostly wait, for a lease to expire or for heartbeats: three at a time, in a separate group. */
const waiting = { maxWorkers: 3, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: workers,
    // Most of a short file's time goes into loading the code that it tests, so files share their processes, and stop
    // what they have started.
    isolate: false,
    // The next run, and the next command of CI, reads unchanged modules from this cache.
    experimental: { fsModuleCache: true },
    setupFiles: ["test/support/run/each-file.ts"],
    // On a busy CI machine a test of real processes can need a second try; the totals name each test that did.
    retry: process.env["CI"] ? 1 : 0,
    // On a busy machine, the event for which a test polls is late: a second, the default, would be a promise about
    // speed.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFirst },
    reporters: [
      "default",
      ...(process.env["CI"] ? ["./.ci/totals-reporter.mjs"] : []),
      // Run `TEST_DURATIONS=test/durations.json npm test` on a quiet machine, after files have become slower or faster.
      ...(process.env["TEST_DURATIONS"] ? [durationsReporter(process.env["TEST_DURATIONS"])] : []),
    ],
    projects: [
      { extends: true, test: { name: "unit", include: ["test/unit/**/*.test.ts"], ...limits } },
      {
        extends: true,
        // Runs everything of `npm test` as one project. Every project has separate processes, which have to load every
        // module again.
        test: {
          name: "integration",
          include: ["test/{unit,integration,conformance}/**/*.test.ts", "test/*.test.ts"],
          exclude: radius,
          ...services,
        },
      },
      { extends: true, test: { name: "process", include: ["test/process/**/*.test.ts"], ...services } },
      { extends: true, test: { name: "radius", include: radius, ...services, ...heavy } },
      { extends: true, test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], ...services, ...heavy } },
      {
        extends: true,
        test: { name: "deploy", include: ["test/deploy/**/*.test.ts"], ...limits, ...heavy },
      },
      { extends: true, test: { name: "fault", include: ["test/fault/**/*.test.ts"], ...services, ...waiting } },
    ],
  },
});
