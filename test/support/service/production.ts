import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processKinds, type ProcessKind } from "../../../domain/process.ts";
import { sql } from "../../../db/sql.ts";
import { atEnd } from "../run/at-end.ts";
import { startReverseProxy, startTlsProxy, type ReverseProxy, type ServerCertificate } from "../run/reverse-proxy.ts";
import { ended, freePort } from "../run/services.ts";
import { testPassphrase } from "../given/issuing.ts";
import { openssl } from "../pki/openssl.ts";
import type { Target } from "./prometheus.ts";
import { startService, type RunningService } from "./service.ts";

/** The service as docs/production.md runs it: two of each process, behind a proxy, with Prometheus and a doctor. */
export interface Production {
  service: RunningService;
  /** The targets in scrape.yml. */
  targets: readonly Target[];
  /** The https address that people use. */
  web: ReverseProxy & { present(certificate: ServerCertificate): void };
  /** The plain http address in certificates. */
  publication: ReverseProxy;
  /** The environment of the doctor that the timer runs. */
  doctor: Record<string, string>;
  /** Dates the newest dump, or its last copy to another machine. */
  dateBackup(what: "dump" | "copy", at: Date): Promise<void>;
  /** Starts a process on the port of one that has stopped. */
  start(kind: ProcessKind, env?: Record<string, string>): Promise<ChildProcess>;
  stop(child: ChildProcess, signal?: NodeJS.Signals): Promise<void>;
  stopAll(kind: ProcessKind): Promise<void>;
  /** Stops the older of two processes, and starts another on its port. */
  replace(kind: ProcessKind, env?: Record<string, string>): Promise<ChildProcess>;
}

/** Starts everything; stops and removes it at the end of the test or file. */
export async function startProduction(redisUrl: string): Promise<Production> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-backups-"));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  const files = { dump: join(directory, "realmpass-20270101T000000Z.dump"), copy: join(directory, "copied") };
  await Promise.all(Object.values(files).map((file) => writeFile(file, "a dump")));

  const targets: Target[] = [];
  for (const process of processKinds) {
    for (let each = 0; each < 2; each++) targets.push({ process, port: await freePort() });
  }
  const api = (): string => `http://127.0.0.1:${service.apiPort}`;
  const [web, publication] = [await startTlsProxy(api, validCertificate()), await startReverseProxy(api)];
  const common = {
    REALMPASS_BASE_URL: web.url,
    REALMPASS_PUBLICATION_URL: publication.url,
    REALMPASS_EXPECTED_APIS: "2",
    REALMPASS_EXPECTED_WORKERS: "2",
    REALMPASS_EXPECTED_RESPONDERS: "2",
    REALMPASS_BACKUP_DIRECTORY: directory,
  };
  const firstApi = targets.find((target) => target.process === "api")!;
  const service = await startService({
    kind: "redis",
    redisUrl,
    env: { ...common, REALMPASS_METRICS_PORT: String(firstApi.port) },
    worker: false,
  });
  // The geteduroam apps would refuse a certificate that only this test trusts.
  await service.owner.query(sql`update realms set onboarding_apps = false`);

  const children = { api: service.api, worker: service.workers, responder: service.responders };
  const starts: Record<ProcessKind, RunningService["startApi"]> = {
    api: (env) => service.startApi(env),
    worker: (env) => service.startWorker(env),
    responder: (env) => service.startResponder(env),
  };
  const targetOf = new Map<ChildProcess, Target>([[service.api[0]!, firstApi]]);
  const taken = new Set([firstApi]);
  const production: Production = {
    service,
    targets,
    web,
    publication,
    doctor: {
      ...common,
      DATABASE_URL: service.databaseUrl,
      REDIS_URL: redisUrl,
      REALMPASS_DATA_DIRECTORY: service.dataDirectory,
      REALMPASS_ISSUER_KEY_PASSPHRASE: testPassphrase,
    },
    dateBackup: (what, at) => utimes(files[what], at, at),
    async start(kind, env = {}) {
      const target = targets.find((each) => each.process === kind && !taken.has(each));
      if (target === undefined) throw new Error(`two of the kind ${kind} run already`);
      taken.add(target);
      try {
        const child = await starts[kind]({ ...env, REALMPASS_METRICS_PORT: String(target.port) });
        targetOf.set(child, target);
        return child;
      } catch (error) {
        taken.delete(target);
        throw error;
      }
    },
    async stop(child, signal) {
      for (const of of Object.values(children)) if (of.includes(child)) of.splice(of.indexOf(child), 1);
      await ended(child, signal);
      taken.delete(targetOf.get(child)!);
    },
    async stopAll(kind) {
      await Promise.all([...children[kind]].map((child) => production.stop(child)));
    },
    async replace(kind, env) {
      await production.stop(children[kind][0]!);
      return production.start(kind, env);
    },
  };
  await Promise.all(
    (["api", "worker", "worker", "responder", "responder"] as const).map((kind) => production.start(kind)),
  );
  return production;
}

/** Makes a self-signed certificate for the proxy. */
export function validCertificate(): ServerCertificate {
  const { stdout } = openssl([
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "-"],
    ...["-subj", "/CN=wifi.example.org", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "90"],
  ]);
  return { cert: pemIn(stdout, "CERTIFICATE"), key: pemIn(stdout, "PRIVATE KEY") };
}

/** Makes an expired certificate with the names and the key of this certificate. */
export function endedCertificate({ cert, key }: ServerCertificate): ServerCertificate {
  const again = ["x509", "-in", "cert.pem", "-signkey", "key.pem", "-days", "-1"];
  return { cert: pemIn(openssl(again, { "cert.pem": cert, "key.pem": key }).stdout, "CERTIFICATE"), key };
}

/** Returns the PEM block of that name in the output of `openssl`. */
export const pemIn = (text: string, name: string): string =>
  new RegExp(`-----BEGIN ${name}.+END ${name}-----`, "s").exec(text)![0];
