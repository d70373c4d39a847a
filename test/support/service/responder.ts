import { Registry } from "prom-client";
import { expect } from "vitest";
import { openDatabase } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { createBeat } from "../../../process/beat.ts";
import { startResponder, type ResponderOptions } from "../../../responder/start-responder.ts";
import { systemClock, type ServiceClock } from "../../../runtime/clock.ts";
import { createLifecycle } from "../../../runtime/lifecycle.ts";
import { atEnd } from "../run/at-end.ts";
import { eventually } from "../run/eventually.ts";
import { silentLog } from "./worker.ts";

export interface TestResponder {
  /** The URL at which the responder serves OCSP. */
  url: string;
  registry: Registry;
  stop: () => Promise<void>;
}

/**
 * Starts a real responder in this process, with certificates from a running worker; stopped at the end of the test or
 * file.
 */
export async function startTestResponder({
  databaseUrl,
  requestsPerSecond = 1_000_000,
  clock = systemClock,
  ...waits
}: {
  databaseUrl: string;
  requestsPerSecond?: number;
  clock?: ServiceClock;
} & Pick<ResponderOptions, "slowClients" | "lastOcspEveryMs" | "statusCountsEveryMs">): Promise<TestResponder> {
  const log = silentLog;
  const lifecycle = createLifecycle({ log, deadlineMs: 20_000 });
  const registry = new Registry();
  const connections = { role: "realmpass_responder", connectionsMax: 4, answerSecondsMax: 2 } as const;
  const db = openDatabase({ url: databaseUrl, ...connections, applicationName: "realmpass test responder" });
  lifecycle.onStop("database", () => db.close());
  const beat = createBeat({
    kind: "responder",
    queue: null,
    connectionsMax: 4,
    db,
    clock: systemClock,
    log,
    lifecycle,
  });
  const { port } = await startResponder({
    db,
    host: "127.0.0.1",
    port: 0,
    url: undefined,
    trustedProxies: "",
    requestsPerSecond,
    ...waits,
    registry,
    clock,
    beat,
    log,
    lifecycle,
  });
  const stop = (): Promise<void> => lifecycle.stop("test");
  atEnd(stop);
  await eventually(async () => {
    const waiting = sql`select from responder_requests where process_id = ${beat.id}`;
    expect(await db.query(waiting)).toEqual([]);
  });
  return { url: `http://127.0.0.1:${port}`, registry, stop };
}
