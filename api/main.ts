import { authUrl, baseUrl, publicationUrl } from "../runtime/config/addresses.ts";
import { expectedProcesses } from "../runtime/config/expected-processes.ts";
import { heldMasterKey, heldOutputKey } from "../runtime/keys/held-secret.ts";
import { runMain, type Lifecycle } from "../runtime/lifecycle.ts";
import { farewellMs } from "../runtime/http-listener.ts";
import { masterKeys } from "../runtime/keys/master-key.ts";
import { loadServerConfig } from "../process/config.ts";
import { startServerProcess } from "../process/server-process.ts";
import { clientCertificatesOf, tlsListenerOf } from "./http/client-certificate/config.ts";
import { apiVariables, type ApiConfig } from "./config.ts";
import type { ApiSettings } from "./contract/deps.ts";
import { answerNotYet } from "./http/not-yet.ts";
import { openListeners, type Listeners } from "./listeners.ts";
import { startApi } from "./server.ts";

/** How many connections are for reads: the second is used while the first waits for Postgres. */
const readers = 2;

async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const config = loadServerConfig("api", apiVariables, process.env);
  const tls = tlsListenerOf(config);
  const address = { host: config.REALMPASS_HOST, port: config.PORT, tls, farewell: farewellMs };
  let listeners: Listeners | undefined;
  const { secrets, metricsPort, beat, ...started } = await startServerProcess({
    name: "api",
    config,
    stopsWithParent: process.env["npm_lifecycle_event"] !== undefined,
    begin,
    answerSecondsMax: 10,
    queueConnectionsMax: queueConnections,
    ownConnections: 1,
    readers,
    async onSchemaWait({ readiness, log, lifecycle }) {
      const opened = await openListeners(address);
      lifecycle.onStop("listeners", () => opened.close());
      opened.answerWith(answerNotYet({ readiness, log }));
      listeners = opened;
    },
  });
  const { log } = started;
  const { masterKey, outputPrivateKey } = await secrets.read(["masterKey", "outputPrivateKey"]);
  await secrets.requireMatching([
    heldMasterKey(masterKeys(masterKey)),
    await heldOutputKey(outputPrivateKey, "outputPrivateKey"),
  ]);

  const { port, tlsPort } = await startApi({
    ...started,
    masterKeys: masterKey,
    outputPrivateKeyJwk: outputPrivateKey,
    ...address,
    listeners,
    settings: (listeningPort, listeningTlsPort) => settingsOf({ ...config, PORT: listeningPort }, listeningTlsPort),
    beat,
  });
  await beat.start({});
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
  process.send?.({ event: "listening", port, metricsPort });
}

/** An api takes no tasks from the queue, so few connections are enough. */
const queueConnections = 4;

function settingsOf(config: ApiConfig, tlsPort: number | undefined): ApiSettings {
  const clientCertificates = clientCertificatesOf(config, tlsPort);
  return {
    baseUrl: baseUrl(config),
    authUrl: authUrl(config),
    publicationUrl: publicationUrl(config),
    trustedProxies: config.REALMPASS_TRUSTED_PROXIES,
    waitSeconds: config.REALMPASS_WAIT_SECONDS,
    expected: expectedProcesses(config),
    rateLimits: {
      service: config.REALMPASS_RATE_LIMIT_SERVICE,
      user: config.REALMPASS_RATE_LIMIT_USER,
      refused: config.REALMPASS_RATE_LIMIT_REFUSED,
      tokens: config.REALMPASS_RATE_LIMIT_TOKENS,
    },
    upstreamNetworks: config.REALMPASS_UPSTREAM_NETWORKS,
    logos: { networks: config.REALMPASS_LOGO_NETWORKS },
    ...(clientCertificates && { clientCertificates }),
  };
}

runMain("api", main);
