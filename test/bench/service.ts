import { execFileSync, fork, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { only, openDatabase, type Database } from "../../db/client.ts";
import { sql } from "../../db/sql.ts";
import { findEmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import type { Metrics } from "./metrics.ts";
import { ended, freePort, startRedis } from "../support/run/services.ts";
import type { Cleanup } from "./cleanup.ts";
import { pidsOf, readCpu, readMemory, readPeakMemory, type CpuByPart, type Part, type ServicePart } from "./cpu.ts";
import { countStatements, prepareStatements } from "./statements.ts";

export type Backend = "redis" | "postgres";

/** The service as `npm start` runs it, in separate processes and a separate directory. */
export interface Service {
  backend: Backend;
  port: number;
  token: string;
  /** The client of the token. */
  client: { client_id: string; client_secret: string };
  realmId: string;
  /** Runs an operator's command and returns its output. */
  operate: Operate;
  /** A connection with the owner's rights. */
  db: Database;
  databaseUrl: string;
  postgresVersion: string;
  /** The ports on this machine at which the responders answer OCSP. */
  ocspPorts: readonly number[];
  cpu(): CpuByPart;
  memory(): Record<Part, number>;
  /**
   * Returns the bytes of JavaScript and buffers that remain in the part's main threads after a garbage collection; not
   * for Postgres or Redis.
   */
  liveMemory(part: ServicePart): Promise<number>;
  /** Returns the part's peak of resident memory, in bytes. */
  peakMemory(part: Part): number;
  /** Starts another worker in addition to the first. The worker stops with the service, or earlier with `kill`. */
  startWorker(): Promise<{ kill: () => Promise<void> }>;
  /** Starts another responder in addition to the first. The responder stops with the service. */
  startResponder(): Promise<void>;
  /** Returns the metrics of the first api, worker and responder. */
  metrics(): Promise<Metrics>;
  /** Returns how many of the worker's RSA keys are ready. */
  rsaKeysReady(): Promise<number>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  backend: Backend;
  /**
   * The directory of the build to start: this build, or another commit's. The benchmark relies only on the build's
   * programs, their environment and HTTP.
   */
  tree: string;
  env: Record<string, string>;
  cpuProfiles?: string | undefined;
  /** Whether Postgres counts statements, which costs a little. */
  statements?: boolean;
  cleanup: Cleanup;
}

/**
 * Starts the service and registers a client for it. The service stops with the cleanup at the latest, or when this
 * process dies.
 */
export async function startService({
  backend,
  tree,
  env: extra,
  cpuProfiles,
  statements = false,
  cleanup,
}: ServiceOptions): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-bench-"));
  const removeDirectory = cleanup.add(() => rm(directory, { recursive: true, force: true }));
  const redis = backend === "redis" ? await startRedis() : undefined;
  if (backend === "redis" && redis === undefined) throw new Error("redis-server is not installed");
  const stopRedis = cleanup.add(async () => redis?.stop());
  if (cpuProfiles !== undefined) await mkdir(cpuProfiles, { recursive: true });

  const port = await freePort();
  const ocspPorts = [await freePort()];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: directory,
    REALMPASS_DATA_DIRECTORY: join(directory, "data"),
    PORT: String(port),
    REALMPASS_METRICS_PORT: "0",
    REALMPASS_OCSP_PORT: String(ocspPorts[0]),
    REALMPASS_RATE_LIMIT_SERVICE: "1000000",
    REALMPASS_RATE_LIMIT_USER: "1000000",
    // Sets the variable only if the build supports it: an older build would not start.
    ...((await readFile(join(tree, ".env.example"), "utf8")).includes("REALMPASS_RATE_LIMIT_TOKENS") && {
      REALMPASS_RATE_LIMIT_TOKENS: "1000000",
    }),
    REALMPASS_RSA_KEY_POOL: "0",
    ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
    NODE_OPTIONS: [
      loading("live-memory.mjs", directory),
      ...(cpuProfiles === undefined ? [] : [loading("cpu-profile.mjs", resolve(cpuProfiles))]),
    ].join(" "),
    ...extra,
  };
  if (statements) await prepareStatements(join(directory, "data"));
  const metricsOf = new Map<string, string>();
  const { pid, stop: stopChild } = await launch(tree, env, cleanup, (line) => {
    if (!line.includes(`"event":"metrics.listening"`)) return;
    const { process: name, url } = JSON.parse(line) as { process: string; url: string };
    metricsOf.set(name, url);
  });

  const databaseUrl = (await findEmbeddedPostgres(join(directory, "data")))?.url;
  if (databaseUrl === undefined) throw new Error("the service's database is not to be found");
  const db = openDatabase({
    url: databaseUrl,
    connectionsMax: 2,
    applicationName: "realmpass bench",
    answerSecondsMax: 600,
  });
  const closeDatabase = cleanup.add(() => db.close());
  if (statements) await countStatements(db);
  const { id: realmId } = only(
    await db.query<{ id: string }>(
      sql`update realms set max_profiles = 100, offboarding_share_percent = 100 returning id`,
    ),
  );
  const [shown] = await db.query<{ server_version: string }>(sql`show server_version`);
  const roots = [pid, redis === undefined ? undefined : await processOf(redis.url)].filter((pid) => pid !== undefined);

  const operate = operatorOf(tree, env);
  const client = registerClient(operate, []);
  const stopStarted: (() => Promise<void>)[] = [];
  const startAnother = async (name: "worker" | "responder", more: Record<string, string>): Promise<ChildProcess> => {
    const child = fork(join(tree, `dist/${name}/main.js`), {
      cwd: tree,
      env: { ...env, DATABASE_URL: databaseUrl, ...more },
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    stopStarted.push(cleanup.add(() => ended(child)));
    const reader = createInterface({ input: child.stderr ?? Readable.from([]) });
    reader.on("line", createComplaints());
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => {
        resolve();
      });
      child.once("exit", (code) => {
        reject(new Error(`a ${name} ended with exit code ${code} before it was ready`));
      });
    });
    if (child.pid !== undefined) roots.push(child.pid);
    return child;
  };
  return {
    backend,
    port,
    client,
    token: await obtainToken(port, client),
    realmId,
    operate,
    db,
    databaseUrl,
    postgresVersion: shown?.server_version ?? "unknown",
    ocspPorts,
    cpu: () => readCpu(roots),
    memory: () => readMemory(roots),
    liveMemory: (part) => collectGarbage(pidsOf(roots, part), directory),
    peakMemory: (part) => readPeakMemory(roots, part),
    async startWorker() {
      const child = await startAnother("worker", {});
      return { kill: () => ended(child, "SIGKILL") };
    },
    async startResponder() {
      const ocspPort = await freePort();
      await startAnother("responder", { REALMPASS_OCSP_PORT: String(ocspPort) });
      ocspPorts.push(ocspPort);
    },
    metrics: () => readMetrics(metricsOf),
    async rsaKeysReady() {
      const { worker = "" } = await readMetrics(metricsOf);
      return Number(/^realmpass_rsa_key_pool_size (\d+)/m.exec(worker)?.[1] ?? Number.NaN);
    },
    async stop() {
      await closeDatabase();
      for (const stop of stopStarted) await stop();
      await stopChild();
      await stopRedis();
      await removeDirectory();
    },
  };
}

/**
 * Starts a build as `npm start` does, and waits until the build is ready. The build stops with the cleanup at the
 * latest.
 */
export async function launch(
  tree: string,
  env: Record<string, string>,
  cleanup: Cleanup,
  onLogLine: (line: string) => void = () => undefined,
): Promise<{ pid: number; stop: () => Promise<void> }> {
  const child = fork(join(tree, "dist/start.js"), {
    cwd: tree,
    env,
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const stop = cleanup.add(() => ended(child));
  const complain = createComplaints();
  createInterface({ input: child.stderr ?? Readable.from([]) }).on("line", (line) => {
    onLogLine(line);
    complain(line);
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (text: Buffer) => {
      if (text.toString().includes("is ready at")) resolve();
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      reject(new Error(`the service ended with exit code ${code} before it was ready`));
    });
  });
  if (child.pid === undefined) throw new Error("the service has no process");
  return { pid: child.pid, stop };
}

/** The most errors of each kind to show: beyond capacity every request can fail. */
const shownMax = 3;

/** Returns a function that shows the service's errors immediately, without the log of every request. */
function createComplaints(): (line: string) => void {
  const shown = new Map<string, number>();
  return (line) => {
    if (!/"level":"(?:warn|error|fatal)"/.test(line) || line.includes("first_run.")) return;
    const event = /"event":"([^"]*)"/.exec(line)?.[1] ?? "";
    const times = (shown.get(event) ?? 0) + 1;
    shown.set(event, times);
    if (times <= shownMax) process.stderr.write(`${line}\n`);
    if (times === shownMax) process.stderr.write(`(no more of ${event} is shown)\n`);
  };
}

/** Returns the metrics text of each process, from the process's address. */
async function readMetrics(addresses: ReadonlyMap<string, string>): Promise<Metrics> {
  const read = async ([name, url]: [string, string]): Promise<[string, string]> => [
    name,
    await (await fetch(url)).text(),
  ];
  return Object.fromEntries(await Promise.all([...addresses].map(read)));
}

/**
 * Returns the option that loads a module from this directory into a process; the module writes into the given
 * directory.
 */
const loading = (module: string, directory: string): string =>
  `--import=${new URL(`./${module}?${encodeURIComponent(directory)}`, import.meta.url).href}`;

/** Makes processes collect their garbage, and adds up the remaining bytes. */
async function collectGarbage(pids: readonly number[], directory: string): Promise<number> {
  const left = pids.map(async (pid) => {
    const file = join(directory, `${pid}.live-memory`);
    process.kill(pid, "SIGUSR2");
    await until(`process ${pid} has collected its garbage`, 30, () => Promise.resolve(existsSync(file)));
    const bytes = Number(await readFile(file, "utf8"));
    await rm(file);
    return bytes;
  });
  return (await Promise.all(left)).reduce((sum, bytes) => sum + bytes, 0);
}

/** Returns the process id of a Redis server on this machine. */
async function processOf(redisUrl: string): Promise<number> {
  const redis = new Redis(redisUrl);
  try {
    return Number(/process_id:(\d+)/.exec(await redis.info("server"))?.[1]);
  } finally {
    redis.disconnect();
  }
}

/** Runs an operator's command and returns its output. */
type Operate = (args: readonly string[]) => unknown;

const operatorOf =
  (tree: string, env: Record<string, string>): Operate =>
  (args) =>
    JSON.parse(
      execFileSync(process.execPath, [join(tree, "dist/operator/main.js"), ...args, "--json"], {
        cwd: tree,
        env: { ...env, NODE_OPTIONS: "" },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      }),
    );

/** Registers a service client as an operator does. */
const registerClient = (operate: Operate, inRealm: readonly string[]): Service["client"] =>
  operate([
    ...["application", "create", "--type", "service", "--name", `bench ${randomUUID()}`],
    ...["--client-uri", "https://bench.example"],
    ...inRealm,
  ]) as Service["client"];

/**
 * Registers another client. The service keeps a thousand tokens per client, so a scenario that draws many tokens uses a
 * separate client.
 */
export const addClient = ({ operate }: Service, inRealm: readonly string[] = []): Service["client"] =>
  registerClient(operate, inRealm);

/** Makes another realm in the same service, with an issuer and a client. */
export async function addRealm(service: Service, name: string): Promise<Service> {
  const { db, port, operate } = service;
  operate(["realm", "create", "--name", name, "--domain", `${name}.example`]);
  const { id: realmId } = only(
    await db.query<{ id: string }>(
      sql`update realms set max_profiles = 100, offboarding_share_percent = 100 where name = ${name} returning id`,
    ),
  );
  const client = addClient(service, ["--realm", name]);
  return { ...service, realmId, client, token: await obtainToken(port, client) };
}

/** Draws a token as a client does: with the given `scope`, else with all scopes except the machine scopes. */
export async function obtainToken(port: number, client: Service["client"], scope?: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", ...client, ...(scope !== undefined && { scope }) }),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`no access token: ${answer.status}`);
  return token;
}

/** Makes users without a profile by SQL, because the scenarios do not measure this. */
export async function addUsers({ db, realmId }: Service, count: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    insert into users (realm_id, pairwise_id, created_at)
    select ${realmId}::bigint, 'bench-' || gen_random_uuid(), now()
      from generate_series(1, ${count}::integer)
    returning id
  `);
  return rows.map(({ id }) => id);
}

/** Waits until a condition holds; throws if the time runs out. */
export async function until(what: string, secondsMax: number, holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + secondsMax * 1000;
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`not within ${secondsMax} s: ${what}`);
    await delay(250);
  }
}
