import { randomBytes } from "node:crypto";
import { Agent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Registry } from "prom-client";
import { beforeAll, expect } from "vitest";
import type { ApiSettings } from "../../../api/contract/deps.ts";
import type { TlsListenerOptions } from "../../../api/http/client-certificate/config.ts";
import type { ConnectionLimits } from "../../../api/listeners.ts";
import { startApi } from "../../../api/server.ts";
import { openDatabase, type Database } from "../../../db/client.ts";
import { errorCatalogue, type ErrorCode } from "../../../domain/errors.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { createBeat } from "../../../process/beat.ts";
import { createReadiness, type ReadinessOptions } from "../../../process/readiness.ts";
import { systemClock, type ServiceClock } from "../../../runtime/clock.ts";
import { masterKeys } from "../../../runtime/keys/master-key.ts";
import { createLifecycle } from "../../../runtime/lifecycle.ts";
import type { QueueBackend } from "../../../runtime/queue/queues.ts";
import type { Log } from "../../../runtime/log.ts";
import { atEndOfFile } from "../run/at-end.ts";
import { useDatabase, type TestDatabase } from "../run/database.ts";
import { givenRows, type Given, type GivenGuestAccount, type GivenUser } from "../given/given.ts";
import { backendFor, silentLog, startTestWorker, testOutputKeys, type TestWorker } from "./worker.ts";

/** A response with its body read. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads an answer as a client does; its assertion is the check
export interface ApiAnswer<Body = any> {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed JSON of the body; undefined for other content. */
  body: Body;
}

export interface SendOptions {
  headers?: Record<string, string>;
  /** A body to send as it is, instead of JSON. */
  raw?: string | Buffer;
}

export interface Caller {
  get(path: string, options?: SendOptions & { body?: unknown }): Promise<ApiAnswer>;
  post(path: string, body?: unknown, options?: SendOptions): Promise<ApiAnswer>;
  put(path: string, body?: unknown, options?: SendOptions): Promise<ApiAnswer>;
  delete(path: string, body?: unknown, options?: SendOptions): Promise<ApiAnswer>;
  send(method: string, path: string, options?: SendOptions & { body?: unknown }): Promise<ApiAnswer>;
}

export interface Callers {
  nobody(): Caller;
  token(token: string): Caller;
  /** A signed-in administrator. */
  admin(options?: { realmId?: string; scopes?: readonly Scope[] }): Caller;
  service(options?: { realmId?: string; scopes?: readonly Scope[] }): Caller;
  user(user: GivenUser | Promise<GivenUser>, options?: { scopes?: readonly Scope[] }): Caller;
  guest(account?: GivenGuestAccount): Caller;
}

export interface TestApi {
  readonly url: string;
  /** The URL of the TLS listener, if there is one. */
  readonly tlsUrl: string | undefined;
  readonly database: TestDatabase;
  readonly given: Given;
  /** A realm that exists from the start; `as` sends requests as people of this realm. */
  readonly realmId: string;
  readonly as: Callers;
  /** 32 bytes in base64url. */
  readonly masterKey: string;
  /** Starts a second API on the same database and with the same keys, as if both were behind a load balancer. */
  another(): Promise<{ url: string; as: Callers }>;
  /** Starts a real worker on this file's database; the realm must have an issuer that can sign. */
  startWorker(options?: { auditKey?: string }): Promise<TestWorker>;
  stop(): Promise<void>;
}

export interface ApiOptions {
  settings?: Partial<ApiSettings>;
  /** Options of the TLS listener, through which people can then sign in with profiles. */
  tls?: Omit<TlsListenerOptions, "port">;
  /** Changes the URL of this file's database, for instance to an unreachable one. */
  databaseUrl?: (own: string) => string | Promise<string>;
  /** Wraps the API's database. */
  watch?: (db: Database) => Database;
  /** Used instead of a queue in this file's database. */
  backend?: QueueBackend;
  log?: Log;
  /** The registry of the API's metrics. */
  registry?: Registry;
  /** How often counts of requests are written. */
  requestCountsEveryMs?: number;
  /** Limits of clients' connections, where they differ from those of the service. */
  connections?: Partial<ConnectionLimits>;
  /** Used instead of this machine's clock. */
  clock?: ServiceClock;
  /** Replaces the clock and the secrets that the API's readiness checks use. */
  needs?: Omit<ReadinessOptions, "db" | "log">;
}

/**
 * Starts the API on a free port with a new database for this file. Rate limits are too high to be reached unless the
 * test sets them.
 */
export function useApi({
  settings = {},
  tls,
  databaseUrl,
  watch = (db) => db,
  backend: givenBackend,
  log = silentLog,
  registry,
  requestCountsEveryMs,
  connections,
  clock = systemClock,
  needs = { clock, secrets: { lastMismatches: () => [] } },
}: ApiOptions = {}): TestApi {
  const database = useDatabase();
  const lifecycle = createLifecycle({ log, deadlineMs: 5_000 });
  let url = "";
  let tlsUrl: string | undefined;
  let realmId = "";

  const masterKey = randomBytes(32).toString("base64url");
  const given = givenRows(() => database.owner, { masterKeys: masterKeys(masterKey) });

  const start = async (): Promise<string> => {
    const target = (await databaseUrl?.(database.url)) ?? database.url;
    const options = { url: target, role: "realmpass_api", applicationName: "realmpass test api" } as const;
    const db = watch(openDatabase({ ...options, connectionsMax: 8 }));
    lifecycle.onStop("database", () => db.close());
    // The API only adds tasks, so one connection is enough; each queue would otherwise open its own immediately.
    const ownBackend = givenBackend === undefined ? backendFor("postgres", target, { connectionsMax: 1 }) : undefined;
    if (ownBackend !== undefined) lifecycle.onStop("backend", ownBackend.close);
    const backend = givenBackend ?? ownBackend?.backend;
    if (backend === undefined) throw new Error("no backend");
    const { port, tlsPort } = await startApi({
      db,
      database: options,
      backend,
      masterKeys: masterKey,
      outputPrivateKeyJwk: testOutputKeys.privateJwk,
      host: "127.0.0.1",
      port: 0,
      tls: tls && { ...tls, port: 0 },
      connections,
      requestCountsEveryMs,
      settings: (listening, listeningTls) => ({
        baseUrl: url || `http://127.0.0.1:${listening}`,
        authUrl: url || `http://127.0.0.1:${listening}`,
        publicationUrl: url || `http://127.0.0.1:${listening}`,
        trustedProxies: "",
        waitSeconds: 20,
        rateLimits: { service: 1_000_000, user: 1_000_000, refused: 1_000_000, tokens: 1_000_000 },
        ...settings,
        ...(listeningTls !== undefined && {
          clientCertificates: { ...settings.clientCertificates, listenerUrl: `https://127.0.0.1:${listeningTls}` },
        }),
      }),
      registry: registry ?? new Registry(),
      readiness: createReadiness({ ...needs, db, log }),
      disk: { isFull: () => Promise.resolve(false) },
      clock,
      beat: createBeat({ kind: "api", queue: null, connectionsMax: 8, db, clock, log, lifecycle }),
      log,
      lifecycle,
    });
    tlsUrl ??= tlsPort === undefined ? undefined : `https://127.0.0.1:${tlsPort}`;
    return `http://127.0.0.1:${port}`;
  };

  beforeAll(async () => {
    atEndOfFile(stop);
    realmId = await given.realm();
    url = await start();
  });
  const stop = (): Promise<void> => lifecycle.stop("test");

  const caller = (base: () => string, token: () => Promise<string | undefined>): Caller => {
    let known: Promise<string | undefined> | undefined;
    const send: Caller["send"] = async (method, path, options = {}) => {
      const bearer = await (known ??= token());
      return sendRequest(`${base()}${path}`, method, {
        ...options,
        headers: { ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }), ...options.headers },
      });
    };
    return {
      send,
      get: (path, options) => send("GET", path, options),
      post: (path, body, options) => send("POST", path, { ...options, body }),
      put: (path, body, options) => send("PUT", path, { ...options, body }),
      delete: (path, body, options) => send("DELETE", path, { ...options, body }),
    };
  };

  const application = async (type: "service" | "useragent", realm: string): Promise<string> =>
    (await given.application({ realmId: realm, type })).clientId;

  const callersAt = (base: () => string): Callers => ({
    nobody: () => caller(base, () => Promise.resolve(undefined)),
    token: (token) => caller(base, () => Promise.resolve(token)),
    admin: ({ realmId: realm, ...options } = {}) =>
      caller(base, async () => {
        const user = await given.user({ realmId: realm ?? realmId, administrator: true });
        const clientId = await application("useragent", user.realmId);
        return given.token({ realmId: user.realmId, clientId, userId: user.id }, options);
      }),
    service: ({ realmId: realm, ...options } = {}) =>
      caller(base, async () => {
        const clientId = await application("service", realm ?? realmId);
        return given.token({ realmId: realm ?? realmId, clientId }, options);
      }),
    user: (promised, options) =>
      caller(base, async () => {
        const user = await promised;
        const clientId = await application("useragent", user.realmId);
        return given.token({ realmId: user.realmId, clientId, userId: user.id }, options);
      }),
    guest: (account) =>
      caller(base, async () => {
        const { id, realmId: realm } = account ?? (await given.guestAccount({ realmId }));
        return given.token({ realmId: realm, guestAccountId: id });
      }),
  });

  return {
    get url() {
      return url;
    },
    get tlsUrl() {
      return tlsUrl;
    },
    get realmId() {
      return realmId;
    },
    masterKey,
    database,
    given,
    as: callersAt(() => url),
    async another() {
      const other = await start();
      return { url: other, as: callersAt(() => other) };
    },
    startWorker: (options) => startTestWorker({ databaseUrl: database.url, ...options }),
    stop,
  };
}

/**
 * Requests share connections, as those of most clients do: opening a connection costs as much as a response. An idle
 * connection is closed long before the server would close it, so no request meets the server's close.
 */
const connections = new Agent({ keepAlive: true, timeout: 1_000 });

/** Sends one request over node:http exactly as given: a body with GET, an odd path. */
export function sendRequest(
  url: string,
  method: string,
  { headers = {}, raw, body }: SendOptions & { body?: unknown } = {},
): Promise<ApiAnswer> {
  const { hostname, port } = new URL(url);
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const length = content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, path, method, headers: { ...type, ...length, ...headers }, agent: connections },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const isJson = /[/+]json\b/.test(response.headers["content-type"] ?? "") && text !== "";
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    sent.once("error", reject);
    sent.end(content);
  });
}

/** Expects the failure wrapper with this code. */
function expectError(answer: ApiAnswer, code: ErrorCode): void {
  const { status } = errorCatalogue[code];
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      result: "error",
      code: status,
      error: code,
      error_description: expect.any(String),
      request_id: answer.headers["x-request-id"],
      ...(answer.body?.fields === undefined ? {} : { fields: expect.any(Array) }),
    },
  });
}

expect.extend({
  toBeError(received: ApiAnswer, code: ErrorCode) {
    try {
      expectError(received, code);
      return { pass: true, message: () => `expected no ${code}` };
    } catch (error) {
      return { pass: false, message: () => (error as Error).message };
    }
  },
});

declare module "vitest" {
  // The names of vitest's own declaration have to be repeated.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in vitest's declaration, which this one merges with
  interface Matchers<T = any> {
    /** Expects the failure wrapper with this code and its status. */
    toBeError(code: ErrorCode): T;
  }
}
