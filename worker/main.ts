import { openDatabase, openQueuePool, type DatabaseOptions } from "../db/client.ts";
import { publicationUrl } from "../runtime/addresses.ts";
import { systemClock } from "../runtime/clock.ts";
import { ConfigError, loadConfig } from "../runtime/config.ts";
import { openDataDirectory } from "../runtime/data-directory.ts";
import { createLifecycle, runMain, type Lifecycle } from "../runtime/lifecycle.ts";
import { createLog } from "../runtime/log.ts";
import { createRegistry, serveMetrics } from "../process/metrics.ts";
import { queueBackend } from "../runtime/queues.ts";
import { workerVariables } from "./config.ts";
import { profileSigningOf } from "./issuance/profile-signing.ts";
import { startWorker } from "./worker.ts";

async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const config = loadConfig(workerVariables, process.env);
  if (config.DATABASE_URL === undefined) {
    throw new ConfigError([
      "DATABASE_URL: a worker needs it; `npm start` runs a database, an api and a worker together",
    ]);
  }
  const log = createLog({ process: "worker", level: config.REALMPASS_LOG_LEVEL });
  const lifecycle = createLifecycle({ log, deadlineMs: 8_000 });
  begin(lifecycle);
  lifecycle.stopOnSignals({ withParent: process.env["npm_lifecycle_event"] !== undefined });

  const database: DatabaseOptions = {
    url: config.DATABASE_URL,
    role: "realmpass_worker",
    connectionsMax: config.REALMPASS_DATABASE_CONNECTIONS,
    applicationName: "realmpass worker",
    onIdleError: (error) => {
      log.warn({ event: "database.connection_lost", err: error }, "a database connection was lost");
    },
  };
  const db = openDatabase(database);
  lifecycle.onStop("database", () => db.close());

  const backend = queueBackend(config.REDIS_URL, () => {
    const pool = openQueuePool(database);
    lifecycle.onStop("queue pool", () => pool.end());
    return pool;
  });

  const registry = createRegistry();
  const metrics = await serveMetrics({
    registry,
    host: config.REALMPASS_METRICS_HOST,
    port: config.REALMPASS_METRICS_PORT,
    log,
  });
  lifecycle.onStop("metrics", () => metrics.close());

  const secrets = (): ReturnType<typeof openDataDirectory> => openDataDirectory(config.REALMPASS_DATA_DIRECTORY);
  await startWorker({
    db,
    backend,
    passphrase: config.REALMPASS_ISSUER_KEY_PASSPHRASE ?? secrets().secret("issuerKeyPassphrase"),
    outputPublicKeyJwk: config.REALMPASS_OUTPUT_PUBLIC_KEY ?? secrets().secret("outputPublicKey"),
    auditKeyJwk: config.REALMPASS_AUDIT_KEY ?? secrets().secret("auditKey"),
    profileSigning: profileSigningOf(config),
    publicationUrl: publicationUrl(config),
    crlValidityHours: config.REALMPASS_CRL_VALIDITY_HOURS,
    signingThreads: config.REALMPASS_SIGNING_THREADS,
    issuanceConcurrency: config.REALMPASS_ISSUANCE_CONCURRENCY,
    bulkConcurrency: config.REALMPASS_BULK_CONCURRENCY,
    rsaKeyPool: config.REALMPASS_RSA_KEY_POOL,
    ocsp: {
      database: { url: config.DATABASE_URL, role: "realmpass_worker", applicationName: "realmpass ocsp" },
      host: config.REALMPASS_OCSP_HOST,
      port: config.REALMPASS_OCSP_PORT,
      url: config.REALMPASS_OCSP_URL,
      trustedProxies: config.REALMPASS_TRUSTED_PROXIES,
      requestsPerSecond: config.REALMPASS_RATE_LIMIT_OCSP,
    },
    registry,
    clock: systemClock,
    log,
    lifecycle,
  });
  process.send?.({ event: "ready", metricsPort: metrics.port });
}

runMain(main);
