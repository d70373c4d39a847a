import { publicationUrl } from "../runtime/config/addresses.ts";
import { heldAuditKey, heldOutputKey } from "../runtime/keys/held-secret.ts";
import { runMain, type Lifecycle } from "../runtime/lifecycle.ts";
import { loadServerConfig } from "../process/config.ts";
import { startServerProcess } from "../process/server-process.ts";
import { workerVariables } from "./config.ts";
import { profileSigningOf } from "./issuance/profile-signing.ts";
import { startWorker } from "./worker.ts";

async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const config = loadServerConfig("worker", workerVariables, process.env);
  const { secrets, metricsPort, ...started } = await startServerProcess({
    name: "worker",
    config,
    stopsWithParent: process.env["npm_lifecycle_event"] !== undefined,
    begin,
  });

  const { issuerKeyPassphrase, auditKey } = await secrets.read(["issuerKeyPassphrase", "auditKey"]);
  await secrets.requireMatching([await heldAuditKey(auditKey)]);
  const outputKey = await secrets.readOutputPublicKey();
  await secrets.requireMatching([await heldOutputKey(outputKey, "outputPublicKey")]);

  await startWorker({
    ...started,
    passphrase: issuerKeyPassphrase,
    outputPublicKeyJwk: outputKey,
    auditKeyJwk: auditKey,
    profileSigning: profileSigningOf(config),
    publicationUrl: publicationUrl(config),
    crlValidityHours: config.REALMPASS_CRL_VALIDITY_HOURS,
    signingThreads: config.REALMPASS_SIGNING_THREADS,
    issuanceConcurrency: config.REALMPASS_ISSUANCE_CONCURRENCY,
    bulkConcurrency: config.REALMPASS_BULK_CONCURRENCY,
    backupDirectory: config.REALMPASS_BACKUP_DIRECTORY,
    rsaKeyPool: config.REALMPASS_RSA_KEY_POOL,
  });
  process.send?.({ event: "ready", metricsPort });
}

runMain("worker", main);
