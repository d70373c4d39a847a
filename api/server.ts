import type { TlsListenerOptions } from "./http/client-certificate/config.ts";
import { X509Certificate } from "node:crypto";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Registry } from "prom-client";
import type { Database, DatabaseOptions } from "../db/client.ts";
import { listen } from "../db/listener.ts";
import * as revoked from "../db/queries/certificates/revoked.ts";
import * as bulkJobs from "../db/queries/bulk-job/jobs.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Beat } from "../process/beat.ts";
import { countDownTo } from "../process/certificate-metrics.ts";
import type { Disk } from "../process/disk.ts";
import type { LookForReadiness } from "../process/readiness.ts";
import { closeWhenIdle, listenOn } from "../runtime/http-listener.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { masterKeys } from "../runtime/master-key.ts";
import { openQueues, type QueueBackend } from "../runtime/queues.ts";
import { outputPrivateKeys } from "../runtime/sealed-output.ts";
import { createApp } from "./app.ts";
import { createSettlements, settledChannel } from "./resources/issuance/await-issuance.ts";
import { createCollector } from "./resources/issuance/collect-issuance.ts";
import type { ApiSettings } from "./contract/deps.ts";
import { createAttemptLimits } from "./contract/attempt-limits.ts";
import { createHolderLookup } from "./contract/authenticate.ts";
import { createJobWatch } from "./resources/bulk-job/job-watch.ts";
import { createPictureFetch } from "./browser/logo/fetch-picture.ts";
import { createLogos } from "./browser/logo/logos.ts";
import { createExhaustedKeys } from "./http/exhausted-keys.ts";
import { createApiMetrics } from "./http/metrics.ts";
import { createTokenSigningKeys } from "./oauth/token-signing-keys.ts";
import { createRevokedFeed } from "./resources/radius/revoked-feed.ts";
import { createServiceHealth } from "./resources/health/service-health.ts";
import { registerServiceMetrics } from "./resources/health/service-metrics.ts";
import { createAcceptance } from "./resources/profile/accept-together.ts";
import { createEnqueuer } from "./resources/issuance/enqueue-issuance.ts";
import { createOutputOpener } from "./resources/issuance/open-output.ts";
import { createPasswordCheck } from "./browser/sign-in/password-check.ts";

export interface ApiOptions {
  db: Database;
  /** For the connection that listens for settled issuances. */
  database: Pick<DatabaseOptions, "url" | "role" | "applicationName">;
  backend: QueueBackend;
  /** 32 bytes in base64url; several, separated by commas, while the master key is being replaced. */
  masterKeys: string;
  /** A JWK; a JWK Set while the output key is being replaced. */
  outputPrivateKeyJwk: string;
  host: string;
  port: number;
  /** A second listener, which asks for client certificates. */
  tls?: TlsListenerOptions | undefined;
  /** Omitted: those that are right for strangers. */
  connections?: Partial<ConnectionLimits> | undefined;
  /** Once the ports are known: addresses may hang on them. */
  settings: (port: number, tlsPort: number | undefined) => ApiSettings;
  registry: Registry;
  readiness: LookForReadiness;
  disk: Pick<Disk, "isFull">;
  clock: Clock;
  /** Told of what does not work. */
  beat: Pick<Beat, "report" | "end">;
  log: Log;
  lifecycle: Lifecycle;
}

/** Starts an API that stops with the lifecycle. Resolves with its ports when it takes requests. */
export async function startApi(options: ApiOptions): Promise<{ port: number; tlsPort: number | undefined }> {
  const { db, clock, log, lifecycle } = options;
  const metrics = createApiMetrics(options.registry);
  if (options.tls !== undefined) {
    countDownTo(options.registry, { tls: new Date(new X509Certificate(options.tls.certificate).validTo) });
  }
  const queues = openQueues(options.backend, log);
  lifecycle.onStop("queues", () => queues.close());

  const settlements = createSettlements({ db, log, metrics });
  const jobs = createJobWatch({ db, clock, log });
  const revokedFeed = createRevokedFeed({ db, log, metrics });
  const listener = listen({
    ...options.database,
    channels: {
      [settledChannel]: settlements.notice,
      [bulkJobs.jobProgressChannel]: jobs.notice,
      [revoked.revokedChannel]: revokedFeed.notice,
    },
    onConnected() {
      options.beat.end("notifications_lost", lostNotifications);
      settlements.recheck();
      jobs.recheck();
      revokedFeed.notice();
    },
    onError: (err) => {
      options.beat.report("notifications_lost", lostNotifications);
      log.warn({ event: "listener.connection_lost", err }, "the connection for notifications was lost");
    },
  });
  lifecycle.onStop("listener", () => listener.close());

  const openOutput = createOutputOpener(outputPrivateKeys(options.outputPrivateKeyJwk), log);
  const collectIssuance = createCollector({ db, clock, openOutput, metrics });
  const key = masterKeys(options.masterKeys);
  const signingKeys = createTokenSigningKeys({ db, clock, masterKeys: key });
  const attemptLimits = createAttemptLimits({ backend: options.backend, db, masterKeys: key, log });
  lifecycle.onStop("attempt limits", () => attemptLimits.close());

  const limits = { ...connectionLimits, ...options.connections };
  const server = createServer(limits);
  const tlsServer = options.tls && createTlsListener(options.tls, limits);
  const port = await listenOn(server, options);
  const tlsPort = options.tls && tlsServer && (await listenOn(tlsServer, { ...options, port: options.tls.port }));
  const settings = options.settings(port, tlsPort);
  const servers = [server, ...(tlsServer === undefined ? [] : [tlsServer])];
  const serviceHealth = createServiceHealth({ db, queues, disk: options.disk, clock, log });
  registerServiceMetrics(options.registry, { db, clock, serviceHealth });
  const app = createApp({
    db,
    queues,
    readiness: options.readiness,
    serviceHealth,
    clock,
    log,
    metrics,
    settlements,
    findHolder: createHolderLookup({ db, clock, metrics }),
    acceptProfile: createAcceptance({ db, log, metrics }),
    enqueueIssuance: createEnqueuer({ queues, metrics, log }),
    collectIssuance,
    openOutput,
    jobs,
    revokedFeed,
    signingKeys,
    attemptLimits,
    unknownTokens: createExhaustedKeys(),
    isPassword: createPasswordCheck(),
    logos: createLogos({ fetchPicture: createPictureFetch(settings.logos ?? {}), clock, log }),
    masterKeys: key,
    settings,
  });
  for (const each of servers) {
    each.maxConnections = limits.maxConnections;
    each.on("request", app);
  }
  lifecycle.onStop("http server", async () => {
    // Clients that wait for a worker are told where to ask again, and then ask another process.
    settlements.close();
    jobs.close();
    revokedFeed.close();
    await Promise.all(servers.map(closeWhenIdle));
  });
  return { port, tlsPort };
}

const lostNotifications = "nobody hears when an issuance is settled; rows are read again instead";

/** What a client may have of connections, in milliseconds: one that sends slowly, or nothing, holds none for longer. */
export interface ConnectionLimits {
  keepAliveTimeout: number;
  headersTimeout: number;
  /** How often the others are looked at. */
  connectionsCheckingInterval: number;
  /** For a whole request, that is for uploads. */
  requestTimeout: number;
  /** Of each listener; what is beyond it is closed at once. */
  maxConnections: number;
}

const connectionLimits: ConnectionLimits = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 300_000,
  maxConnections: 10_000,
};

/**
 * A listener that asks for a client certificate and lets anybody in, with one or without: TLS shows that the client has
 * the key, and which certificates count is decided where it matters.
 */
const createTlsListener = ({ certificate, key }: TlsListenerOptions, limits: ConnectionLimits): Server =>
  createTlsServer({
    ...limits,
    cert: certificate,
    key,
    minVersion: "TLSv1.2",
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
  });
