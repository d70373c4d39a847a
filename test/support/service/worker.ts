import { Registry } from "prom-client";
import { openDatabase, openQueuePool, type DatabaseOptions } from "../../../db/client.ts";
import { createBeat } from "../../../process/beat.ts";
import { generateAuditKey } from "../../../runtime/keys/audit-key.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createLifecycle } from "../../../runtime/lifecycle.ts";
import type { QueueName } from "../../../domain/tasks/task.ts";
import { createLog, type Log } from "../../../runtime/log.ts";
import { openQueues, type QueueBackend, type Queues } from "../../../runtime/queue/queues.ts";
import { generateOutputKeyPair, outputPublicKey } from "../../../runtime/keys/sealed-output.ts";
import { createSigningPool, type SigningPool } from "../../../worker/signing/pool.ts";
import { startWorker } from "../../../worker/worker.ts";
import { atEnd, atEndOfFile } from "../run/at-end.ts";
import { testPassphrase } from "../given/issuing.ts";
import { freshRedisDatabase } from "../run/services.ts";
import { bundledThreads } from "./signing-threads.ts";

/** The key pair that seals and opens outputs in tests. */
export const testOutputKeys = generateOutputKeyPair();

/** The key with which tests' workers sign the heads of audit chains. */
export const testAuditKey = generateAuditKey();

export const silentLog: Log = createLog({ process: "test", level: "silent" });

let redisUrl: string | undefined;

/** Returns the backend for the queues of a test file. */
export function backendFor(
  kind: QueueBackend["kind"],
  databaseUrl: string,
  { connectionsMax = 8 }: { connectionsMax?: number } = {},
): { backend: QueueBackend; close: () => Promise<void> } {
  if (kind === "redis") {
    if (redisUrl === undefined) atEndOfFile(() => (redisUrl = undefined));
    return { backend: { kind: "redis", url: (redisUrl ??= freshRedisDatabase()) }, close: () => Promise.resolve() };
  }
  const pool = openQueuePool({ ...databaseOptions(databaseUrl), connectionsMax });
  return { backend: { kind: "postgres", pool }, close: () => pool.end() };
}

const databaseOptions = (url: string): DatabaseOptions => ({
  url,
  role: "realmpass_worker",
  connectionsMax: 8,
  applicationName: "realmpass test worker",
});

const signingThreads = 2;
let signingPool: Promise<SigningPool> | undefined;

/**
 * Returns the threads that sign for all workers of this test process: starting them is most of the cost of a worker.
 */
const sharedSigningPool = (): Promise<SigningPool> => (signingPool ??= startSigningPool());

const startSigningPool = async (): Promise<SigningPool> =>
  createSigningPool({
    threads: signingThreads,
    passphrase: testPassphrase,
    outputPublicKey: outputPublicKey(testOutputKeys.publicJwk),
    runThread: await bundledThreads(),
  });

export interface TestWorker {
  queues: Queues;
  registry: Registry;
  stop: () => Promise<void>;
}

/**
 * Starts a real worker in this process, which signs in shared threads, on the given queue backend; stops it at the end
 * of the test or file.
 */
export async function startTestWorker({
  databaseUrl,
  kind = "postgres",
  rsaKeyPool = 0,
  auditKey = testAuditKey,
  passphrase = testPassphrase,
  signingPool,
  publicationUrl = "http://pki.example",
  log = silentLog,
}: {
  databaseUrl: string;
  kind?: QueueBackend["kind"];
  rsaKeyPool?: number;
  /** The key that signs the heads of audit chains. */
  auditKey?: string;
  passphrase?: string;
  /** Omitted: the threads that all workers of this process share. */
  signingPool?: SigningPool;
  /** The base URL of CRLs, OCSP and CA certificates in certificates. */
  publicationUrl?: string;
  log?: Log;
}): Promise<TestWorker> {
  const lifecycle = createLifecycle({ log, deadlineMs: 20_000 });
  const registry = new Registry();
  const db = openDatabase(databaseOptions(databaseUrl));
  lifecycle.onStop("database", () => db.close());
  const { backend, close } = backendFor(kind, databaseUrl);
  lifecycle.onStop("backend", close);
  const queues = openQueues(backend, log);
  lifecycle.onStop("queues", () => queues.close());

  await startWorker({
    db,
    backend,
    passphrase,
    outputPublicKeyJwk: testOutputKeys.publicJwk,
    auditKeyJwk: auditKey,
    publicationUrl,
    crlValidityHours: 96,
    signingThreads,
    signingPool: signingPool ?? (await sharedSigningPool()),
    issuanceConcurrency: 64,
    bulkConcurrency: 2,
    rsaKeyPool,
    registry,
    clock: systemClock,
    beat: createBeat({ kind: "worker", queue: null, connectionsMax: 8, db, clock: systemClock, log, lifecycle }),
    log,
    lifecycle,
  });
  const stop = (): Promise<void> => lifecycle.stop("test");
  atEnd(stop);
  return { queues, registry, stop };
}

/** Returns how many tasks each queue has: waiting, running and delayed. */
export async function depthOf(queues: Pick<Queues, "tasks">): Promise<Record<QueueName, number>> {
  const all = Object.entries(await queues.tasks());
  return Object.fromEntries(
    all.map(([name, { waiting, active, delayed }]) => [name, waiting + active + delayed]),
  ) as Record<QueueName, number>;
}
