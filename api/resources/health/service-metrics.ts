import { Gauge, type Registry } from "prom-client";
import type { Db } from "../../../db/client.ts";
import * as held from "../../../db/queries/bulk-job/run/held.ts";
import * as auditExports from "../../../db/queries/audit/audit-exports.ts";
import * as serviceState from "../../../db/queries/upkeep/service-state.ts";
import type { ServiceNumbers } from "../../../db/queries/upkeep/service-state.ts";
import * as waitingWork from "../../../db/queries/upkeep/waiting-work.ts";
import { processKinds } from "../../../domain/process.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { answerWithin } from "../../../runtime/deadline.ts";
import type { ExpectedProcesses } from "../../../runtime/config/expected-processes.ts";
import type { Queues } from "../../../runtime/queue/queues.ts";
import type { HealthCheck } from "../../contract/deps.ts";

/** Prometheus gives up after ten seconds; these queries take almost no time. */
const answerMsMax = 2_000;

/**
 * Registers the metrics of the service as a whole. Every api has them, because they must exist when no worker runs.
 * While the database does not respond, the metrics that are read from it are missing: alert on their absence.
 */
export function registerServiceMetrics(
  registry: Registry,
  {
    db,
    queues,
    clock,
    serviceHealth,
    expected,
  }: {
    db: Db;
    queues: Pick<Queues, "tasks">;
    clock: Clock;
    serviceHealth: () => Promise<readonly HealthCheck[]>;
    expected: ExpectedProcesses;
  },
): void {
  const registers = [registry];
  /** Returns undefined if the reading fails or takes too long. */
  const tried = <Result>(reading: Promise<Result>): Promise<Result | undefined> =>
    answerWithin(answerMsMax, reading).catch(() => undefined);
  /** One reading serves all gauges of a scrape. */
  let reading: { at: number; numbers: Promise<ServiceNumbers | undefined> } | undefined;
  const numbers = (): Promise<ServiceNumbers | undefined> => {
    const at = performance.now();
    if (reading === undefined || at - reading.at > 1_000) {
      reading = { at, numbers: tried(serviceState.readNumbers(db, { at: clock.now() })) };
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
    name: "realmpass_processes_expected",
    help: "How many processes of a kind run when all is well, as this api's settings have it.",
    labelNames: ["kind"],
    registers,
    collect() {
      for (const kind of processKinds) this.set({ kind }, expected[kind]);
    },
  });
  new Gauge({
    name: "realmpass_oldest_seconds",
    help: "How long the oldest has waited: a single issuance, a bulk job for its next rows, a revocation for the CRL, an audit entry for its place, a responder for its certificate; 0: nothing waits.",
    labelNames: ["what"],
    registers,
    async collect() {
      this.reset();
      const [found, others] = await Promise.all([numbers(), tried(waitingWork.readWaitingWork(db))]);
      if (found === undefined || others === undefined) return;
      const at = clock.now().getTime();
      for (const [what, since] of Object.entries({ ...found.oldest, ...others })) {
        const seconds = since === null ? 0 : (at - since.getTime()) / 1_000;
        this.set({ what }, Math.max(0, seconds));
      }
    },
  });
  new Gauge({
    name: "realmpass_jobs",
    help: "Bulk jobs that have not finished, by kind and state.",
    labelNames: ["kind", "state"],
    registers,
    async collect() {
      this.reset();
      for (const { kind, state, count } of (await numbers())?.jobs ?? []) this.set({ kind, state }, count);
    },
  });
  new Gauge({
    name: "realmpass_scim_held_people",
    help: "People whom directories have deactivated and who keep their devices until a person confirms.",
    registers,
    async collect() {
      this.reset();
      const people = await tried(held.countPeople(db));
      if (people !== undefined) this.set(people);
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
    name: "realmpass_audit_exported_seconds",
    help: "When a realm's audit log was last exported into files, in seconds since 1970; never: when the realm was created.",
    labelNames: ["realm"],
    registers,
    async collect() {
      this.reset();
      for (const { realmId: realm, at } of (await tried(auditExports.listKeptSince(db))) ?? [])
        this.set({ realm }, at.getTime() / 1_000);
    },
  });
  const expiring = createFreshExpiring({ db, clock, tried });
  new Gauge({
    name: "realmpass_certificates_expiring",
    help: "Active certificates that end within so many days, by kind; read once a minute.",
    labelNames: ["kind", "days"],
    registers,
    async collect() {
      this.reset();
      for (const { kind, days, count } of (await expiring()) ?? []) this.set({ kind, days }, count);
    },
  });
  new Gauge({
    name: "realmpass_queue_up",
    help: "Whether the queue takes tasks: 1, or 0.",
    registers,
    async collect() {
      const queue = (await serviceHealth()).find(({ name }) => name === "queue");
      this.set(queue?.state === "ok" ? 1 : 0);
    },
  });
  new Gauge({
    name: "realmpass_queue_tasks",
    help: "Tasks in the queue that wait, are worked on, or wait for another try.",
    labelNames: ["queue", "state"],
    registers,
    async collect() {
      this.reset();
      for (const [queue, tasks] of Object.entries((await tried(queues.tasks())) ?? {})) {
        for (const [state, count] of Object.entries(tasks)) this.set({ queue, state }, count);
      }
    },
  });
  new Gauge({
    name: "realmpass_status",
    help: "The state of each part of the service in /status: 0 well, 1 a warning, 2 failing.",
    labelNames: ["check"],
    registers,
    async collect() {
      this.reset();
      for (const { name, state } of await serviceHealth()) this.set({ check: name }, severity[state]);
    },
  });
}

const expiringMs = 60_000;

/** Counts the certificates that end soon, at most once a minute because the count scans an index. */
function createFreshExpiring({
  db,
  clock,
  tried,
}: {
  db: Db;
  clock: Clock;
  tried: <Result>(reading: Promise<Result>) => Promise<Result | undefined>;
}): () => Promise<waitingWork.Expiring[] | undefined> {
  let last: { at: number; found: Promise<waitingWork.Expiring[] | undefined> } | undefined;
  return () => {
    const at = performance.now();
    if (last === undefined || at - last.at > expiringMs)
      last = { at, found: tried(waitingWork.countExpiring(db, { at: clock.now() })) };
    return last.found;
  };
}

const severity = { ok: 0, warn: 1, fail: 2 } as const satisfies Record<HealthCheck["state"], number>;
