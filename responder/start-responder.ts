import { hostname } from "node:os";
import type { Registry } from "prom-client";
import type { Database } from "../db/client.ts";
import type { Beat } from "../process/beat.ts";
import { createStatusAskers } from "../process/status-askers.ts";
import type { ServiceClock } from "../runtime/clock.ts";
import { within } from "../runtime/deadline.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { createAddressLimits } from "./address-limits.ts";
import { createCertify } from "./certify.ts";
import { createClientAddress } from "./client-address.ts";
import { createIdentities } from "./identities.ts";
import { createOcspIssuers } from "./issuers.ts";
import { createLastOcsp } from "./last-ocsp.ts";
import { startListener, type SlowClients } from "./listener.ts";
import { createOcspMetrics } from "./metrics.ts";
import { createResponder } from "./responder.ts";
import { createStatusCounts } from "./status-counts.ts";
import { createStatusReader } from "./status-reader.ts";

export interface ResponderOptions {
  db: Database;
  host: string;
  /** The port to listen on; 0 for any free port. */
  port: number;
  /** The listener's URL for other processes, if it does not follow from host and port. */
  url: string | undefined;
  /** The trusted proxies, as configured. */
  trustedProxies: string;
  requestsPerSecond: number;
  /** How long to wait for slow clients. Default: the listener's times. */
  slowClients?: Partial<SlowClients> | undefined;
  /** How often the responder writes the times of the last checks. Default: every 3 s. */
  lastOcspEveryMs?: number | undefined;
  /** How often the responder writes the counts of answers. Default: once a minute. */
  statusCountsEveryMs?: number | undefined;
  registry: Registry;
  clock: ServiceClock;
  beat: Beat;
  log: Log;
  lifecycle: Lifecycle;
}

const defaultLastOcspEveryMs = 3_000;
const defaultStatusCountsEveryMs = 60_000;

/**
 * The responder requests its certificates before a device needs them: those of up to `issuersAtStart` issuers before it
 * registers its address; later, for new realms and prepared issuers, those of up to `issuersMax` issuers,
 * `issuersAtStart` at a time.
 */
const issuersAtStart = 16;
const issuersMax = 256;
const prepareMsMax = 2_000;
const prepareEveryMs = 5_000;

/**
 * Starts serving OCSP and registers the responder's address. Resolves when the address is registered. The lifecycle
 * stops it: first the address is withdrawn, then open requests are answered, then the times and counts of answers are
 * written to the database.
 */
export async function startResponder(options: ResponderOptions): Promise<{ port: number }> {
  const { db, host, clock, beat, log, lifecycle } = options;
  const issuers = createOcspIssuers({ db, clock });
  const identities = createIdentities({
    certify: createCertify({ db, processId: beat.id }),
    clock,
    onFailure: (issuer, err) => {
      log.warn({ event: "ocsp.no_certificate", issuer, err }, "this responder has no certificate of the issuer");
    },
  });
  const lastOcsp = createLastOcsp(db);
  const askers = createStatusAskers(db, { kind: "ocsp" });
  const counts = createStatusCounts(db);
  const onUnexpectedError = (err: unknown): void => {
    log.error({ event: "ocsp.internal_error", err }, "a request could not be answered");
  };
  const responder = createResponder({
    issuers,
    identities,
    readStatus: createStatusReader(db),
    lastOcsp,
    askers,
    counts,
    clock,
    onUnexpectedError,
  });

  const listener = await startListener({
    responder,
    host,
    port: options.port,
    clientAddress: createClientAddress(options.trustedProxies),
    withinLimit: createAddressLimits(options.requestsPerSecond),
    slowClients: options.slowClients,
    onAnswer: createOcspMetrics(options.registry),
    onUnexpectedError,
  });

  let flushing: Promise<void> | undefined;
  const flush = (): Promise<void> =>
    (flushing ??= Promise.all([lastOcsp.flush(), askers.flush()])
      .then(() => undefined)
      .catch((err: unknown) => {
        log.warn(
          { event: "ocsp.last_answers_not_written", err },
          "could not write the times of the last answers; trying again",
        );
      })
      .finally(() => (flushing = undefined)));
  let counting: Promise<void> | undefined;
  const flushCounts = (): Promise<void> =>
    (counting ??= counts
      .flush()
      .catch((err: unknown) => {
        log.warn({ event: "ocsp.counts_not_written", err }, "could not write the counts of answers; trying again");
      })
      .finally(() => (counting = undefined)));
  const prepare = async (limit: number): Promise<void> => {
    const current = await issuers.listCurrent(limit);
    // Requests a few certificates at a time: while no worker signs, waiting requests must not take the connections that
    // read statuses.
    for (let from = 0; from < current.length; from += issuersAtStart) {
      const some = current.slice(from, from + issuersAtStart);
      await Promise.all(some.map((issuer) => identities.of(issuer).catch(() => undefined)));
    }
  };
  let preparing: Promise<void> | undefined;
  const prepareAll = (): Promise<void> =>
    (preparing ??= prepare(issuersMax)
      // The code that uses the database reports that the database is unavailable; the next round tries again.
      .catch(() => undefined)
      .finally(() => (preparing = undefined)));
  const timers = [
    setInterval(() => void flush(), options.lastOcspEveryMs ?? defaultLastOcspEveryMs),
    setInterval(() => void flushCounts(), options.statusCountsEveryMs ?? defaultStatusCountsEveryMs),
    setInterval(() => void prepareAll(), prepareEveryMs),
  ];
  lifecycle.onStop("OCSP", async () => {
    for (const timer of timers) clearInterval(timer);
    await listener.close();
    await Promise.all([flush(), flushCounts()]);
  });

  // Registers the address once the certificates exist, so the first requests need not wait, or after at most
  // `prepareMsMax`.
  await within(
    prepareMsMax,
    prepare(issuersAtStart).catch(() => undefined),
  );
  const url = options.url ?? `http://${hostOf(host)}:${listener.port}`;
  await beat.start({ ocspUrl: url });
  log.info({ event: "ocsp.listening", host, port: listener.port, url }, "OCSP is answered");
  return { port: listener.port };
}

/** Returns the host for other processes: the machine's name if the listener is on every interface. */
function hostOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return hostname();
  return host.includes(":") ? `[${host}]` : host;
}
