import { Gauge, type Registry } from "prom-client";
import type { Db } from "../../../db/client.ts";
import * as serviceState from "../../../db/queries/upkeep/service-state.ts";
import type { ServiceNumbers } from "../../../db/queries/upkeep/service-state.ts";
import { jobKinds } from "../../../domain/bulk-job/job.ts";
import { processKinds } from "../../../domain/process.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { answerWithin } from "../../../runtime/deadline.ts";
import type { HealthCheck } from "../../contract/deps.ts";

/** Prometheus gives up after ten seconds; what is asked for takes next to none. */
const answerMsMax = 2_000;

/**
 * Registers what is watched of the service as a whole: by each api, since they are there when no worker is. While the
 * database does not answer, what it would say is missing, and alerts on that are the alerts on its absence.
 */
export function registerServiceMetrics(
  registry: Registry,
  { db, clock, serviceHealth }: { db: Db; clock: Clock; serviceHealth: () => Promise<readonly HealthCheck[]> },
): void {
  const registers = [registry];
  /** One reading for all gauges of a scrape. */
  let reading: { at: number; numbers: Promise<ServiceNumbers | undefined> } | undefined;
  const numbers = (): Promise<ServiceNumbers | undefined> => {
    const at = performance.now();
    if (reading === undefined || at - reading.at > 1_000) {
      const read = answerWithin(answerMsMax, serviceState.readNumbers(db, { at: clock.now() }));
      reading = { at, numbers: read.catch(() => undefined) };
    }
    return reading.numbers;
  };

  new Gauge({
    name: "realmpass_processes",
    help: "Processes by kind: alive, and silent for less than an hour without having stopped.",
    labelNames: ["kind", "state"],
    registers,
    async collect() {
      this.reset();
      const found = await numbers();
      if (found === undefined) return;
      for (const kind of processKinds) {
        const of = found.processes.find((each) => each.kind === kind);
        this.set({ kind, state: "alive" }, of?.alive ?? 0);
        this.set({ kind, state: "silent" }, of?.silent ?? 0);
      }
    },
  });
  new Gauge({
    name: "realmpass_oldest_seconds",
    help: "How long the oldest has waited: a single issuance, a revocation for the CRL, an audit entry for its place; 0: nothing waits.",
    labelNames: ["what"],
    registers,
    async collect() {
      this.reset();
      const found = await numbers();
      if (found === undefined) return;
      const at = clock.now().getTime();
      for (const [what, since] of Object.entries(found.oldest)) {
        const seconds = since === null ? 0 : (at - (since as Date).getTime()) / 1_000;
        this.set({ what }, Math.max(0, seconds));
      }
    },
  });
  new Gauge({
    name: "realmpass_jobs",
    help: "Bulk jobs that have not finished, by kind.",
    labelNames: ["kind", "state"],
    registers,
    async collect() {
      this.reset();
      const found = await numbers();
      if (found === undefined) return;
      for (const kind of jobKinds) {
        this.set({ kind, state: "unfinished" }, found.jobs.find((each) => each.kind === kind)?.count ?? 0);
      }
    },
  });
  new Gauge({
    name: "realmpass_issuer_not_after_seconds",
    help: "When an issuing CA ends, in seconds since 1970, by its number and whether it issues.",
    labelNames: ["issuer", "state"],
    registers,
    async collect() {
      this.reset();
      for (const { id, state, notAfter } of (await numbers())?.issuers ?? []) {
        this.set({ issuer: id, state }, notAfter.getTime() / 1_000);
      }
    },
  });
  new Gauge({
    name: "realmpass_status",
    help: "What /status says of each part of the service: 0 it is well, 1 a warning, 2 it fails.",
    labelNames: ["check"],
    registers,
    async collect() {
      this.reset();
      for (const { name, state } of await serviceHealth()) this.set({ check: name }, severity[state]);
    },
  });
}

const severity = { ok: 0, warn: 1, fail: 2 } as const satisfies Record<HealthCheck["state"], number>;
