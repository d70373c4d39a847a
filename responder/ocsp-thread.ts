/**
 * The OCSP thread: a listener with an event loop, a database pool and keys of its own. What strangers send is read here
 * and nowhere else in the process; of its issuers this thread knows their certificates, and its own keys never leave it.
 */
import type { Certified } from "../worker/responder-certificates/certify-responder.ts";
import { parentPort, workerData } from "node:worker_threads";
import { openDatabase } from "../db/client.ts";
import { systemClock } from "../runtime/clock.ts";
import { createAddressLimits } from "./address-limits.ts";
import { createClientAddress } from "./client-address.ts";
import { createMetricsCounter } from "./metrics.ts";
import { createIdentities, type Certify } from "./identities.ts";
import { createOcspIssuers } from "./issuers.ts";
import { createLastOcsp } from "./last-ocsp.ts";
import { startListener, type ListenerOptions } from "./listener.ts";
import type { FromThread, OcspThreadData, ToThread } from "./messages.ts";
import { createResponder } from "./responder.ts";
import { createStatusReader } from "./status-reader.ts";
import { within } from "../runtime/deadline.ts";

const port = parentPort;
if (port === null) throw new Error("ocsp-thread.ts is a worker thread's entry");
const data = workerData as OcspThreadData;
const notify = (message: FromThread): void => {
  port.postMessage(message);
};

/** One statement at a time answers dozens; more connections would only wait for the same processors. */
const connectionsMax = 4;

/** What is said when it takes Postgres longer is that it is away. */
const answerSecondsMax = 2;

const lastOcspEveryMs = 3_000;
const figuresEveryMs = 1_000;

/** Issuers whose responders are made at once instead of when somebody waits for them. */
const issuersAtStart = 16;
const prepareMsMax = 2_000;

function warning(event: string, fields: Record<string, string>, error: unknown): void {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error));
  const because = cause instanceof Error ? `: ${cause.message}` : "";
  notify({ type: "warning", event, fields, error: { name, message: `${message}${because}` } });
}

const asked = new Map<number, { resolve: (certified: Certified) => void; reject: (error: Error) => void }>();
let lastRequestId = 0;
const certify: Certify = ({ issuerId, publicKeySpki }) =>
  new Promise((resolve, reject) => {
    const requestId = ++lastRequestId;
    asked.set(requestId, { resolve, reject });
    notify({ type: "certify", requestId, issuerId, publicKeySpki: new Uint8Array(publicKeySpki) });
  });

const db = openDatabase({
  ...data.database,
  connectionsMax,
  answerSecondsMax,
  onIdleError: (error) => {
    warning("database.connection_lost", {}, error);
  },
});
const clock = systemClock;
const issuers = createOcspIssuers({ db, clock });
const identities = createIdentities({
  certify,
  clock,
  onFailure: (issuer, error) => {
    warning("ocsp.no_responder", { issuer }, error);
  },
});
const lastOcsp = createLastOcsp(db);
const metrics = createMetricsCounter();
const responder = createResponder({
  issuers,
  identities,
  readStatus: createStatusReader(db),
  lastOcsp,
  clock,
  onUnexpectedError: (error) => {
    warning("ocsp.internal_error", {}, error);
  },
});
const listenerOptions: Omit<ListenerOptions, "port"> = {
  responder,
  host: data.host,
  clientAddress: createClientAddress(data.trustedProxies),
  withinLimit: createAddressLimits(data.requestsPerSecond),
  onAnswer: (outcome, seconds) => {
    metrics.count(outcome, seconds);
  },
};
const listener = await startListener({ ...listenerOptions, port: data.port }).catch((error: unknown) => {
  if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
  // A port that another process has is no reason not to answer: where we listen is registered.
  warning("ocsp.port_taken", { wanted: String(data.port) }, error);
  return startListener({ ...listenerOptions, port: 0 });
});

let flushing: Promise<void> | undefined;
const flush = (): Promise<void> =>
  (flushing ??= lastOcsp
    .flush()
    .catch((error: unknown) => {
      warning("ocsp.last_answers_not_written", {}, error);
    })
    .finally(() => (flushing = undefined)));
const sendFigures = (): void => {
  const taken = metrics.take();
  if (taken !== undefined) notify({ type: "metrics", metrics: taken });
};
const timers = [setInterval(() => void flush(), lastOcspEveryMs), setInterval(sendFigures, figuresEveryMs)];

async function stop(): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  await listener.close();
  await flush();
  sendFigures();
  await db.close();
  port?.close();
}

port.on("message", (message: ToThread) => {
  if (message.type === "stop") {
    void stop();
    return;
  }
  const waiting = asked.get(message.requestId);
  asked.delete(message.requestId);
  if (message.type === "certified") waiting?.resolve(message.certified);
  else waiting?.reject(new Error(message.reason));
});

// The port is told once there are responders, so that the first requests need not wait, or after a moment without them.
const prepare = async (): Promise<void> => {
  for (const issuer of await issuers.listIssuing(issuersAtStart)) await identities.of(issuer).catch(() => undefined);
};
const prepared = prepare().catch(() => undefined);
await within(prepareMsMax, prepared);
notify({ type: "listening", port: listener.port });
