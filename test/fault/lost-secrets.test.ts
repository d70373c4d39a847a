import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { systemClock } from "../../runtime/clock.ts";
import { consoleIn } from "../support/browser/console-browser.ts";
import { createBrowserSession, type BrowserSession } from "../support/browser/browser-session.ts";
import { givenUser } from "../support/given/issuing.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { eventually } from "../support/run/eventually.ts";
import { repeating } from "../support/run/repeating.ts";
import { ended } from "../support/run/services.ts";
import { startTcpProxy } from "../support/run/tcp-proxy.ts";
import { givenUsers } from "../support/service/fault.ts";
import { askDoctor, operate } from "../support/service/operator.ts";
import { startService, type RunningService } from "../support/service/service.ts";

/**
 * Lost keys, in an installation with a separate directory of secrets for each process. The tests depend on their order.
 */
let service: RunningService;
let directory: string;
let baseUrl: string;
let userId: string;
const address = { host: "127.0.0.1", port: 0 };

const operatorEnv = () => ({
  DATABASE_URL: service.databaseUrl,
  REALMPASS_DATA_DIRECTORY: join(directory, "operator"),
  REALMPASS_AUTH_URL: baseUrl,
});

async function operator(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, err, json } = await operate(argv, operatorEnv());
  expect([argv.slice(0, 2), code, err.replaceAll(/^.*only `migrate` needs that.*$/gm, "").trim()]).toEqual([
    argv.slice(0, 2),
    0,
    "",
  ]);
  return json;
}

const createSecrets = (...more: string[]) => operator("secrets", "create", "--dir", directory, ...more);

async function start(kind: "api" | "worker"): Promise<void> {
  const env = { REALMPASS_DATA_DIRECTORY: join(directory, kind) };
  await (kind === "api" ? service.startApi(env) : service.startWorker(env));
  address.port = service.apiPort;
}

async function stop(kind: "api" | "worker"): Promise<void> {
  const running = kind === "api" ? service.api : service.workers;
  await Promise.all(running.splice(0).map((child) => ended(child)));
}

/** Expects a process with the present content of its directory to exit with 78, and its log to name the variable. */
async function expectRefused(kind: "api" | "worker", variable: string): Promise<void> {
  await expect(start(kind)).rejects.toThrow("exit code 78");
  await eventually(async () => {
    expect(await service.logs()).toContain(`"event":"secret.mismatch","variable":"${variable}"`);
  });
}

const create = (name: string, prefer: string, owner = userId) =>
  service.call(
    "POST",
    `/api/user/${owner}/profiles/${name}`,
    { format: "pem", deviceType: "Linux", keyType: "ec-p256" },
    { prefer },
  );

const privateKey = expect.stringContaining("PRIVATE KEY") as string;
const withPrivateKey = { status: 200, body: { data: { privateKey } } };
/** Matches the response for a profile that was created without waiting. */
const collected = { status: 200, body: { data: { state: "issued", profile: { privateKey } } } };

/** Makes an issued profile that no client has collected. Returns its location. */
async function givenUncollected(name: string): Promise<string> {
  const { headers } = await create(name, "respond-async");
  await eventually(async () => {
    const rows = await service.owner.query(sql`select from issuances where name = ${name} and status = 'issued'`);
    expect(rows).toHaveLength(1);
  });
  return new URL(String(headers["location"]), baseUrl).pathname;
}

/** Opens the console as the administrator, with a sign-in link from the operator. */
async function signIn(): Promise<BrowserSession> {
  const browser = createBrowserSession(() => [baseUrl]);
  const { url } = await operator("user", "sign-in-link", "--username", "grace");
  await browser.submit(await browser.get(String(url)), {});
  await browser.get(`${baseUrl}/console/sign-in`);
  return browser;
}
const sessionOf = (browser: BrowserSession) => consoleIn({ url: baseUrl }, browser).send("GET", "/console/session");

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "realmpass-lost-secrets-"));
  atEndOfFile(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  const proxy = await startTcpProxy(address);
  baseUrl = `http://127.0.0.1:${proxy.port}`;
  await operate(["secrets", "create", "--dir", directory], { REALMPASS_DATA_DIRECTORY: join(directory, "operator") });
  service = await startService({
    kind: "postgres",
    env: {
      REALMPASS_DATA_DIRECTORY: join(directory, "api"),
      REALMPASS_GENERATE_SECRETS: "0",
      REALMPASS_BASE_URL: baseUrl,
    },
    worker: false,
    atEnd: atEndOfFile,
  });
  address.port = service.apiPort;
  await start("worker");
  userId = await givenUser(service.owner, service.realmId);
  await operator("realm", "set", "--local-sign-in", "on");
  await operator("user", "create", "--username", "grace", "--admin");
});

test("after the loss of the master key everyone signs in to the console again; guest links, clients and uncollected outputs still work", async () => {
  const waiting = await givenUncollected("waiting");
  const session = await signIn();
  expect(await sessionOf(session)).toMatchObject({ status: 200 });
  const expirationDate = new Date(systemClock.now().getTime() + 7 * 86_400_000).toISOString();
  const account = await service.call("POST", "/api/guest-account", { name: "Conference", expirationDate });
  const guest = `/api/guest-token/${(account.body.data as { id: string }).id}`;
  const guestToken = String((await service.call("GET", guest)).body.data);

  for (const each of ["api", "operator"]) rmSync(join(directory, each, "master-key"));
  await createSecrets("--only", "master");
  await expectRefused("api", "REALMPASS_MASTER_KEY");
  expect(await askDoctor(operatorEnv())).toContainEqual(
    expect.objectContaining({
      name: "secrets",
      status: "fail",
      message: "not those of this installation: REALMPASS_MASTER_KEY",
    }),
  );
  // This process still has the earlier key in its memory.
  expect(await create("meanwhile", "wait=60")).toMatchObject(withPrivateKey);

  await stop("api");
  expect(await operator("master-key", "discard")).toEqual({ realms: [], guestAccounts: 1 });
  await start("api");

  expect(await sessionOf(session)).toMatchObject({ status: 401 });
  expect(await sessionOf(await signIn())).toMatchObject({ status: 200 });
  expect(await service.call("GET", guest)).toMatchObject({ status: 410, body: { error: "output_erased" } });
  const exchange = new URLSearchParams({ grant_type: "guest_token", guest_token: guestToken });
  expect((await fetch(`${baseUrl}/oauth/token`, { method: "POST", body: exchange })).status).toBe(200);
  expect(await service.call("GET", waiting)).toMatchObject(collected);
  expect(await create("afterwards", "wait=60")).toMatchObject(withPrivateKey);
  const [application] = await service.owner.query<{ clientId: string }>(
    sql`select client_id as "clientId" from applications where type = 'service' and name = 'test'`,
  );
  const { clientId } = application!;
  service.accessToken = await service.tokenOf({ clientId, clientSecret: service.clientSecret });
  expect((await service.call("GET", "/api/realm")).status).toBe(200);
  expect(await askDoctor(operatorEnv())).toContainEqual(expect.objectContaining({ name: "secrets", status: "ok" }));
});

test("a process with the wrong output key does not start and loses no private key; with a new key issuing continues", async () => {
  const waiting = await givenUncollected("uncollected");
  const files = ["api/output-private-key.json", "worker/output-public-key.json"].map((file) => join(directory, file));
  const before = files.map((file) => readFileSync(file));
  for (const file of files) rmSync(file);
  await createSecrets("--only", "output");
  // Uses 50 people: a person has at most 100 profiles, and the clients send requests for as long as two starts take.
  const people = await givenUsers(service, 50);
  const creating = repeating((count) => create(`under-load-${count}`, "wait=60", people[count % people.length]));
  await expectRefused("worker", "REALMPASS_OUTPUT_PUBLIC_KEY");
  await expectRefused("api", "REALMPASS_OUTPUT_PRIVATE_KEY");
  const answers = await creating.stop();
  expect(answers.length).toBeGreaterThan(0);
  for (const answer of answers) expect(answer).toMatchObject(withPrivateKey);

  // With the right secrets again, all processes work as before.
  const fresh = files.map((file) => readFileSync(file));
  for (const [index, file] of files.entries()) writeFileSync(file, before[index]!);
  await stop("api");
  await start("api");
  expect(await service.call("GET", waiting)).toMatchObject(collected);

  const gone = await givenUncollected("gone");
  await Promise.all([stop("api"), stop("worker")]);
  for (const [index, file] of files.entries()) writeFileSync(file, fresh[index]!);
  await operator("secrets", "adopt", "output", "--from", files[1]!);
  await Promise.all([start("api"), start("worker")]);
  expect(await create("with-the-new-one", "wait=60")).toMatchObject(withPrivateKey);
  // Outputs sealed to the lost key count as erased; the profiles themselves still exist.
  expect(await service.call("GET", gone)).toMatchObject({ status: 410, body: { error: "output_erased" } });
  const values = await service.owner.query<{ value: string }>(sql`
    select encode(check_value, 'hex') as value from installation_secrets where kind = 'output' order by added_at
  `);
  await operator("secrets", "forget", "output", values[0]!.value);
  await stop("api");
  await start("api");
  expect(await create("with-it-alone", "wait=60")).toMatchObject(withPrivateKey);

  const left = await service.owner.query(sql`select from issuances where status <> 'issued' or failures > 0`);
  expect(left).toEqual([]);
});
