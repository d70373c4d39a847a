import { loadServerConfig } from "../process/config.ts";
import { startServerProcess } from "../process/server-process.ts";
import { runMain, type Lifecycle } from "../runtime/lifecycle.ts";
import { responderVariables } from "./config.ts";
import { startResponder } from "./start-responder.ts";

/** One statement serves dozens of answers; more connections would only wait for the same processors. */
const connectionsMax = 4;

/** If Postgres takes longer, it counts as unavailable. */
const answerSecondsMax = 2;

async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const config = loadServerConfig("responder", responderVariables, process.env);
  const { db, clock, registry, beat, log, lifecycle, metricsPort } = await startServerProcess({
    name: "responder",
    config,
    stopsWithParent: process.env["npm_lifecycle_event"] !== undefined,
    begin,
    connectionsMax,
    answerSecondsMax,
  });
  const { port } = await startResponder({
    db,
    host: config.REALMPASS_OCSP_HOST,
    port: config.REALMPASS_OCSP_PORT,
    url: config.REALMPASS_OCSP_URL,
    trustedProxies: config.REALMPASS_TRUSTED_PROXIES,
    requestsPerSecond: config.REALMPASS_RATE_LIMIT_OCSP,
    registry,
    clock,
    beat,
    log,
    lifecycle,
  });
  process.send?.({ event: "ready", port, metricsPort });
}

runMain("responder", main);
