import { Registry } from "prom-client";
import { openDatabase } from "../../../db/client.ts";
import { createBeat } from "../../../process/beat.ts";
import { startResponder } from "../../../responder/start-responder.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { createLifecycle } from "../../../runtime/lifecycle.ts";
import { atEnd } from "../run/at-end.ts";
import { silentLog } from "./worker.ts";

export interface TestResponder {
  /** Where it answers OCSP. */
  url: string;
  registry: Registry;
  stop: () => Promise<void>;
}

/** A real responder in this process; stopped at the end of the test or file. Its certificates come from a worker that runs. */
export async function startTestResponder({
  databaseUrl,
  requestsPerSecond = 1_000_000,
}: {
  databaseUrl: string;
  requestsPerSecond?: number;
}): Promise<TestResponder> {
  const log = silentLog;
  const lifecycle = createLifecycle({ log, deadlineMs: 20_000 });
  const registry = new Registry();
  const connections = { role: "realmpass_responder", connectionsMax: 4, answerSecondsMax: 2 } as const;
  const db = openDatabase({ url: databaseUrl, ...connections, applicationName: "realmpass test responder" });
  lifecycle.onStop("database", () => db.close());
  const { port } = await startResponder({
    db,
    host: "127.0.0.1",
    port: 0,
    url: undefined,
    trustedProxies: "",
    requestsPerSecond,
    registry,
    clock: systemClock,
    beat: createBeat({ kind: "responder", queue: null, connectionsMax: 4, db, clock: systemClock, log, lifecycle }),
    log,
    lifecycle,
  });
  const stop = (): Promise<void> => lifecycle.stop("test");
  atEnd(stop);
  return { url: `http://127.0.0.1:${port}`, registry, stop };
}
