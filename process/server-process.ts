import { createHash } from "node:crypto";
import { format } from "node:util";
import type { Registry } from "prom-client";
import { openDatabase, openQueuePool, type Database, type DatabaseOptions } from "../db/client.ts";
import { pendingMigrations } from "../db/migrate.ts";
import * as installation from "../db/queries/upkeep/installation.ts";
import { createDatabaseClock, type DatabaseClock } from "../runtime/clock.ts";
import * as processes from "../db/queries/upkeep/processes.ts";
import { createLifecycle, type Lifecycle } from "../runtime/lifecycle.ts";
import { answerWithin } from "../runtime/deadline.ts";
import { createLog, withoutCredentials, type Log } from "../runtime/log.ts";
import { queueBackend, type QueueBackend } from "../runtime/queue/queues.ts";
import { createBeat, type Beat } from "./beat.ts";
import { guardBoundary } from "./boundary.ts";
import type { ServerConfig, ServerName } from "./config.ts";
import { createDisk, type Disk } from "./disk.ts";
import { createRegistry, serveMetrics } from "./metrics.ts";
import { createProcessMetrics } from "./process-metrics.ts";
import { guardRedis } from "./redis-guard.ts";
import { createReadiness, type LookForReadiness } from "./readiness.ts";
import { awaitSchema } from "./schema-wait.ts";
import { processSecrets, type ProcessSecrets } from "./secrets.ts";

/** The parts that a server process works with. All of them stop with the lifecycle. */
export interface ServerProcess {
  /** The options that opened `db`, for connections of another kind. */
  database: DatabaseOptions;
  db: Database;
  /** The machine's clock, corrected by the database's clock. */
  clock: DatabaseClock;
  /** Connects only when first used; responders never use it. */
  backend: QueueBackend;
  registry: Registry;
  /** Whether the process can serve. */
  readiness: LookForReadiness;
  disk: Disk;
  metricsPort: number;
  /** Sends the process's heartbeats, once `start` is called. */
  beat: Beat;
  log: Log;
  lifecycle: Lifecycle;
  secrets: ProcessSecrets;
}

export interface ServerProcessOptions {
  name: ServerName;
  config: ServerConfig;
  /** True under npm: if npm is killed, this process only notices that its parent is gone. */
  stopsWithParent: boolean;
  /** Receives the lifecycle before anything starts. */
  begin: (lifecycle: Lifecycle) => void;
  answerSecondsMax?: number;
  /** The most connections to the database, whatever the configuration allows. */
  connectionsMax?: number;
  /** The most connections that BullMQ opens if its tables are in Postgres. Default: as many as for the database. */
  queueConnectionsMax?: number;
  /** How many further connections to the database the process opens itself. Default: none. */
  ownConnections?: number;
  /** Extra connections, shared by all lookups of this process. Default: none. */
  readers?: number;
  /** Called once if the process must wait for `migrate`, so it can serve requests during the wait. */
  onSchemaWait?: (waiting: { readiness: LookForReadiness; log: Log; lifecycle: Lifecycle }) => Promise<void>;
}

/**
 * Opens log, database and queue, serves metrics and readiness, checks the process's boundary once Postgres is
 * available, and waits until the database has been migrated. Stops on signals. Throws `Unstartable` if the process can
 * reach more than REALMPASS_BOUNDARY allows, may no longer use the database, or cannot have its metrics port, and if
 * REDIS_URL leads to a cluster.
 */
export async function startServerProcess({
  name,
  config,
  stopsWithParent,
  begin,
  answerSecondsMax,
  connectionsMax: useful = Number.POSITIVE_INFINITY,
  queueConnectionsMax = config.REALMPASS_DATABASE_CONNECTIONS,
  ownConnections = 0,
  readers = 0,
  onSchemaWait = () => Promise.resolve(),
}: ServerProcessOptions): Promise<ServerProcess> {
  const log = createLog({ process: name, level: config.REALMPASS_LOG_LEVEL });
  takeWarnings(log);
  const lifecycle = createLifecycle({ log, deadlineMs: 8_000 });
  begin(lifecycle);
  lifecycle.stopOnSignals({ withParent: stopsWithParent });

  const connectionsMax = Math.min(config.REALMPASS_DATABASE_CONNECTIONS, useful);
  const database: DatabaseOptions = {
    url: config.DATABASE_URL,
    role: `realmpass_${name}`,
    connectionsMax,
    applicationName: `realmpass ${name}`,
    ...(answerSecondsMax !== undefined && { answerSecondsMax }),
    onIdleError: (error) => {
      log.warn({ event: "database.connection_lost", err: error }, "a database connection was lost");
    },
  };
  const registry = createRegistry();
  const metrics = createProcessMetrics(registry, {
    name,
    connections: () => db.connections(),
    skewMs: () => clock.skewMs,
    problems: () => beat.problems(),
    migrationsPending: () => countPending(db),
  });
  const db = openDatabase({
    ...database,
    ...(readers > 0 && { readers }),
    onRefusal: (sqlstate) => {
      metrics.refused(sqlstate);
      if (sqlstate === diskFull) disk.noteFull();
    },
  });
  lifecycle.onStop("database", () => db.close());

  const clock = createDatabaseClock({
    readTime: () => installation.time(db),
    readOtherSkews: () => processes.listOtherSkews(db, beat.id),
    problems: {
      report: (code, detail) => {
        beat.report(code, detail);
      },
      end: (code, detail) => {
        beat.end(code, detail);
      },
    },
    log,
  });
  lifecycle.onStop("clock", () => {
    clock.stop();
  });

  const backend = queueBackend(config.REDIS_URL, () => {
    const pool = openQueuePool({
      ...database,
      url: config.QUEUE_DATABASE_URL ?? config.DATABASE_URL,
      connectionsMax: queueConnectionsMax,
    });
    lifecycle.onStop("queue pool", () => pool.end());
    return pool;
  });

  const secrets = processSecrets({ db, config, clock, log });
  const usesQueue = name !== "responder";
  const beat = createBeat({
    kind: name,
    queue: usesQueue ? queueName(config.REDIS_URL) : null,
    connectionsMax:
      connectionsMax + (usesQueue && backend.kind === "postgres" ? queueConnectionsMax : 0) + ownConnections + readers,
    db,
    clock,
    alsoLook: () => secrets.findMismatches(),
    log,
    lifecycle,
  });

  const disk = createDisk({ dataDirectory: config.REALMPASS_DATA_DIRECTORY, problems: beat, log });

  // Created before anything waits for Postgres, so a waiting process shows as live and not ready.
  const readiness = createReadiness({ db, clock, secrets, log });
  const served = await serveMetrics({
    registry,
    readiness,
    host: config.REALMPASS_METRICS_HOST,
    port: config.REALMPASS_METRICS_PORT,
    log,
  });
  if (served.wasTaken) beat.report("metrics_port", `${config.REALMPASS_METRICS_PORT} is taken, ${served.port} is used`);
  lifecycle.onStop("metrics", () => served.close());

  if (usesQueue && config.REDIS_URL !== undefined) await guardRedis({ url: config.REDIS_URL, log, lifecycle });
  await guardBoundary({ role: `realmpass_${name}`, config, database, beat, log });
  await awaitSchema({ db, log, onWait: () => onSchemaWait({ readiness, log, lifecycle }) });
  await clock.start();
  return {
    database,
    db,
    clock,
    backend,
    registry,
    readiness,
    disk,
    metricsPort: served.port,
    beat,
    log,
    lifecycle,
    secrets,
  };
}

/** Logs the warnings of libraries and of Node itself. */
function takeWarnings(log: Log): void {
  const logWarning = (...given: unknown[]): void => {
    log.warn(
      { event: "process.warned", reason: withoutCredentials(format(...given)) },
      "a library or Node printed a warning",
    );
  };
  Object.assign(console, { warn: logWarning, error: logWarning });
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    logWarning(`${name}: ${message}`);
  });
}

/**
 * Returns the number of pending migrations: all if none has been run; undefined while the database does not respond.
 */
async function countPending(db: Database): Promise<number | undefined> {
  try {
    return pendingMigrations(await answerWithin(2_000, installation.migrationsDone(db))).length;
  } catch (error) {
    return (error as { code?: unknown }).code === "42P01" ? pendingMigrations([]).length : undefined;
  }
}

/** PostgreSQL appendix A. */
const diskFull = "53100";

/** Returns the same name for all processes with the same queue; the name does not contain the URL's password. */
function queueName(redisUrl: string | undefined): string {
  if (redisUrl === undefined) return "postgres";
  const { hostname, port, pathname } = new URL(redisUrl);
  return createHash("sha256")
    .update(`${hostname}:${port || "6379"}${pathname}`)
    .digest("hex")
    .slice(0, 16);
}
