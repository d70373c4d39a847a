import { fork, type ChildProcess } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { apiVariables } from "./api/config.ts";
import { openDatabase, type Database } from "./db/client.ts";
import { drawLogins } from "./db/logins.ts";
import * as secrets from "./db/operations/secrets.ts";
import * as realms from "./db/queries/realm/realms.ts";
import type { ProcessKind } from "./domain/process.ts";
import { RealmDomain } from "./domain/realm.ts";
import { firstRun, trialDomain, type FirstRun } from "./operator/realm/first-run.ts";
import { migrateAll } from "./operator/migrate/migrate.ts";
import { addSampleData } from "./operator/sample-data/add-sample-data.ts";
import { serverVariables } from "./process/config.ts";
import { authUrl, baseUrl } from "./runtime/config/addresses.ts";
import { systemClock } from "./runtime/clock.ts";
import { loadConfig, type Env } from "./runtime/config/config.ts";
import { makeDirectory, openDataDirectory } from "./runtime/keys/data-directory.ts";
import { startEmbeddedPostgres } from "./embedded-postgres/embedded-postgres.ts";
import { createLifecycle, runMain, type Lifecycle } from "./runtime/lifecycle.ts";
import { createLog, type Log } from "./runtime/log.ts";
import { programFile, runsFromSource } from "./runtime/program-files.ts";
import { withLogin } from "./runtime/config/server-url.ts";
import { Unstartable } from "./runtime/config/unstartable.ts";
import { variables, type Variable } from "./runtime/config/variables.ts";
import { responderVariables } from "./responder/config.ts";
import { workerVariables } from "./worker/config.ts";

/** Runs everything on this machine, for `npm start`. `npm run dev` adds sample data. */
async function main(begin: (lifecycle: Lifecycle) => void): Promise<void> {
  const options = readArguments(process.argv.slice(2));
  const config = loadConfig(Object.keys(variables) as Variable[], process.env);
  const log = createLog({ process: "start", level: config.REALMPASS_LOG_LEVEL });
  const lifecycle = createLifecycle({ log, deadlineMs: 9_500 });
  begin(lifecycle);
  lifecycle.stopOnSignals({ withParent: process.env["npm_lifecycle_event"] !== undefined });
  const domain = options.domain ?? config.REALMPASS_REALM_DOMAIN;
  const data = openDataDirectory(config.REALMPASS_DATA_DIRECTORY, []);
  makeDirectory(data.path);

  const ownerUrl = config.DATABASE_URL ?? (await startDatabase({ dataDirectory: data.path, log, lifecycle }));
  const { migrations } = await migrateAll(ownerUrl, log);
  if (migrations.length > 0) log.info({ event: "database.migrated", migrations }, "database brought up to date");

  const urls = await loginPerProcess(config, ownerUrl);
  const db = openDatabase({
    url: urls.operator,
    role: "realmpass_operator",
    connectionsMax: 2,
    applicationName: "realmpass start",
  });
  const { first, isDomainIgnored } = await secrets
    .readSecrets(db, { ...config, REALMPASS_GENERATE_SECRETS: "1" }, allSecrets)
    .then(async (read) => {
      const made = await firstRun({
        db,
        dataDirectory: data,
        passphrase: read.issuerKeyPassphrase,
        rootPassphrase: read.rootKeyPassphrase,
        clock: systemClock,
        authUrl: authUrl(config),
        publicationUrl: config.REALMPASS_PUBLICATION_URL,
        domain,
        log,
      });
      return { first: made, isDomainIgnored: domain !== undefined && !(await hasRealm(db, domain)) };
    })
    .finally(() => db.close());

  const own = { REALMPASS_DATA_DIRECTORY: data.path, ...noDatabase };
  const queue = { ...noQueue, ...urls.queue };
  const worker = supervise({
    name: "worker",
    env: { ...envOf("worker"), ...own, ...queue, DATABASE_URL: urls.worker, REALMPASS_METRICS_PORT: "0" },
    log,
  });
  lifecycle.onStop("worker", () => worker.stop());
  const responder = supervise({
    name: "responder",
    env: { ...envOf("responder"), ...own, DATABASE_URL: urls.responder, REALMPASS_METRICS_PORT: "0" },
    log,
  });
  lifecycle.onStop("responder", () => responder.stop());
  const api = supervise({ name: "api", env: { ...envOf("api"), ...own, ...queue, DATABASE_URL: urls.api }, log });
  lifecycle.onStop("api", () => api.stop());
  const [{ port }] = await Promise.all([api.ready, worker.ready, responder.ready]);
  await becomeWell({ host: config.REALMPASS_HOST, port: port ?? config.PORT, log, lifecycle });
  if (first !== undefined && options.sampleData) {
    process.stderr.write("Adding sample data …\n");
    await addSampleData({ ownerUrl, clock: systemClock, realmId: first.realmId, baseUrl: baseUrl(config) });
  }

  process.stdout.write(
    banner({
      base: baseUrl(config),
      data: data.path,
      redis: config.REDIS_URL !== undefined,
      sharedLogin: urls.shared,
      first,
      ignoredDomain: isDomainIgnored ? domain : undefined,
    }),
  );
}

/**
 * Parses the arguments. Throws {@link Unstartable} for an unknown argument, and for a domain that no realm can have.
 */
function readArguments(args: string[]): { domain: string | undefined; sampleData: boolean } {
  try {
    const { values } = parseArgs({
      args,
      options: { domain: { type: "string" }, "sample-data": { type: "boolean", default: false } },
    });
    const domain = RealmDomain.optional().safeParse(values.domain);
    if (!domain.success) throw new Error(`--domain: ${domain.error.issues.map(({ message }) => message).join("; ")}`);
    return { domain: domain.data, sampleData: values["sample-data"] };
  } catch (error) {
    throw new Unstartable((error as Error).message, { cause: error });
  }
}

const hasRealm = async (db: Database, domain: string): Promise<boolean> =>
  (await realms.list(db)).some((realm) => realm.domain === domain);

/** The secrets of the processes below. This process makes them in the shared data directory. */
const allSecrets = ["masterKey", "outputPrivateKey", "issuerKeyPassphrase", "rootKeyPassphrase", "auditKey"] as const;

async function startDatabase({
  dataDirectory,
  log,
  lifecycle,
}: {
  dataDirectory: string;
  log: Log;
  lifecycle: Lifecycle;
}): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDirectory, log, searchPath: process.env["PATH"] ?? "" });
  lifecycle.onStop("embedded Postgres", () => postgres.stop());
  return postgres.url;
}

/** The database URL of each process, and the variables that give the api and the worker the queue's login. */
interface Urls extends Record<ProcessKind, string> {
  operator: string;
  queue: Env;
  /** True if all processes use the configured login. */
  shared: boolean;
}

/**
 * Makes a login for each process and one for the queue if the configured login may create roles; only the processes
 * that use a login, and this process, know its password. Otherwise all processes share the configured login.
 */
async function loginPerProcess(
  { QUEUE_DATABASE_URL: queueUrl }: { QUEUE_DATABASE_URL?: string | undefined },
  ownerUrl: string,
): Promise<Urls> {
  const logins = await drawLogins(ownerUrl, [
    "realmpass_api",
    "realmpass_worker",
    "realmpass_responder",
    "realmpass_operator",
    "realmpass_queue",
  ]);
  if (logins === undefined) {
    return {
      api: ownerUrl,
      worker: ownerUrl,
      responder: ownerUrl,
      operator: ownerUrl,
      queue: { QUEUE_DATABASE_URL: queueUrl },
      shared: true,
    };
  }
  return {
    api: withLogin(ownerUrl, logins.realmpass_api),
    worker: withLogin(ownerUrl, logins.realmpass_worker),
    responder: withLogin(ownerUrl, logins.realmpass_responder),
    operator: withLogin(ownerUrl, logins.realmpass_operator),
    queue: { QUEUE_DATABASE_URL: withLogin(ownerUrl, logins.realmpass_queue) },
    shared: false,
  };
}

/** Variables that the processes do not inherit, because they get complete URLs. */
const noDatabase: Env = {
  DATABASE_URL_FILE: "",
  DATABASE_PASSWORD: "",
  DATABASE_PASSWORD_FILE: "",
};

/**
 * Variables of the queue that the processes do not inherit: apis and workers, which alone use the queue, get a complete
 * URL.
 */
const noQueue: Env = {
  QUEUE_DATABASE_URL_FILE: "",
  QUEUE_DATABASE_PASSWORD: "",
  QUEUE_DATABASE_PASSWORD_FILE: "",
};

const variablesOf: Readonly<Record<ProcessKind, readonly Variable[]>> = {
  api: [...serverVariables, ...apiVariables],
  worker: [...serverVariables, ...workerVariables],
  responder: [...serverVariables, ...responderVariables],
};

/**
 * Returns the part of our environment that a process gets: PATH, HOME, variables of Node and npm, and the process's
 * own.
 */
const envOf = (name: keyof typeof variablesOf): Env => {
  const read = new Set<string>(variablesOf[name].flatMap((variable) => [variable, `${variable}_FILE`]));
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([variable]) => variable === "PATH" || variable === "HOME" || /^(NODE|npm)_/.test(variable) || read.has(variable),
    ),
  );
};

/** The pause before checking again whether an api responds; a responding api states the pause itself. */
const askAgainSeconds = 0.25;

/** Resolves when the api reports that the whole service is healthy; until then the log shows what is missing. */
async function becomeWell({
  host,
  port,
  log,
  lifecycle,
}: {
  host: string;
  port: number;
  log: Log;
  lifecycle: Lifecycle;
}): Promise<void> {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host;
  let said = "";
  for (;;) {
    const answer = await fetch(`http://${reached}:${port}/status`).catch(() => undefined);
    const body = (await answer?.json().catch(() => undefined)) as { fields?: unknown } | undefined;
    if (lifecycle.isStopping()) throw new Error("stopped while starting");
    if (answer?.ok === true) return;
    const saying = JSON.stringify(body?.fields ?? null);
    if (saying !== said)
      log.warn({ event: "start.awaited", fields: body?.fields }, "waiting for the service to be well");
    said = saying;
    await pause(1_000 * Number(answer?.headers.get("retry-after") ?? askAgainSeconds));
  }
}

/** The message of a process once it is ready. */
interface Started {
  /** The port on which the process listens. */
  port?: number;
}

interface Supervised {
  /** Resolves with the process's first message, which it sends once it is ready; rejects if the process ends before. */
  ready: Promise<Started>;
  stop(): Promise<void>;
}

const restartPauseMs = 1_000;

/**
 * Runs `<name>/main` as a child. Restarts it when it dies, once it has been ready. The child has its own process group,
 * so Ctrl-C reaches only us and everything stops in order. If we die, the closed channel ends the child.
 */
function supervise({ name, env, log }: { name: ProcessKind; env: Env; log: Log }): Supervised {
  const [entry, execArgv] = entryOf(name);
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let wasReady = false;

  const ready = new Promise<Started>((resolveReady, reject) => {
    const run = (): void => {
      child = fork(entry, { env, execArgv, detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
      child.on("message", (message) => {
        wasReady = true;
        resolveReady(message as Started);
      });
      child.on("exit", (code, signal) => {
        child = undefined;
        if (stopping) return;
        if (!wasReady) {
          reject(new Error(`the ${name} process did not start; its message is above`));
          return;
        }
        log.error({ event: "process.died", name, code, signal }, "a process died; starting it again");
        timer = setTimeout(run, restartPauseMs);
      });
    };
    run();
  });

  return {
    ready,
    async stop() {
      stopping = true;
      clearTimeout(timer);
      const running = child;
      if (running === undefined) return;
      const gone = new Promise((resolveGone) => running.once("exit", resolveGone));
      running.kill("SIGTERM");
      await gone;
    },
  };
}

/** Returns the file to start and Node's arguments for it. */
function entryOf(name: string): [entry: string, execArgv: string[]] {
  if (runsFromSource) return [fileURLToPath(programFile(`${name}/main.ts`)), ["--import", "tsx"]];
  return [fileURLToPath(programFile(`${name}/main.js`)), ["--enable-source-maps"]];
}

function banner({
  base,
  data,
  redis,
  sharedLogin,
  first,
  ignoredDomain,
}: {
  base: string;
  data: string;
  redis: boolean;
  sharedLogin: boolean;
  first: FirstRun | undefined;
  /** A given domain that has no effect, because a realm already exists. */
  ignoredDomain: string | undefined;
}): string {
  const lines = [
    "",
    `  Realmpass is ready at ${base}`,
    "",
    `  API description  ${base}/openapi.json`,
    `  State            ${resolve(data)}`,
    `  Queue            ${redis ? "Redis" : "Postgres (set REDIS_URL to use Redis)"}`,
    "  This is a trial: all processes run as one user of this machine, so code that runs in any of them can read every key.",
    ...(sharedLogin
      ? [
          "  They share the login of DATABASE_URL, which may not create roles: SQL of any of them reaches what all of them may.",
        ]
      : []),
    "",
  ];
  if (first !== undefined) {
    lines.push(
      `  First run: realm "${first.realm}" with the domain ${first.domain} is there, with its own root and issuing CA.`,
      ...(first.domain === trialDomain
        ? [
            "  That domain is for a trial, and never changes. For one of your own: npm start -- --domain example.org, in an empty directory.",
          ]
        : []),
      `  Move the root key offline: ${resolve(data, "ceremony")}`,
      "",
      "  Sign in as its first administrator (once, within 15 minutes):",
      `  ${first.signInUrl}`,
      "",
    );
  }
  if (ignoredDomain !== undefined) {
    lines.push(
      `  The domain ${ignoredDomain} is ignored: there is a realm already, and a domain never changes.`,
      `  A realm of its own: npm run operator -- realm create --name NAME --domain ${ignoredDomain}`,
      "",
    );
  }
  return `${lines.join("\n")}\n`;
}

runMain("start", main);
