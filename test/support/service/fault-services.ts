import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { expect } from "vitest";
import { migrateAll } from "../../../operator/migrate/migrate.ts";
import { startEmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { embeddedPostgresFiles } from "../../../embedded-postgres/files.ts";
import { eventually } from "../run/eventually.ts";
import { copyDataDirectory, ended, freePort } from "../run/services.ts";
import { requireTool } from "../run/tools.ts";

/** A separate Postgres or Redis, which the test is allowed to break. */
export interface Breakable {
  url: string;
  /**
   * Stops the server immediately, as `kill -9` or `pg_ctl stop -m immediate` would; resolves when the server is back.
   */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Postgres with a migrated database, which commits to the disk as in production. */
export async function startBreakablePostgres(): Promise<Breakable> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-fault-"));
  await copyDataDirectory(directory);
  const quiet = { info: () => undefined, error: () => undefined };
  const postgres = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: quiet,
    searchPath: process.env["PATH"] ?? "",
  });
  const { url } = postgres;
  await migrateAll(url);
  const { postmasterPid } = embeddedPostgresFiles(directory);
  const pid = async (): Promise<number> => Number((await readFile(postmasterPid, "utf8")).split("\n")[0]);

  return {
    url,
    async crash() {
      const before = await pid();
      process.kill(before, "SIGQUIT");
      // Postgres' parent process starts it again.
      await eventually(
        async () => {
          if ((await pid()) === before) throw new Error("Postgres has not ended yet");
          await answersQuery(url);
        },
        { withinMs: 60_000 },
      );
    },
    async stop() {
      await postgres.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function answersQuery(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A separate Redis, which the test is allowed to break. */
export interface BreakableRedis extends Breakable {
  empty(): Promise<void>;
  /** Stops Redis; returns a function that starts it again with its data. */
  takeAway(): Promise<() => Promise<void>>;
  configure(name: string, value: string): Promise<void>;
  /** Makes Redis' snapshots fail, so that Redis accepts no writes; returns a function that makes them succeed again. */
  failSnapshots(): Promise<() => Promise<void>>;
  /**
   * Restarts Redis so that it loads its data for minutes and refuses commands; returns a function that restarts it
   * empty.
   */
  loadSlowly(): Promise<() => Promise<void>>;
  /** Makes Redis the replica of an unreachable Redis; returns a function that makes it a primary again. */
  demote(): Promise<() => Promise<void>>;
}

/** Starts a Redis that keeps its data as docs/operations.md requires, or a Redis Cluster with a single node. */
export async function startBreakableRedis({ isCluster = false } = {}): Promise<BreakableRedis> {
  const program = requireTool("redis-server");
  const directory = await mkdtemp(join(tmpdir(), "realmpass-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  // Users outlive a restart once they are saved.
  const users = join(directory, "users.acl");
  await writeFile(users, "");
  const settings = [
    "--aclfile",
    users,
    "--appendonly",
    "yes",
    "--appendfsync",
    "everysec",
    "--maxmemory-policy",
    "noeviction",
    "--save",
    "",
    // By default, Redis' cluster bus uses the port + 10,000, which another connection may be using.
    ...(isCluster ? ["--cluster-enabled", "yes", "--cluster-port", String(await freePort())] : []),
  ];
  const spawnServer = (...more: string[]): ChildProcess =>
    spawn(program, ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, ...settings, ...more], {
      stdio: "ignore",
    });
  const start = async (): Promise<ChildProcess> => {
    const started = spawnServer();
    await withRedis(url, (redis) => redis.ping());
    return started;
  };
  let server = await start();

  return {
    url,
    async crash() {
      await ended(server, "SIGKILL");
      server = await start();
    },
    async empty() {
      await withRedis(url, (redis) => redis.flushall());
    },
    async takeAway() {
      await ended(server);
      return async () => {
        server = await start();
      };
    },
    async configure(name, value) {
      await withRedis(url, (redis) => redis.config("SET", name, value));
    },
    async failSnapshots() {
      // Redis cannot rename its new snapshot over a directory.
      const inTheWay = join(directory, "dump.rdb");
      await mkdir(inTheWay);
      await withRedis(url, async (redis) => {
        await redis.config("SET", "save", "3600 1");
        await redis.bgsave();
        await eventually(async () => {
          expect(await redis.info("persistence")).toContain("rdb_last_bgsave_status:err");
        });
      });
      return async () => {
        await rmdir(inTheWay);
        await withRedis(url, (redis) => redis.config("SET", "save", ""));
      };
    },
    async loadSlowly() {
      await withRedis(url, async (redis) => {
        const pipeline = redis.pipeline();
        for (let key = 0; key < 200_000; key++) pipeline.set(`filler:${key}`, "");
        await pipeline.exec();
      });
      await ended(server);
      // Microseconds for each key.
      server = spawnServer("--key-load-delay", "1000");
      return async () => {
        await ended(server, "SIGKILL");
        server = await start();
        await withRedis(url, (redis) => redis.flushall());
      };
    },
    async demote() {
      await withRedis(url, (redis) => redis.replicaof("127.0.0.1", 1));
      return () => withRedis(url, (redis) => redis.replicaof("NO", "ONE"));
    },
    async stop() {
      await ended(server);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function withRedis(url: string, use: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 600, retryStrategy: () => 100 });
  redis.on("error", () => undefined);
  await use(redis);
  redis.disconnect();
}
