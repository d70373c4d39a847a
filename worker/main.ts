import { publicationUrl } from "../runtime/addresses.ts";
import { systemClock } from "../runtime/clock.ts";
import { runMain, type Lifecycle } from "../runtime/lifecycle.ts";
import { loadServerConfig, startServerProcess } from "../process/server-process.ts";
import { workerVariables } from "./config.ts";
import { profileSigningOf } from "./issuance/profile-signing.ts";
import { startWorker } from "./worker.ts";

async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const config = loadServerConfig("worker", workerVariables, process.env);
  const { secret, metricsPort, ...started } = await startServerProcess({
    name: "worker",
    config,
    stopsWithParent: process.env["npm_lifecycle_event"] !== undefined,
    begin,
  });

  await startWorker({
    ...started,
    passphrase: config.REALMPASS_ISSUER_KEY_PASSPHRASE ?? secret("issuerKeyPassphrase"),
    outputPublicKeyJwk: config.REALMPASS_OUTPUT_PUBLIC_KEY ?? secret("outputPublicKey"),
    auditKeyJwk: config.REALMPASS_AUDIT_KEY ?? secret("auditKey"),
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
    clock: systemClock,
  });
  process.send?.({ event: "ready", metricsPort });
}

runMain(main);
