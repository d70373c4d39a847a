import { findBinaries, type BinarySources } from "./binaries.ts";
import { beginLog, ensureCluster, writeSettings } from "./cluster.ts";
import {
  embeddedPostgresFiles,
  preparePrivateDirectory,
  readIfPresent,
  writePrivateFile,
  type EmbeddedPostgresFiles,
} from "./files.ts";
import { lockDirectory } from "./lock.ts";
import { isRunning } from "./process.ts";
import { chooseRunAs, describe, unprivilegedAccounts } from "./run-as.ts";
import {
  boundLog,
  ensureDatabase,
  findLiveServer,
  isOurs,
  launchServer,
  stopServer,
  type RunningServer,
} from "./server.ts";

type LogFields = { event: string } & Record<string, unknown>;

/** The part of a logger that the launcher uses; pino's logger fits. */
export interface EmbeddedPostgresLog {
  info(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export interface EmbeddedPostgres {
  /** URL of the database "realmpass", with the rights of its owner and superuser. */
  url: string;
  /** Whether the server was already running, left behind by a killed process. */
  adopted: boolean;
  /** Stops the server, adopted or not, and resolves when it has ended. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Contains all files, with the data in `pg18`. Made if missing; accessible to its owner only. */
  dataDirectory: string;
  log: EmbeddedPostgresLog;
  /** How long a start may take, since recovery after a crash can take a while. Default: one minute. */
  startTimeoutMs?: number;
  /** The PATH in which to look for a system's own Postgres if the platform's npm package is missing or does not run. */
  searchPath?: string;
  /** Where to find binaries, instead of the installed npm package and the usual system directories. */
  binaries?: BinarySources;
  /** The accounts under which root runs Postgres, first choice first, instead of postgres and nobody. */
  accounts?: readonly string[];
}

const superviseEveryMs = 1_000;
const reportEveryMs = 60_000;

/**
 * Starts the embedded Postgres of a data directory, or adopts the server that a killed process left running. Locks the
 * data directory until stop(): a second start fails with an error that names the holder. If the server ends
 * unexpectedly, starts it again under the same URL, once the port is free. Without an awaited stop(), the server
 * outlives this process and loses nothing.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const files = embeddedPostgresFiles(options.dataDirectory);
  await preparePrivateDirectory(files.root);
  const lock = await lockDirectory(files.lock);
  try {
    const giveUpIn = (): number => performance.now() + (options.startTimeoutMs ?? 60_000);
    const found = await findLiveServer(files, giveUpIn());
    let server = found ?? (await launch(files, options, giveUpIn()));
    if (found) await adopt(files, { server: found, log: options.log, giveUpAt: giveUpIn() });

    const supervision = repeat(superviseEveryMs, {
      async turn() {
        if (await isRunning(server.process)) return boundLog(files);
        options.log.error({ event: "embedded-postgres.ended" }, `embedded Postgres ended by itself; see ${files.log}`);
        server = await launch(files, options, giveUpIn(), Number(new URL(server.url).port));
      },
      onFailure(err) {
        options.log.error(
          { event: "embedded-postgres.faulty", err },
          "supervising embedded Postgres failed; trying again",
        );
      },
    });
    let stopped: Promise<void> | undefined;
    const stop = async () => {
      await supervision.stop();
      const how = await stopServer(server.process);
      await lock.release();
      options.log.info({ event: "embedded-postgres.stopped", how }, "embedded Postgres stopped");
    };
    return { url: server.url, adopted: found !== undefined, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Returns the running embedded server of a data directory, for programs that did not start it; undefined if no such
 * server responds.
 */
export async function findEmbeddedPostgres(dataDirectory: string): Promise<{ url: string } | undefined> {
  const files = embeddedPostgresFiles(dataDirectory);
  const url = (await readIfPresent(files.url))?.trim();
  if (url === undefined || !URL.canParse(url)) return undefined;
  return (await isOurs(url, files.cluster)) ? { url } : undefined;
}

async function launch(
  files: EmbeddedPostgresFiles,
  options: EmbeddedPostgresOptions,
  giveUpAt: number,
  onlyPort?: number,
) {
  const { initdb, postgres } = await findBinaries({
    sources: options.binaries ?? {},
    searchPath: options.searchPath ?? "",
    cacheDirectory: files.binaries,
  });
  const runAs = await chooseRunAs({ files, postgres, accounts: options.accounts ?? unprivilegedAccounts });
  const created = await ensureCluster(files, initdb, runAs);
  await writeSettings(files, runAs);
  await beginLog(files);
  const server = await launchServer({ files, postgres, runAs, giveUpAt, onlyPort });
  options.log.info(
    {
      event: "embedded-postgres.started",
      directory: files.cluster,
      port: new URL(server.url).port,
      pid: server.process.pid,
      runsAs: describe(runAs),
      created,
    },
    created ? "embedded Postgres created and started" : "embedded Postgres started",
  );
  return server;
}

async function adopt(
  files: EmbeddedPostgresFiles,
  { server, log, giveUpAt }: { server: RunningServer; log: EmbeddedPostgresLog; giveUpAt: number },
): Promise<void> {
  await ensureDatabase(server.url, giveUpAt);
  await writePrivateFile(files.url, `${server.url}\n`);
  log.info(
    { event: "embedded-postgres.adopted", pid: server.process.pid },
    "adopted the embedded Postgres that was still running",
  );
}

/**
 * Runs a turn periodically, and never two turns at the same time. Reports a failed turn (of several in a row the first,
 * then one a minute); the next turn tries again. Does not keep the process alive.
 */
function repeat(
  everyMs: number,
  { turn, onFailure }: { turn: () => Promise<void>; onFailure: (error: unknown) => void },
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let reportedAt: number | undefined;
  const timer = setInterval(() => {
    running ??= turn()
      .then(() => {
        reportedAt = undefined;
      })
      .catch((error: unknown) => {
        if (reportedAt !== undefined && performance.now() - reportedAt < reportEveryMs) return;
        reportedAt = performance.now();
        onFailure(error);
      })
      .finally(() => (running = undefined));
  }, everyMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
