import { X509Certificate } from "node:crypto";
import type { Registry } from "prom-client";
import { jobProgressChannel, revokedChannel, settledChannel } from "../db/channels.ts";
import type { Database, DatabaseOptions } from "../db/client.ts";
import { listen } from "../db/listener.ts";
import * as realms from "../db/queries/realm/realms.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Beat } from "../process/beat.ts";
import { countDownTo } from "../process/certificate-metrics.ts";
import type { Disk } from "../process/disk.ts";
import { createStatusAskers } from "../process/status-askers.ts";
import type { LookForReadiness } from "../process/readiness.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { masterKeys } from "../runtime/keys/master-key.ts";
import { openQueues, type QueueBackend } from "../runtime/queue/queues.ts";
import { outputPrivateKeys } from "../runtime/keys/sealed-output.ts";
import { createApp } from "./app.ts";
import { openListeners, type Listeners, type ListenersOptions } from "./listeners.ts";
import { createSettlements } from "./resources/issuance/await-issuance.ts";
import { createCollector } from "./resources/issuance/collect-issuance.ts";
import type { ApiSettings } from "./contract/deps.ts";
import { createAttemptCounter } from "./contract/attempt-counter.ts";
import { createRequestCounts } from "./contract/request-counts.ts";
import { createHolderLookup } from "./contract/authenticate.ts";
import { createJobWatch } from "./resources/bulk-job/run/job-watch.ts";
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
import { createProviderCheck } from "./browser/upstream-login/check-provider.ts";
import { createPasswordCheck } from "./browser/sign-in/password-check.ts";

export interface ApiOptions extends ListenersOptions {
  db: Database;
  /** The database for the connection that listens for settled issuances, progress of jobs and revoked certificates. */
  database: Pick<DatabaseOptions, "url" | "role" | "applicationName">;
  backend: QueueBackend;
  /** 32 bytes in base64url; several keys, separated by commas, while the operator replaces the master key. */
  masterKeys: string;
  /** A JWK; a JWK Set while the operator replaces the output key. */
  outputPrivateKeyJwk: string;
  /** The listeners, if the api opened them while it waited for its schema. If omitted, `startApi` opens them. */
  listeners?: Listeners | undefined;
  /** Returns the settings once the ports are known, because addresses may contain a port. */
  settings: (port: number, tlsPort: number | undefined) => ApiSettings;
  /** How often the api writes the request counts. Default: once a minute. */
  requestCountsEveryMs?: number | undefined;
  registry: Registry;
  readiness: LookForReadiness;
  disk: Pick<Disk, "isFull">;
  clock: Clock;
  /** Receives reports of failures and of their end. */
  beat: Pick<Beat, "report" | "end">;
  log: Log;
  lifecycle: Lifecycle;
}

/** Starts an API that stops with the lifecycle. Resolves with its ports once it accepts requests. */
export async function startApi(options: ApiOptions): Promise<{ port: number; tlsPort: number | undefined }> {
  const { db, clock, log, lifecycle } = options;
  const metrics = createApiMetrics(options.registry);
  if (options.tls !== undefined) {
    countDownTo("tls", new Date(new X509Certificate(options.tls.certificate).validTo), options);
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
      [jobProgressChannel]: jobs.notice,
      [revokedChannel]: revokedFeed.notice,
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
    onDeaf() {
      log.warn(
        { event: "listener.deaf" },
        "the connection for notifications does not receive its own messages; opening a new one",
      );
    },
  });
  lifecycle.onStop("listener", () => listener.close());

  const openOutput = createOutputOpener(outputPrivateKeys(options.outputPrivateKeyJwk), log);
  const collectIssuance = createCollector({ db, clock, openOutput, metrics });
  const key = masterKeys(options.masterKeys);
  const signingKeys = createTokenSigningKeys({ db, clock, masterKeys: key });
  const attemptCounter = createAttemptCounter({ backend: options.backend, db, masterKeys: key, log });
  lifecycle.onStop("attempt limits", () => attemptCounter.close());

  const crlAskers = createStatusAskers(db, { kind: "crl" });
  const flushAskers = (): Promise<void> =>
    crlAskers.flush().catch((err: unknown) => {
      log.warn({ event: "crl.askers_not_written", err }, "could not write the addresses that fetch CRLs; trying again");
    });
  const flushing = setInterval(() => void flushAskers(), flushAskersMs);
  lifecycle.onStop("CRL askers", () => {
    clearInterval(flushing);
    return flushAskers();
  });

  const requestCounts = createRequestCounts({ db, clock });
  const flushCounts = (): Promise<void> =>
    requestCounts.flush().catch((err: unknown) => {
      log.warn({ event: "requests.counts_not_written", err }, "could not write the counts of requests; trying again");
    });
  const counting = setInterval(() => void flushCounts(), options.requestCountsEveryMs ?? defaultRequestCountsEveryMs);
  lifecycle.onStop("request counts", () => {
    clearInterval(counting);
    return flushCounts();
  });

  const listeners = options.listeners ?? (await openListeners(options));
  const { port, tlsPort } = listeners;
  const settings = options.settings(port, tlsPort);
  const { expected = { api: 1, worker: 1, responder: 1 } } = settings;
  const serviceHealth = createServiceHealth({ db, queues, disk: options.disk, expected, clock, log });
  registerServiceMetrics(options.registry, { db, queues, clock, serviceHealth, expected });
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
    attemptCounter,
    unknownTokens: createExhaustedKeys(),
    isPassword: createPasswordCheck(),
    requestCounts,
    crlAskers,
    checkProvider: createProviderCheck(settings),
    logos: createLogos({
      fetchPicture: createPictureFetch(settings.logos ?? {}),
      readUploaded: (uploaded) => realms.findUploadedLogo(db, uploaded),
      clock,
      log,
    }),
    masterKeys: key,
    settings,
  });
  listeners.answerWith(app);
  lifecycle.onStop("http server", async () => {
    // Clients that wait for a worker get the address to poll; their next request reaches another process.
    settlements.close();
    jobs.close();
    revokedFeed.close();
    await listeners.close();
  });
  return { port, tlsPort };
}

const flushAskersMs = 3_000;
const defaultRequestCountsEveryMs = 60_000;

const lostNotifications = "notifications of settled issuances are lost; rows are polled instead";
