import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { durationsReporter } from "./test/support/run/durations-reporter.ts";
import LongFirst from "./test/support/run/sequencer.ts";

// A busy machine is slower, not red: these limits end what hangs and say nothing about speed.
const limits = { testTimeout: 120_000, hookTimeout: 180_000 };
const services = { globalSetup: "test/support/run/global-setup.ts", ...limits };

/** With a RADIUS server: some minutes, so they have a command of their own. */
const radius = ["test/conformance/radius/**/*.test.ts"];

// Tests wait for Postgres and for timers a third of their time. More than eight share one Postgres without a gain.
const workers = Math.min(2 * availableParallelism(), 8);
/** A browser or a whole machine beside each test: two at a time. A group of its own, as vitest asks where workers differ. */
const heavy = { maxWorkers: 2, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: workers,
    // Most of a short file is loading what it tests: files share their processes, and end what they have started.
    isolate: false,
    // A second run, and the next command of CI, reads the modules that have not changed as the first one left them.
    experimental: { fsModuleCache: true },
    setupFiles: ["test/support/run/each-file.ts"],
    // On a busy CI machine a test of real processes may need a second try; the totals name each one that did.
    retry: process.env["CI"] ? 1 : 0,
    // What is waited for comes late on a busy machine: a second, the default, would be a promise about speed.
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongFirst },
    reporters: [
      "default",
      ...(process.env["CI"] ? ["./.ci/totals-reporter.mjs"] : []),
      // `TEST_DURATIONS=test/durations.json npm test` on a quiet machine, when files have become longer or shorter.
      ...(process.env["TEST_DURATIONS"] ? [durationsReporter(process.env["TEST_DURATIONS"])] : []),
    ],
    projects: [
      { extends: true, test: { name: "unit", include: ["test/unit/**/*.test.ts"], ...limits } },
      {
        extends: true,
        // Conformance is tested in the same processes: those of another project would load everything again.
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts", "test/conformance/**/*.test.ts", "test/*.test.ts"],
          exclude: radius,
          ...services,
        },
      },
      { extends: true, test: { name: "process", include: ["test/process/**/*.test.ts"], ...services } },
      { extends: true, test: { name: "radius", include: radius, ...services, ...heavy } },
      { extends: true, test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], ...services, ...heavy } },
      {
        extends: true,
        test: { name: "deploy", include: ["test/deploy/**/*.test.ts"], ...limits, hookTimeout: 600_000, ...heavy },
      },
      { extends: true, test: { name: "fault", include: ["test/fault/**/*.test.ts"], ...services, ...heavy } },
    ],
  },
});
