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
import { startListener } from "./listener.ts";
import { createOcspMetrics } from "./metrics.ts";
import { createResponder } from "./responder.ts";
import { createStatusReader } from "./status-reader.ts";

export interface ResponderOptions {
  db: Database;
  host: string;
  /** 0 for any free one. */
  port: number;
  /** Where others reach the listener, when host and port do not say it. */
  url: string | undefined;
  /** As the configuration has them. */
  trustedProxies: string;
  requestsPerSecond: number;
  registry: Registry;
  clock: ServiceClock;
  beat: Beat;
  log: Log;
  lifecycle: Lifecycle;
}

const lastOcspEveryMs = 3_000;

/** Issuers whose certificates are asked for at once instead of when somebody waits for them. */
const issuersAtStart = 16;
const prepareMsMax = 2_000;

/**
 * Starts to answer OCSP and registers where. Resolves when requests are taken. The lifecycle stops it: the address is
 * taken back first, what was asked is answered, and what was answered is written down.
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
  const responder = createResponder({
    issuers,
    identities,
    readStatus: createStatusReader(db),
    lastOcsp,
    askers,
    clock,
    onUnexpectedError: (err) => {
      log.error({ event: "ocsp.internal_error", err }, "a request could not be answered");
    },
  });

  const listener = await startListener({
    responder,
    host,
    port: options.port,
    clientAddress: createClientAddress(options.trustedProxies),
    withinLimit: createAddressLimits(options.requestsPerSecond),
    onAnswer: createOcspMetrics(options.registry),
  });

  let flushing: Promise<void> | undefined;
  const flush = (): Promise<void> =>
    (flushing ??= Promise.all([lastOcsp.flush(), askers.flush()])
      .then(() => undefined)
      .catch((err: unknown) => {
        log.warn({ event: "ocsp.last_answers_not_written", err }, "when profiles were asked about is not written yet");
      })
      .finally(() => (flushing = undefined)));
  const timer = setInterval(() => void flush(), lastOcspEveryMs);
  lifecycle.onStop("OCSP", async () => {
    clearInterval(timer);
    await listener.close();
    await flush();
  });

  // The address is told once there are certificates, so that the first requests need not wait, or after a moment without.
  const prepare = async (): Promise<void> => {
    const issuing = await issuers.listIssuing(issuersAtStart);
    await Promise.all(issuing.map((issuer) => identities.of(issuer).catch(() => undefined)));
  };
  await within(
    prepareMsMax,
    prepare().catch(() => undefined),
  );
  const url = options.url ?? `http://${hostOf(host)}:${listener.port}`;
  await beat.start({ ocspUrl: url });
  log.info({ event: "ocsp.listening", host, port: listener.port, url }, "OCSP is answered");
  return { port: listener.port };
}

/** How others name a host that we listen on: every interface is reached by the machine's name. */
function hostOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return hostname();
  return host.includes(":") ? `[${host}]` : host;
}
