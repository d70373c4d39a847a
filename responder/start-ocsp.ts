import { hostname } from "node:os";
import type { Worker } from "node:worker_threads";
import type { Registry } from "prom-client";
import type { Database } from "../db/client.ts";
import * as processes from "../db/queries/upkeep/processes.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Lifecycle } from "../runtime/lifecycle.ts";
import type { Log } from "../runtime/log.ts";
import { startThread } from "../runtime/program-files.ts";
import type { Issuers } from "../worker/issuance/issuers.ts";
import type { SigningPool } from "../worker/signing/pool.ts";
import { certifyResponder } from "../worker/responder-certificates/certify-responder.ts";
import { registerMetrics } from "./metrics.ts";
import type { FromThread, OcspThreadData, ToThread } from "./messages.ts";
import { within } from "../runtime/deadline.ts";

/** What a worker's responder is told by the configuration. */
export interface OcspOptions extends OcspThreadData {
  /** Where others reach the listener, when host and port do not say it. */
  url: string | undefined;
}

export interface OcspDeps {
  db: Database;
  pool: SigningPool;
  issuers: Issuers;
  workerId: string;
  registry: Registry;
  clock: Clock;
  log: Log;
  lifecycle: Lifecycle;
}

/** The address is written again this often, in case the worker's row was taken for that of one that is gone. */
const announceEveryMs = 5_000;
const restartMsMin = 200;
const restartMsMax = 10_000;
const announceMsMax = 1_000;
const stopMsMax = 4_000;

/**
 * Starts the OCSP responder in a thread of its own and registers where it listens. Resolves when it takes requests; a
 * thread that dies is replaced. The lifecycle stops it: the address is taken back first, and what was asked is answered.
 */
export async function startOcsp(options: OcspOptions, deps: OcspDeps): Promise<void> {
  const { db, workerId, log, lifecycle } = deps;
  const countFigures = registerMetrics(deps.registry);
  let thread: Worker | undefined;
  let restart: NodeJS.Timeout | undefined;
  let url: string | null = null;
  let deathsInARow = 0;
  let stopping = false;
  let announcing: Promise<void> = Promise.resolve();
  let announcements = 0;

  /** One after the other, and the last one says what holds. */
  const announce = (): Promise<void> => {
    announcements += 1;
    return (announcing = announcing
      .then(() => processes.announceOcsp(db, { id: workerId, ocspUrl: url }))
      .catch((err: unknown) => {
        log.warn({ event: "ocsp.not_announced", err }, "the OCSP listener's address was not registered");
      })
      .finally(() => (announcements -= 1)));
  };

  const certify = async (to: Worker, message: FromThread & { type: "certify" }): Promise<void> => {
    const { requestId } = message;
    let reply: ToThread;
    try {
      reply = { type: "certified", requestId, certified: await certifyResponder(deps, message) };
    } catch (err) {
      log.error({ event: "ocsp.not_certified", issuer: message.issuerId, err }, "a responder was not certified");
      reply = { type: "not certified", requestId, reason: err instanceof Error ? err.message : "unknown" };
    }
    to.postMessage(reply);
  };

  const run = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const started = newThread({ ...options, port });
      thread = started;
      let cause: unknown;
      started.on("message", (message: FromThread) => {
        switch (message.type) {
          case "listening":
            deathsInARow = 0;
            url = options.url ?? `http://${hostOf(options.host)}:${message.port}`;
            log.info({ event: "ocsp.listening", host: options.host, port: message.port, url }, "OCSP is answered");
            void announce().then(resolve);
            break;
          case "certify":
            void certify(started, message);
            break;
          case "metrics":
            countFigures(message.metrics);
            break;
          case "warning":
            log.warn(
              { event: message.event, ...message.fields, error: message.error },
              "the OCSP responder is in trouble",
            );
        }
      });
      started.on("error", (error) => (cause = error));
      started.on("exit", () => {
        thread = undefined;
        url = null;
        reject(cause instanceof Error ? cause : new Error("the OCSP thread ended"));
        if (!stopping) ended(cause);
      });
    });

  function ended(cause: unknown): void {
    const pauseMs = Math.min(restartMsMin * 2 ** deathsInARow++, restartMsMax);
    log.error(
      { event: "ocsp.thread_ended", err: cause, restartMs: pauseMs },
      "the OCSP responder ended; it starts again",
    );
    void announce();
    restart = setTimeout(() => {
      run(options.port).catch(() => undefined);
    }, pauseMs);
  }

  const timer = setInterval(() => {
    if (url !== null && announcements === 0) void announce();
  }, announceEveryMs);
  lifecycle.onStop("OCSP", async () => {
    stopping = true;
    clearInterval(timer);
    clearTimeout(restart);
    url = null;
    await within(announceMsMax, announce());
    if (thread !== undefined) await stopThread(thread);
  });
  await run(options.port);
}

async function stopThread(thread: Worker): Promise<void> {
  const gone = new Promise<unknown>((resolve) => thread.once("exit", resolve));
  thread.postMessage({ type: "stop" } satisfies ToThread);
  await within(stopMsMax, gone);
  await thread.terminate();
}

/** How others name a host that we listen on: every interface is reached by the machine's name. */
function hostOf(host: string): string {
  if (host === "0.0.0.0" || host === "::") return hostname();
  return host.includes(":") ? `[${host}]` : host;
}

/** A thread has only what can be copied to it. */
function newThread({ database, host, port, trustedProxies, requestsPerSecond }: OcspThreadData): Worker {
  const data: OcspThreadData = { database, host, port, trustedProxies, requestsPerSecond };
  return startThread("responder/ocsp-thread", data);
}
