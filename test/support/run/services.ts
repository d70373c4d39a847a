import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { appendFile, mkdtemp, rm, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import pg from "pg";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { embeddedPostgresFiles } from "../../../embedded-postgres/files.ts";
import { findTool } from "./tools.ts";

/** A service that a test run started, or was given. */
export interface Service {
  url: string;
  stop(): Promise<void>;
}

const quiet = { info: () => undefined, error: () => undefined };

const memoryFileSystem = "/dev/shm";
const memoryBytesMin = 4 * 1024 ** 3;

/**
 * Makes a new directory for data that ends with the run: in memory if there is enough, because each database has 300
 * files.
 */
export async function scratchDirectory(name: string): Promise<string> {
  const memory = await statfs(memoryFileSystem).catch(() => undefined);
  const fits = memory !== undefined && memory.bavail * memory.bsize >= memoryBytesMin;
  return mkdtemp(join(fits ? memoryFileSystem : tmpdir(), name));
}

/** Prepares a data directory with a cluster in it, for copies: making a cluster costs more than a second of CPU. */
export async function prepareDataDirectory(): Promise<Service> {
  const directory = await scratchDirectory("realmpass-prepared-");
  const options = { dataDirectory: directory, log: quiet, searchPath: process.env["PATH"] ?? "" };
  const postgres = await startEmbeddedPostgres(options);
  await withCheapPassword(postgres.url);
  await postgres.stop();
  return { url: directory, stop: () => rm(directory, { recursive: true, force: true }) };
}

/**
 * Stores the same password again, derived in one round instead of 4,096: client and server derive it for each of
 * thousands of connections.
 */
async function withCheapPassword(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set scram_iterations = 1");
    await client.query(
      `alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(decodeURIComponent(password))}`,
    );
  } finally {
    await client.end();
  }
}

/** Makes `directory` a copy of a data directory, by default the one that contains only a cluster. */
export async function copyDataDirectory(directory: string, from = process.env["TEST_DATA_DIRECTORY"]): Promise<void> {
  if (from === undefined) throw new Error("TEST_DATA_DIRECTORY is set by test/support/run/global-setup.ts");
  // `cp` keeps the owners of the cluster's files when root runs the tests.
  await promisify(execFile)("cp", ["-a", `${from}/.`, directory]);
}

/** Starts Postgres: TEST_DATABASE_URL if it is set, else the one that Realmpass brings along. */
export async function startPostgres(): Promise<Service> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };

  const directory = await scratchDirectory("realmpass-test-");
  await copyDataDirectory(directory);
  // Enough connections for the services that fault tests run at the same time, each with up to 53.
  await appendFile(join(embeddedPostgresFiles(directory).cluster, "postgresql.auto.conf"), "max_connections = 750\n");
  const postgres = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: quiet,
    searchPath: process.env["PATH"] ?? "",
  });
  await withoutDurability(postgres.url);
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Switches off waiting for the disk, which proves nothing: no data in this cluster outlives the run. */
async function withoutDurability(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const setting of ["fsync", "full_page_writes", "synchronous_commit", "wal_compression"]) {
      await client.query(`alter system set ${setting} = off`);
    }
    await client.query("alter system set max_wal_size = '4GB'");
    await client.query("select pg_reload_conf()");
  } finally {
    await client.end();
  }
}

/**
 * Starts Redis: TEST_REDIS_URL if it is set, else `redis-server` from the PATH, else a container if a Docker engine
 * responds; returns undefined if none of them is available.
 */
export async function startRedis(): Promise<Service | undefined> {
  const given = process.env["TEST_REDIS_URL"];
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };
  const program = findTool("redis-server");
  return program === undefined ? startRedisContainer() : startRedisProgram(program);
}

async function startRedisProgram(program: string): Promise<Service> {
  const directory = await scratchDirectory("realmpass-redis-");
  const port = await freePort();
  const server = spawn(program, ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, ...redisSettings], {
    stdio: "ignore",
  });
  const url = `redis://127.0.0.1:${port}`;
  await answers(url);
  return {
    url,
    async stop() {
      await ended(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startRedisContainer(): Promise<Service | undefined> {
  if (!dockerAnswers()) return undefined;
  // Imported only here, because testcontainers is large and rarely needed.
  const { GenericContainer, Wait } = await import("testcontainers");
  const container = await new GenericContainer("redis:7")
    .withCommand(["redis-server", ...redisSettings])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage("Ready to accept connections"))
    .start();
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    async stop() {
      await container.stop();
    },
  };
}

const dockerAnswers = (): boolean =>
  findTool("docker") !== undefined && spawnSync("docker", ["info"], { stdio: "ignore", timeout: 2_000 }).status === 0;

const redisDatabases = 16_384;
const redisSettings = [
  "--databases",
  String(redisDatabases),
  "--appendonly",
  "yes",
  "--appendfsync",
  "everysec",
].concat(["--maxmemory-policy", "noeviction", "--save", ""]);
const redisDatabasesPerProcess = 64;
let redisDatabasesTaken = 0;

/**
 * Returns the URL of a Redis database that no other test of the run uses; in a shared one, queues with the same name
 * would mix.
 */
export function freshRedisDatabase(): string {
  const given = process.env["TEST_REDIS_URL"];
  if (given === undefined) throw new Error("this test needs Redis");
  const testProcess = Number(process.env["VITEST_WORKER_ID"] ?? "0") % (redisDatabases / redisDatabasesPerProcess);
  const url = new URL(given);
  if (redisDatabasesTaken === redisDatabasesPerProcess) throw new Error("no Redis database is left for this process");
  url.pathname = `/${testProcess * redisDatabasesPerProcess + redisDatabasesTaken++}`;
  return url.href;
}

/** Stops a child process by its id and waits until it has ended. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
    child.kill(signal);
  });
}

/**
 * Returns a port that was free a moment ago and that the system does not assign by itself: it takes ports from 32768 on
 * (`net.ipv4.ip_local_port_range`) for connections and for listeners on port 0.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

async function answers(url: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 600, retryStrategy: () => 100 });
  redis.on("error", () => undefined);
  await redis.ping();
  redis.disconnect();
}
