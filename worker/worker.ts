import { Counter, Gauge, type Registry } from "prom-client";
import type { Database } from "../db/client.ts";
import { tasks } from "../domain/tasks/tasks.ts";
import { queueNames, type QueueName } from "../domain/tasks/task.ts";
import { createHeadSigner } from "../runtime/keys/audit-key.ts";
import type { Beat } from "../process/beat.ts";
import { createLoadMetrics } from "../process/load-metrics.ts";
import type { ServiceClock } from "../runtime/clock.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import {
  openQueues,
  startQueueWorker,
  UnrecoverableError,
  type QueueBackend,
  type QueueWorker,
} from "../runtime/queue/queues.ts";
import { outputPublicKey } from "../runtime/keys/sealed-output.ts";
import { createBatcher } from "../runtime/queue/batch.ts";
import { startCrlPublisher } from "./crl/crl-publisher.ts";
import { issueAll, issuancesMax, type IssuanceDeps } from "./issuance/issue.ts";
import { createIssuers, type Issuers } from "./issuance/issuers.ts";
import type { BulkJobDeps } from "./bulk-job/deps.ts";
import { processors } from "./tasks.ts";
import { createKeyPool } from "./issuance/key-pool.ts";
import { createRsaKeyMaker } from "./issuance/rsa-keys.ts";
import { countDownTo } from "../process/certificate-metrics.ts";
import { profileSigningEnd } from "./issuance/profile-signing.ts";
import type { ProfileSigning } from "./signing/messages.ts";
import { createSigningPool, type SigningPool } from "./signing/pool.ts";
import { exposeBackupTimes } from "./upkeep/backup-metrics.ts";
import { createUpkeepMetrics } from "./upkeep/upkeep-metrics.ts";
import { startUpkeep } from "./upkeep/upkeep.ts";

export interface WorkerOptions {
  db: Database;
  backend: QueueBackend;
  passphrase: string;
  outputPublicKeyJwk: string;
  auditKeyJwk: string;
  /** The certificate and key that sign Apple configuration profiles; omitted: they are not signed. */
  profileSigning?: ProfileSigning | undefined;
  publicationUrl: string;
  crlValidityHours: number;
  signingThreads: number;
  /**
   * Threads that the caller has started with the same settings and closes itself; omitted: the worker starts its own.
   */
  signingPool?: SigningPool | undefined;
  issuanceConcurrency: number;
  bulkConcurrency: number;
  rsaKeyPool: number;
  /** The directory of dumps, whose times are a metric; omitted: no such metric. */
  backupDirectory?: string | undefined;
  registry: Registry;
  clock: ServiceClock;
  beat: Beat;
  log: Log;
  lifecycle: Lifecycle;
}

/**
 * The most bulk jobs whose next step one worker runs at the same time: most steps are short, but checking a large job
 * takes some seconds.
 */
const jobSteps = 4;

/**
 * Starts the worker. Resolves when the worker is registered and accepts tasks; `lifecycle` stops it after its current
 * work.
 */
export async function startWorker(options: WorkerOptions): Promise<void> {
  const { db, backend, clock, beat, log, lifecycle, registry } = options;
  const signer = await createHeadSigner(options.auditKeyJwk);

  const { profileSigning } = options;
  if (profileSigning !== undefined && profileSigningEnd(profileSigning) <= clock.now()) {
    log.warn({ event: "profile_signing.expired" }, "the certificate that signs configuration profiles has expired");
  }
  if (profileSigning !== undefined) {
    countDownTo("profile_signing", profileSigningEnd(profileSigning), options);
  }
  const pool = options.signingPool ?? startSigningPool(options);

  const activeClaims = new Set<string>();
  const rsaKeyMaker = createRsaKeyMaker();
  const rsaKeys = createKeyPool({
    keyType: "rsa-2048",
    generate: rsaKeyMaker.make,
    target: options.rsaKeyPool,
    isIdle: () => activeClaims.size === 0,
    log,
  });
  rsaKeys.start();
  lifecycle.onStop("RSA key pool", async () => {
    const closing = rsaKeys.close();
    await rsaKeyMaker.close();
    await closing;
  });

  const consumers = new Map<QueueName, QueueWorker>();
  const issuers = createIssuers({
    db,
    pool,
    publicationUrl: options.publicationUrl,
    clock,
    log,
    problems: beat,
    isOpen: () => clock.isInStep(),
    onChange: () => {
      // Bulk jobs also offboard people, which needs no issuer: their rows are processed whenever the clock is right.
      const canIssue = issuers.usable().length > 0 || issuers.away().length === 0;
      for (const [name, consumer] of consumers) {
        if (issuers.isOpen() && (canIssue || name !== "issuance")) consumer.resume();
        else consumer.pause();
      }
    },
  });
  await issuers.checkPassphrase();

  const deps: IssuanceDeps = {
    db,
    pool,
    threads: options.signingThreads,
    issuers,
    rsaKeys,
    clock,
    log,
    activeClaims,
  };
  const counted = countOutcomes(registry, { rsaKeys, issuers });
  const metrics = createLoadMetrics(registry);
  const issueSingles = async (ids: readonly string[]) =>
    counted(await issueAll(deps, ids, { step: metrics.issuanceStep }));
  const issueRows = async (ids: readonly string[]) => counted(await issueAll(deps, ids, { urgent: false }));

  const queues = openQueues(backend, log);
  lifecycle.onStop("queues", () => queues.close());

  const jobDeps: BulkJobDeps = {
    db,
    queues,
    issueAll: issueRows,
    failures: new Map(),
    onEnd: countRows(registry),
    clock,
    log,
  };
  const upkeep = startUpkeep({
    ...jobDeps,
    queues,
    issueSingles,
    pool,
    issuers,
    activeClaims,
    signer,
    metrics: createUpkeepMetrics(registry),
  });
  lifecycle.onStop("upkeep", () => upkeep.stop());
  if (options.backupDirectory !== undefined) exposeBackupTimes(registry, options.backupDirectory);

  const publisher = startCrlPublisher({ ...deps, validityHours: options.crlValidityHours, registry, beat });
  lifecycle.onStop("CRL publisher", () => publisher.stop());

  const issue = createBatcher(
    async (ids: readonly string[]) => {
      const outcomes = await issueSingles(ids);
      return ids.map((id) => outcomes.get(id) ?? "not claimed");
    },
    { itemsMax: issuancesMax, inFlightMax: 4, waitMsMax: 100, onBatch: metrics.batch("claim") },
  );
  const byName = new Map(
    Object.values(processors({ ...jobDeps, issue, taken: metrics.issuanceStep("task") })).map((entry) => [
      entry.name,
      entry,
    ]),
  );
  const concurrency: Record<QueueName, number> = {
    issuance: options.issuanceConcurrency,
    "bulk-job-steps": jobSteps,
    "bulk-job-rows": options.bulkConcurrency,
  };
  const ended = new Counter({
    name: "realmpass_tasks_total",
    help: "Attempts at tasks of the queue: done, to be tried again, or failed.",
    labelNames: ["queue", "outcome"] as const,
    registers: [registry],
  });
  for (const queue of queueNames) for (const outcome of ["done", "again", "failed"]) ended.inc({ queue, outcome }, 0);
  for (const name of queueNames) {
    const worker = startQueueWorker(
      backend,
      name,
      (job) => {
        const found = byName.get(job.name);
        if (found === undefined) throw new UnrecoverableError(`no task is called ${job.name}`);
        return found.process(job, log);
      },
      {
        concurrency: concurrency[name],
        log,
        onEnd: (outcome) => {
          ended.inc({ queue: name, outcome });
        },
      },
    );
    consumers.set(name, worker);
    lifecycle.onStop(`worker of ${name}`, () => worker.close());
  }

  await beat.start({});
  log.info(
    { event: "worker.started", workerId: beat.id, backend: backend.kind, jobs: Object.keys(tasks) },
    "worker started",
  );
}

function startSigningPool(options: WorkerOptions): SigningPool {
  const pool = createSigningPool({
    threads: options.signingThreads,
    passphrase: options.passphrase,
    outputPublicKey: outputPublicKey(options.outputPublicKeyJwk),
    profileSigning: options.profileSigning,
    log: options.log,
  });
  options.lifecycle.onStop("signing threads", () => pool.close());
  return pool;
}

/** Counts the rows of bulk jobs when the job ends, because each row may be processed several times before that. */
function countRows(registry: Registry): BulkJobDeps["onEnd"] {
  const rows = new Counter({
    name: "realmpass_job_rows_total",
    help: "Rows of bulk jobs that have ended, by result.",
    labelNames: ["kind", "status"] as const,
    registers: [registry],
  });
  return (kind, counts) => {
    for (const [status, count] of Object.entries(counts)) rows.inc({ kind, status }, count);
  };
}

type Outcomes = Awaited<ReturnType<typeof issueAll>>;

function countOutcomes(
  registry: Registry,
  { rsaKeys, issuers }: { rsaKeys: { readonly size: number }; issuers: Issuers },
): (outcomes: Outcomes) => Outcomes {
  const issuances = new Counter({
    name: "realmpass_issuances_total",
    help: "Attempts to issue a profile, by how they ended.",
    labelNames: ["outcome"] as const,
    registers: [registry],
  });
  new Gauge({
    name: "realmpass_rsa_key_pool_size",
    help: "RSA-2048 keys that are ready.",
    registers: [registry],
    collect() {
      this.set(rsaKeys.size);
    },
  });
  new Gauge({
    name: "realmpass_signer_usable",
    help: "Whether this worker can sign for the issuer: 1, or 0.",
    labelNames: ["issuer"] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const issuer of issuers.away()) this.set({ issuer }, 0);
      for (const issuer of issuers.usable()) this.set({ issuer }, 1);
    },
  });
  return (outcomes) => {
    for (const outcome of outcomes.values()) issuances.inc({ outcome });
    return outcomes;
  };
}
