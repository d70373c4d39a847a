import { openDatabase, openQueuePool, type DatabaseOptions } from "../db/client.ts";
import { authUrl, baseUrl } from "../runtime/addresses.ts";
import { systemClock } from "../runtime/clock.ts";
import { ConfigError, loadConfig } from "../runtime/config.ts";
import { openDataDirectory } from "../runtime/data-directory.ts";
import { createLifecycle, runMain, type Lifecycle } from "../runtime/lifecycle.ts";
import { createLog } from "../runtime/log.ts";
import { createRegistry, serveMetrics } from "../process/metrics.ts";
import { queueBackend } from "../runtime/queues.ts";
import { clientCertificatesOf, tlsListenerOf } from "./http/client-certificate/config.ts";
import { apiVariables, type ApiConfig } from "./config.ts";
import type { ApiSettings } from "./contract/deps.ts";
import { startApi } from "./server.ts";

async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const config = loadConfig(apiVariables, process.env);
  if (config.DATABASE_URL === undefined) {
    throw new ConfigError(["DATABASE_URL: an api needs it; `npm start` runs a database, an api and a worker together"]);
  }
  const tls = tlsListenerOf(config);
  const log = createLog({ process: "api", level: config.REALMPASS_LOG_LEVEL });
  const lifecycle = createLifecycle({ log, deadlineMs: 8_000 });
  begin(lifecycle);
  lifecycle.stopOnSignals({ withParent: process.env["npm_lifecycle_event"] !== undefined });

  const database: DatabaseOptions = {
    url: config.DATABASE_URL,
    role: "realmpass_api",
    connectionsMax: config.REALMPASS_DATABASE_CONNECTIONS,
    applicationName: "realmpass api",
    answerSecondsMax: 10,
    onIdleError: (error) => {
      log.warn({ event: "database.connection_lost", err: error }, "a database connection was lost");
    },
  };
  const db = openDatabase(database);
  lifecycle.onStop("database", () => db.close());

  const backend = queueBackend(config.REDIS_URL, () => {
    const pool = openQueuePool({ ...database, connectionsMax: queueConnections });
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
  const { port, tlsPort } = await startApi({
    db,
    database,
    backend,
    masterKey: config.REALMPASS_MASTER_KEY ?? secrets().secret("masterKey"),
    outputPrivateKeyJwk: config.REALMPASS_OUTPUT_PRIVATE_KEY ?? secrets().secret("outputPrivateKey"),
    host: config.REALMPASS_HOST,
    port: config.PORT,
    tls,
    settings: (listeningPort, listeningTlsPort) => settingsOf({ ...config, PORT: listeningPort }, listeningTlsPort),
    registry,
    clock: systemClock,
    log,
    lifecycle,
  });
  log.info(
    { event: "api.listening", host: config.REALMPASS_HOST, port },
    `listening on ${baseUrl({ ...config, PORT: port })}`,
  );
  if (tlsPort !== undefined) {
    log.info(
      { event: "api.tls_listening", host: config.REALMPASS_HOST, port: tlsPort },
      "listening for profiles over TLS",
    );
  }
  process.send?.({ event: "listening", port, metricsPort: metrics.port });
}

/** The producing side of the queue needs few. */
const queueConnections = 4;

function settingsOf(config: ApiConfig, tlsPort: number | undefined): ApiSettings {
  const clientCertificates = clientCertificatesOf(config, tlsPort);
  return {
    baseUrl: baseUrl(config),
    authUrl: authUrl(config),
    trustedProxies: config.REALMPASS_TRUSTED_PROXIES,
    waitSeconds: config.REALMPASS_WAIT_SECONDS,
    rateLimits: {
      service: config.REALMPASS_RATE_LIMIT_SERVICE,
      user: config.REALMPASS_RATE_LIMIT_USER,
      refused: config.REALMPASS_RATE_LIMIT_REFUSED,
    },
    logos: { networks: config.REALMPASS_LOGO_NETWORKS },
    ...(clientCertificates && { clientCertificates }),
  };
}

runMain(main);
