import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";
import type { Database, DatabaseOptions } from "../db/client.ts";
import { listen } from "../db/listener.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { masterKey } from "../runtime/master-key.ts";
import { openQueues, type QueueBackend } from "../runtime/queues.ts";
import { outputPrivateKey } from "../runtime/sealed-output.ts";
import { createApp } from "./app.ts";
import { createSettlements, settledChannel } from "./await-issuance.ts";
import { createCollector } from "./collect-issuance.ts";
import type { ApiSettings } from "./deps.ts";
import { createApiMetrics } from "./metrics.ts";
import { createTokenSigningKeys } from "./oauth/token-signing-keys.ts";
import { createOutputOpener } from "./open-output.ts";

export interface ApiOptions {
  db: Database;
  /** For the connection that listens for settled issuances. */
  database: Pick<DatabaseOptions, "url" | "role" | "applicationName">;
  backend: QueueBackend;
  /** 32 bytes in base64url. */
  masterKey: string;
  outputPrivateKeyJwk: string;
  host: string;
  port: number;
  /** Once the port is known: addresses may hang on it. */
  settings: (port: number) => ApiSettings;
  registry: Registry;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
}

/** Starts an API that stops with the lifecycle. Resolves with its port when it takes requests. */
export async function startApi(options: ApiOptions): Promise<{ port: number }> {
  const { db, clock, log, lifecycle } = options;
  const metrics = createApiMetrics(options.registry);
  const queues = openQueues(options.backend, log);
  lifecycle.onStop("queues", () => queues.close());

  const settlements = createSettlements({ db, log, metrics });
  const listener = listen({
    ...options.database,
    channel: settledChannel,
    onNotification: settlements.notice,
    onConnected: settlements.recheck,
    onError: (err) => {
      log.warn({ event: "listener.connection_lost", err }, "the connection for notifications was lost");
    },
  });
  lifecycle.onStop("listener", () => listener.close());

  const openOutput = createOutputOpener(outputPrivateKey(options.outputPrivateKeyJwk));
  const collectIssuance = createCollector({ db, clock, openOutput });
  const key = masterKey(options.masterKey);
  const signingKeys = createTokenSigningKeys({ db, clock, masterKey: key });

  const server = createServer({ keepAliveTimeout: 65_000 });
  const port = await listenOn(server, options);
  const settings = options.settings(port);
  server.on(
    "request",
    createApp({
      db,
      queues,
      clock,
      log,
      metrics,
      settlements,
      collectIssuance,
      signingKeys,
      masterKey: key,
      settings,
    }),
  );
  lifecycle.onStop("http server", () => {
    // Whoever waits for a worker is told where to ask again, and asks another process.
    settlements.close();
    return closeServer(server);
  });
  return { port };
}

const listenOn = (server: Server, { host, port }: { host: string; port: number }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Takes no more connections, and lets go of each one as soon as it has nothing under way. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, 25);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
