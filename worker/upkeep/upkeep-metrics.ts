import { Counter, type Registry } from "prom-client";

/** Failures of a worker's timed tasks. */
export interface UpkeepMetrics {
  failed: (task: string) => void;
  auditRefused: () => void;
}

export function createUpkeepMetrics(registry: Registry): UpkeepMetrics {
  const failures = new Counter({
    name: "realmpass_upkeep_failures_total",
    help: "Periodic tasks of this worker that failed; they are tried again.",
    labelNames: ["task"],
    registers: [registry],
  });
  const refused = new Counter({
    name: "realmpass_audit_refused_total",
    help: "Attempts to continue an audit log that does not end with a head signed by this service.",
    registers: [registry],
  });
  return {
    failed: (task) => {
      failures.inc({ task });
    },
    auditRefused: () => {
      refused.inc();
    },
  };
}
