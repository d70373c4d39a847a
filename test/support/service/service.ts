import { fork, type ChildProcess } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database } from "../../../db/client.ts";
import * as applications from "../../../db/queries/oauth/applications.ts";
import type { ProcessKind } from "../../../domain/process.ts";
import { scopesAllowedTo, type Scope } from "../../../domain/people/scopes.ts";
import { systemClock } from "../../../runtime/clock.ts";
import type { QueueBackend } from "../../../runtime/queue/queues.ts";
import { atEnd } from "../run/at-end.ts";
import { cloneDatabase, openPatiently } from "../run/database.ts";
import { givenIssuingRealm, testPassphrase, type IssuingRealm } from "../given/issuing.ts";
import { ended, freshRedisDatabase } from "../run/services.ts";

/** The service as it runs in production: separate compiled processes, killed as the machine would kill them. */

export interface Answer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: { data?: unknown; error?: string } & Record<string, unknown>;
}

export interface RunningService extends IssuingRealm {
  owner: Database;
  databaseUrl: string;
  redisUrl: string | undefined;
  clientSecret: string;
  /** The token that `call` uses. */
  accessToken: string;
  /** The directory of the service's secrets. */
  dataDirectory: string;
  /** The port of the api that was started last. */
  readonly apiPort: number;
  api: ChildProcess[];
  workers: ChildProcess[];
  responders: ChildProcess[];
  startApi(env?: Record<string, string>): Promise<ChildProcess>;
  startWorker(env?: Record<string, string>): Promise<ChildProcess>;
  startResponder(env?: Record<string, string>): Promise<ChildProcess>;
  /** Calls the API as a service client of the realm. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Calls the API on this port as a service client of the realm. */
  callAt(port: number, ...request: Parameters<RunningService["call"]>): Promise<Answer>;
  /** Returns a token of the application; it has machine scopes only if `scope` names one. */
  tokenOf(application: { clientId: string; clientSecret: string }, scope?: Scope): Promise<string>;
  /** Returns all logs and output of the processes. */
  logs(): Promise<string>;
}

/**
 * Starts one api, one worker by default, and on request a responder, on a new database; stops and removes everything at
 * the end of the test or file.
 */
export async function startService({
  kind,
  env: shared = {},
  databaseUrl,
  clone: givenClone,
  redisUrl = kind === "redis" ? freshRedisDatabase() : undefined,
  maxProfiles = 100,
  worker = true,
  responder = false,
  atEnd: whenItEnds = atEnd,
}: {
  kind: QueueBackend["kind"];
  env?: Record<string, string>;
  /** Changes the processes' database URL, for instance to a proxy in front of it. */
  databaseUrl?: (clone: string) => string;
  /** A migrated database, instead of a copy of the one that all tests share. */
  clone?: Awaited<ReturnType<typeof cloneDatabase>>;
  /** A Redis, instead of a database of the one that all tests share. */
  redisUrl?: string | undefined;
  maxProfiles?: number;
  /** False: no worker is started. */
  worker?: boolean;
  /** True: a responder is started. */
  responder?: boolean;
  /**
   * Registers the function that stops and removes everything; omitted: this happens at the end of the running test, or
   * of the file.
   */
  atEnd?: (stop: () => Promise<void>) => void;
}): Promise<RunningService> {
  const clone = givenClone ?? (await cloneDatabase());
  const owner = openPatiently({ url: clone.url, connectionsMax: 4 });
  const directory = await mkdtemp(join(tmpdir(), "realmpass-service-"));
  const realm = await givenIssuingRealm(owner, { maxProfiles });
  const { clientId, clientSecret } = await givenServiceApplication(owner, realm.realmId);
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  const api: ChildProcess[] = [];
  const workers: ChildProcess[] = [];
  const responders: ChildProcess[] = [];
  let port = 0;

  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: directory,
    DATABASE_URL: databaseUrl?.(clone.url) ?? clone.url,
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    REALMPASS_DATA_DIRECTORY: join(directory, "data"),
    REALMPASS_GENERATE_SECRETS: "1",
    REALMPASS_ISSUER_KEY_PASSPHRASE: testPassphrase,
    REALMPASS_METRICS_PORT: "0",
    REALMPASS_RSA_KEY_POOL: "0",
    REALMPASS_RATE_LIMIT_SERVICE: "100000",
    REALMPASS_RATE_LIMIT_TOKENS: "1000000",
    ...shared,
  };

  async function start(name: ProcessKind, extra: Record<string, string>): Promise<[ChildProcess, unknown]> {
    // A worker ignores the output key, and an API ignores the passphrase, so all processes get the same environment.
    const child = fork(`dist/${name}/main.js`, {
      env: { ...env, ...extra },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const log = createWriteStream(join(directory, `${name}.log`), { flags: "a" });
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    const message = await new Promise<unknown>((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => {
        reject(new Error(`${name} did not start (exit code ${code})`));
      });
    });
    return [child, message];
  }

  const service: RunningService = {
    ...realm,
    owner,
    databaseUrl: clone.url,
    redisUrl,
    clientSecret,
    accessToken: "",
    dataDirectory: env.REALMPASS_DATA_DIRECTORY,
    get apiPort() {
      return port;
    },
    api,
    workers,
    responders,
    async startApi(extra = {}) {
      const [child, message] = await start("api", { PORT: "0", ...extra });
      port = (message as { port: number }).port;
      api.push(child);
      return child;
    },
    async startWorker(extra = {}) {
      const [child] = await start("worker", extra);
      workers.push(child);
      return child;
    },
    async startResponder(extra = {}) {
      const [child] = await start("responder", extra);
      responders.push(child);
      return child;
    },
    call: (...request) => service.callAt(port, ...request),
    callAt: (at, method, path, body, headers = {}) =>
      send({
        agent,
        port: at,
        method,
        path,
        headers: { authorization: `Bearer ${service.accessToken}`, ...headers },
        body: body === undefined ? undefined : { type: "application/json", text: JSON.stringify(body) },
      }),
    async tokenOf({ clientId, clientSecret: secret }, scope) {
      const client = { client_id: clientId, client_secret: secret };
      const form = { grant_type: "client_credentials", ...client, ...(scope !== undefined && { scope }) };
      const body = { type: "application/x-www-form-urlencoded", text: new URLSearchParams(form).toString() };
      const answer = await send({ agent, port, method: "POST", path: "/oauth/token", headers: {}, body });
      return String(answer.body["access_token"]);
    },
    async logs() {
      const texts = ["api.log", "worker.log", "responder.log"].map((name) =>
        readFile(join(directory, name), "utf8").catch(() => ""),
      );
      return (await Promise.all(texts)).join("\n");
    },
  };

  whenItEnds(async () => {
    agent.destroy();
    await Promise.all([...api, ...workers, ...responders].map((child) => ended(child)));
    await owner.close();
    await clone.drop();
    await rm(directory, { recursive: true, force: true });
  });

  await service.startApi();
  if (worker) await service.startWorker();
  if (responder) await service.startResponder();
  service.accessToken = await service.tokenOf({ clientId, clientSecret });
  return service;
}

/**
 * Registers a program's application in a realm, by default with every scope that such an application is allowed to
 * have.
 */
export async function givenServiceApplication(
  owner: Database,
  realmId: string,
  scopes: readonly Scope[] = scopesAllowedTo("service"),
): Promise<{ clientId: string; clientSecret: string }> {
  const clientId = randomUUID();
  const clientSecret = randomBytes(32).toString("base64url");
  await owner.transaction((tx) =>
    applications.create(tx, {
      clientId,
      realmId,
      type: "service",
      name: "test",
      clientUri: "https://client.example",
      redirectUris: [],
      scopes: [...scopes],
      useClientSecret: true,
      requirePkce: false,
      createdBy: "test",
      secretHash: createHash("sha256").update(clientSecret).digest(),
      at: systemClock.now(),
    }),
  );
  return { clientId, clientSecret };
}

interface Sent {
  agent: Agent;
  port: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: { type: string; text: string } | undefined;
}

function send({ agent, port, method, path, headers, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: "127.0.0.1",
        port,
        agent,
        method,
        path,
        headers: {
          ...(body === undefined ? {} : { "content-type": body.type, "content-length": Buffer.byteLength(body.text) }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: text === "" ? {} : (JSON.parse(text) as Answer["body"]),
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body?.text);
  });
}
