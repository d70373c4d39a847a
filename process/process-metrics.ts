import { Counter, Gauge, type Registry } from "prom-client";
import { problemCodes, type ProblemCode, type ProcessKind } from "../domain/process.ts";
import { buildCommit, programVersion } from "../runtime/program-files.ts";

/** The metrics that every process has. */
export interface ProcessMetrics {
  /** Counts Postgres's errors by SQLSTATE (PostgreSQL appendix A), in the classes that indicate a fault. */
  refused(sqlstate: string): void;
}

/**
 * The classes of SQLSTATE that are never a caller's fault: connection exceptions, rollbacks, insufficient resources,
 * interventions and system errors.
 */
const counted: ReadonlySet<string> = new Set(["08", "40", "53", "57", "58"]);

/** Registers the metrics; reading the metrics collects their values. */
export function createProcessMetrics(
  registry: Registry,
  {
    name,
    connections,
    skewMs,
    problems,
    migrationsPending,
  }: {
    name: ProcessKind;
    connections: () => { used: number; idle: number; waiting: number };
    skewMs: () => number | null;
    problems: () => readonly ProblemCode[];
    /** Undefined while the database does not respond. */
    migrationsPending: () => Promise<number | undefined>;
  },
): ProcessMetrics {
  const registers = [registry];
  new Gauge({
    name: "realmpass_build_info",
    help: "What runs; always 1.",
    labelNames: ["process", "version", "commit"],
    registers,
  }).set({ process: name, version: programVersion(), commit: buildCommit() }, 1);
  new Gauge({
    name: "realmpass_problem",
    help: "Whether the process has this problem: 1, else 0.",
    labelNames: ["code"],
    registers,
    collect() {
      const found = problems();
      for (const code of problemCodes) this.set({ code }, found.includes(code) ? 1 : 0);
    },
  });
  new Gauge({
    name: "realmpass_migrations_pending",
    help: "Migrations of this version that were not run.",
    registers,
    async collect() {
      const count = await migrationsPending();
      if (count === undefined) this.remove();
      else this.set(count);
    },
  });
  new Gauge({
    name: "realmpass_clock_skew_seconds",
    help: "How far this machine's clock is ahead of the database's; below 0: behind.",
    registers,
    collect() {
      this.set((skewMs() ?? 0) / 1_000);
    },
  });
  new Gauge({
    name: "realmpass_database_connections",
    help: "Connections to PostgreSQL that are used and idle, and callers that wait for one.",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [state, count] of Object.entries(connections())) this.set({ state }, count);
    },
  });
  const errors = new Counter({
    name: "realmpass_database_errors_total",
    help: "Statements that failed because of PostgreSQL itself, by SQLSTATE (classes 08, 40, 53, 57, 58).",
    labelNames: ["sqlstate"],
    registers,
  });
  return {
    refused(sqlstate) {
      if (counted.has(sqlstate.slice(0, 2))) errors.inc({ sqlstate });
    },
  };
}
