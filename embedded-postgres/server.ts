import { copyFile, open, readFile, realpath, rm, stat, truncate } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { readIfPresent, writePrivateFile, type EmbeddedPostgresFiles } from "./files.ts";
import {
  childrenOf,
  identifyProcess,
  isPostmasterOf,
  isRunning,
  signalProcess,
  spawnAs,
  type ProcessIdentity,
  type RunAs,
} from "./process.ts";

export interface RunningServer {
  process: ProcessIdentity;
  url: string;
}

const database = "realmpass";
const answerWithinMs = 2_000;
const logBytes = 10 * 1024 * 1024;

/** Logs in and asks the server for its data directory: only that distinguishes our server from another on the port. */
export async function isOurs(url: string, cluster: string): Promise<boolean> {
  try {
    return await withClient(url, answerWithinMs, async (client) => {
      const shown = await client.query<{ data_directory: string }>("show data_directory");
      const [row] = shown.rows;
      return row !== undefined && (await realpath(row.data_directory)) === (await realpath(cluster));
    });
  } catch {
    return false;
  }
}

/**
 * Makes the database unless it exists. An earlier start may have ended after it made the cluster, and its `create
 * database` may still be completing. Waits until `giveUpAt`, because a slow disk takes long to copy a new database.
 */
export async function ensureDatabase(url: string, giveUpAt: number): Promise<void> {
  await withClient(url, Math.max(1, Math.ceil(giveUpAt - performance.now())), async (client) => {
    const present = await client.query("select from pg_database where datname = $1", [database]);
    if (present.rowCount !== 0) return;
    await client.query(`create database ${database}`).catch((error: unknown) => {
      if (!(error instanceof DatabaseError && isPresent.has(error.code ?? ""))) throw error;
    });
  });
}

/** duplicate_database; unique_violation, if both were made at the same time. */
const isPresent: ReadonlySet<string> = new Set(["42P04", "23505"]);

/**
 * Connects to the database that always exists. Every part of the address is explicit, so PG… variables have no effect.
 */
async function withClient<T>(url: string, answerMsMax: number, work: (client: Client) => Promise<T>): Promise<T> {
  const { hostname, port, username, password } = new URL(url);
  const client = new Client({
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database: "postgres",
    ssl: false,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
  });
  // A broken connection is also reported here; without a listener it would end our process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Returns the live server on this cluster, if there is one. Waits until `giveUpAt` for a server that is still starting
 * or stopping, and throws if it still does not let us in; makes a postmaster.pid left over from a crash harmless.
 */
export async function findLiveServer(
  files: EmbeddedPostgresFiles,
  giveUpAt: number,
): Promise<RunningServer | undefined> {
  for (;;) {
    const content = await readIfPresent(files.postmasterPid);
    if (content === undefined) return undefined;
    const [firstLine = "", , , port] = content.split("\n");
    if (!/^[1-9]\d*$/.test(firstLine)) {
      // A power cut may leave an empty file, and Postgres refuses to start with it.
      await rm(files.postmasterPid, { force: true });
      return undefined;
    }
    const server = await identifyProcess(Number(firstLine));
    if (!server) return undefined;
    if (!(await isPostmasterOf(server.pid, files.cluster))) {
      await disownPostmasterPid(files);
      return undefined;
    }
    const password = await readIfPresent(files.password);
    const url = password !== undefined && port ? urlOf(port, password) : undefined;
    if (url !== undefined && (await isOurs(url, files.cluster))) return { process: server, url };
    if (performance.now() > giveUpAt) {
      throw new Error(`A Postgres server (process ${server.pid}) runs on ${files.cluster} but does not let us in.`);
    }
    await delay(50);
  }
}

/**
 * Replaces the pid in postmaster.pid with our own. Postgres does not start while that pid belongs to another live
 * process, but treats its parent's pid as stale. The file stays, because it also names the shared memory that old
 * backends may still use.
 */
async function disownPostmasterPid(files: EmbeddedPostgresFiles): Promise<void> {
  const lines = (await readFile(files.postmasterPid, "utf8")).split("\n");
  const { uid, gid } = await stat(files.cluster);
  await writePrivateFile(files.postmasterPid, [process.pid, ...lines.slice(1)].join("\n"), { uid, gid });
}

/**
 * Starts a server, waits until it accepts our login, and makes the database if it is missing. Uses the last port again
 * if it is free. Throws if `onlyPort` is given and another program has it.
 */
export async function launchServer(options: {
  files: EmbeddedPostgresFiles;
  postgres: string;
  runAs: RunAs;
  giveUpAt: number;
  onlyPort?: number | undefined;
}): Promise<RunningServer> {
  const { files, giveUpAt, onlyPort } = options;
  const password = await readFile(files.password, "utf8");
  let port = onlyPort ?? (await choosePort(files));
  for (;;) {
    const url = urlOf(port, password);
    await writePrivateFile(files.url, `${url}\n`);
    const attempt = await launchOnce({ ...options, port, url });
    if ("process" in attempt) {
      try {
        await ensureDatabase(url, giveUpAt);
      } catch (error) {
        await stopServer(attempt.process);
        throw error;
      }
      return { process: attempt.process, url };
    }
    const portTaken = /could not bind|Address already in use/.test(attempt.complaint);
    // Backends of a killed postmaster end on their own within moments.
    const oldBackends = /still in use|lock file .* already exists/.test(attempt.complaint);
    if (portTaken && onlyPort !== undefined) {
      throw new Error(`Another program uses port ${onlyPort} of 127.0.0.1, at which this service looks for Postgres.`);
    }
    if (performance.now() > giveUpAt || !(portTaken || oldBackends)) {
      throw new Error(`The embedded Postgres did not start; see ${files.log}.\n${attempt.complaint}`);
    }
    if (portTaken) port = await anyFreePort();
    else await delay(100);
  }
}

async function launchOnce(options: {
  files: EmbeddedPostgresFiles;
  postgres: string;
  runAs: RunAs;
  port: number;
  url: string;
  giveUpAt: number;
}): Promise<{ process: ProcessIdentity } | { complaint: string }> {
  const { files, postgres, runAs, port, url, giveUpAt } = options;
  const log = await open(files.log, "a", 0o600);
  const { size: logStart } = await log.stat();
  const child = spawnAs(
    runAs,
    postgres,
    ["-D", files.cluster, "-p", String(port), "-c", "listen_addresses=127.0.0.1"],
    {
      stdio: ["ignore", log.fd, log.fd],
      detached: true,
    },
  );
  // If this process is killed, the server survives and the next start adopts it. The server must not keep this process
  // alive either.
  child.unref();
  let ended: string | undefined;
  child.once("error", (error) => (ended = error.message));
  child.once("exit", (code, signal) => (ended = `ended with ${signal ?? code}`));
  await log.close();
  while (ended === undefined && performance.now() < giveUpAt) {
    if (await isOurs(url, files.cluster)) {
      const identity = child.pid === undefined ? undefined : await identifyProcess(child.pid);
      if (identity) return { process: identity };
    }
    await delay(10);
  }
  if (ended === undefined && child.pid !== undefined) signalProcess(child.pid, "SIGQUIT");
  const logged = (await readFile(files.log, "utf8").catch(() => "")).slice(logStart);
  return { complaint: `${logged.split("\n").slice(-20).join("\n")}${ended ?? "took too long"}` };
}

/** Stops the server: open transactions are rolled back immediately, and a server that does not end is killed. */
export async function stopServer(
  server: ProcessIdentity,
): Promise<"fast" | "immediate" | "killed" | "was not running"> {
  const steps = [
    { signal: "SIGINT", waitMs: 5_000, result: "fast" },
    { signal: "SIGQUIT", waitMs: 2_000, result: "immediate" },
    { signal: "SIGKILL", waitMs: 1_000, result: "killed" },
  ] as const;
  if (!(await isRunning(server))) return "was not running";
  for (const { signal, waitMs, result } of steps) {
    // Without the postmaster, a hanging backend would stay and prevent the next server from starting.
    if (signal === "SIGKILL") for (const child of await childrenOf(server.pid)) signalProcess(child, signal);
    signalProcess(server.pid, signal);
    const waitUntil = performance.now() + waitMs;
    while (performance.now() < waitUntil) {
      if (!(await isRunning(server))) return result;
      await delay(20);
    }
  }
  throw new Error(`Postgres (process ${server.pid}) does not end.`);
}

/**
 * Empties the log of a running server once it is too large, and keeps a copy. The server appends, so it continues at
 * the new end.
 */
export async function boundLog(files: EmbeddedPostgresFiles): Promise<void> {
  const { size } = await stat(files.log);
  if (size <= logBytes) return;
  await copyFile(files.log, files.previousLog);
  await truncate(files.log, 0);
}

async function choosePort(files: EmbeddedPostgresFiles): Promise<number> {
  const last = await readIfPresent(files.url);
  const port = last !== undefined && URL.canParse(last.trim()) ? Number(new URL(last.trim()).port) : 0;
  return (await freePort(port)) ?? (await anyFreePort());
}

async function anyFreePort(): Promise<number> {
  const port = await freePort(0);
  if (port === undefined) throw new Error("No port on 127.0.0.1 can be listened on.");
  return port;
}

/** Returns the port if it is free; for 0, any free port. */
async function freePort(port: number): Promise<number | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => {
      done(undefined);
    });
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        done(typeof address === "object" ? address?.port : undefined);
      });
    });
  });
}

function urlOf(port: string | number, password: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}
