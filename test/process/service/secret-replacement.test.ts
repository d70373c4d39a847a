import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { auditPublicKey, generateAuditKey } from "../../../runtime/keys/audit-key.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { drawSecret } from "../../../runtime/keys/data-directory.ts";
import { generateOutputKeyPair } from "../../../runtime/keys/sealed-output.ts";
import { givenUser, testPassphrase } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { ended } from "../../support/run/services.ts";
import { operate } from "../../support/service/operator.ts";
import { startService, type RunningService } from "../../support/service/service.ts";

/**
 * All keys and secrets of one installation, replaced one by one; each test continues from the state that the previous
 * test left.
 */
let service: RunningService;
let scratch: string;
let passphrase: string = testPassphrase;
let master = drawSecret.masterKey();
let output = generateOutputKeyPair();
let auditKey = generateAuditKey();

const environment = (): Record<string, string> => ({
  REALMPASS_GENERATE_SECRETS: "0",
  REALMPASS_MASTER_KEY: master,
  REALMPASS_OUTPUT_PRIVATE_KEY: output.privateJwk,
  REALMPASS_OUTPUT_PUBLIC_KEY: output.publicJwk,
  REALMPASS_AUDIT_KEY: auditKey,
  REALMPASS_ISSUER_KEY_PASSPHRASE: passphrase,
});

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "realmpass-replacement-"));
  atEndOfFile(() => {
    rmSync(scratch, { recursive: true, force: true });
  });
  service = await startService({ kind: "postgres", env: environment(), atEnd: atEndOfFile });
});

const operator = (argv: string[], env: Record<string, string> = {}) =>
  operate(argv, {
    DATABASE_URL: service.databaseUrl,
    REALMPASS_DATA_DIRECTORY: join(scratch, "operator"),
    ...environment(),
    REALMPASS_ROOT_KEY_PASSPHRASE: "the passphrase of roots",
    ...env,
  });

/** Ends every process of a kind and starts one new process. */
async function restart(kind: "api" | "worker", env: Record<string, string> = {}): Promise<void> {
  const running = kind === "api" ? service.api : service.workers;
  await Promise.all(running.splice(0).map((child) => ended(child)));
  const given = { ...environment(), ...env };
  await (kind === "api" ? service.startApi(given) : service.startWorker(given));
}

const fileWith = (content: string): string => {
  const path = join(scratch, `secret-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, content);
  return path;
};

let user = "";
async function expectIssuing(): Promise<void> {
  user ||= await givenUser(service.owner, service.realmId);
  const name = `device-${Math.random().toString(36).slice(2)}`;
  const made = await service.call("POST", `/api/user/${user}/profiles/${name}`, { format: "pem", deviceType: "Linux" });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  expect(made.body.data).toMatchObject({ privateKey: expect.stringContaining("PRIVATE KEY") as string });
}

const givenGuestAccount = async (): Promise<string> => {
  const expirationDate = new Date(systemClock.now().getTime() + 7 * 86_400_000).toISOString();
  const { body } = await service.call("POST", "/api/guest-account", { name: "Conference", expirationDate });
  return (body.data as { id: string }).id;
};
const guestToken = (id: string) => service.call("GET", `/api/guest-token/${id}`);

test("the master key is replaced while apis run: sealed data stays readable, and in the end an api with the old key does not start", async () => {
  const guest = await givenGuestAccount();
  const before = (await guestToken(guest)).body.data;
  expect(before).toEqual(expect.any(String));
  const [old, fresh] = [master, drawSecret.masterKey()];
  await restart("api", { REALMPASS_MASTER_KEY: `${old},${fresh}` });
  await restart("api", { REALMPASS_MASTER_KEY: `${fresh},${old}` });
  expect((await guestToken(guest)).body.data).toBe(before);

  const alone = await operator(["master-key", "reseal"], { REALMPASS_MASTER_KEY: fresh });
  expect([alone.code, alone.json["error"]]).toEqual([1, "configuration_invalid"]);
  const resealed = await operator(["master-key", "reseal"], { REALMPASS_MASTER_KEY: `${fresh},${old}` });
  expect([resealed.code, resealed.json["unopened"]]).toEqual([0, 0]);
  expect(resealed.json["resealed"]).toBeGreaterThanOrEqual(2);
  const again = await operator(["master-key", "reseal"], { REALMPASS_MASTER_KEY: `${fresh},${old}` });
  expect(again.json["resealed"]).toBe(0);

  const values = await service.owner.query<{ value: string }>(sql`
    select encode(check_value, 'hex') as value from installation_secrets where kind = 'master' order by added_at
  `);
  expect(
    (await operator(["secrets", "forget", "master", values[0]!.value], { REALMPASS_MASTER_KEY: fresh })).code,
  ).toBe(0);
  await expect(service.startApi({ ...environment(), REALMPASS_MASTER_KEY: old })).rejects.toThrow(/did not start/);
  master = fresh;
  await restart("api");
  expect((await guestToken(guest)).body.data).toBe(before);
  await expectIssuing();
});

test("after a leak of the master key the keys that sign tokens are retired, and secrets to replace by hand are listed", async () => {
  const [old, fresh] = [master, drawSecret.masterKey()];
  const guest = await givenGuestAccount();
  const keys = async () =>
    ((await service.call("GET", "/oauth/jwks")).body as unknown as { keys: { kid: string }[] }).keys.map(
      ({ kid }) => kid,
    );
  const before = await keys();
  expect(before.length).toBeGreaterThan(0);
  const { code, json } = await operator(["master-key", "reseal", "--leaked"], {
    REALMPASS_MASTER_KEY: `${fresh},${old}`,
  });
  expect(code).toBe(0);
  expect(json["replace"]).toMatchObject({
    guestAccounts: expect.arrayContaining([expect.objectContaining({ id: guest, name: "Conference" })]) as unknown[],
    realms: [],
  });
  master = fresh;
  await restart("api");
  const after = await keys();
  expect(after.length).toBeGreaterThan(0);
  expect(after.filter((kid) => before.includes(kid))).toEqual([]);
});

test("a lost master key is discarded: apis start with another key, and guest links work but are not shown again", async () => {
  const guest = await givenGuestAccount();
  const token = String((await guestToken(guest)).body.data);
  master = drawSecret.masterKey();
  await expect(service.startApi(environment())).rejects.toThrow(/did not start/);
  await Promise.all(service.api.splice(0).map((child) => ended(child)));
  expect((await operator(["master-key", "discard"])).code).toBe(0);
  await restart("api");
  const shown = await guestToken(guest);
  expect([shown.status, shown.body.error]).toEqual([410, "output_erased"]);
  const exchange = await fetch(`http://127.0.0.1:${service.apiPort}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "guest_token", guest_token: token }),
  });
  expect(exchange.status).toBe(200);
  await expectIssuing();
});

test("the output key is replaced, and outputs sealed under the old key are still handed out", async () => {
  user ||= await givenUser(service.owner, service.realmId);
  const waiting = await service.call(
    "POST",
    `/api/user/${user}/profiles/waiting`,
    { format: "pem", deviceType: "Linux" },
    { prefer: "respond-async" },
  );
  const location = String(waiting.headers["location"]);
  await eventually(async () => {
    const rows = await service.owner.query(
      sql`select 1 as one from issuances where name = 'waiting' and status = 'issued'`,
    );
    expect(rows).toHaveLength(1);
  });
  const [old, fresh] = [output, generateOutputKeyPair()];
  const both = { REALMPASS_OUTPUT_PRIVATE_KEY: `{"keys":[${fresh.privateJwk},${old.privateJwk}]}` };
  await restart("api", both);
  await expect(service.startWorker({ ...environment(), REALMPASS_OUTPUT_PUBLIC_KEY: fresh.publicJwk })).rejects.toThrow(
    /did not start/,
  );
  expect((await operator(["secrets", "adopt", "output", "--from", fileWith(fresh.publicJwk)])).code).toBe(0);
  await restart("worker", { REALMPASS_OUTPUT_PUBLIC_KEY: "" });
  await expectIssuing();
  const path = new URL(location, "http://localhost").pathname;
  const collected = await service.call("GET", path);
  expect([collected.status, JSON.stringify(collected.body)]).toEqual([200, expect.stringContaining("PRIVATE KEY")]);

  const values = await service.owner.query<{ value: string }>(sql`
    select encode(check_value, 'hex') as value from installation_secrets where kind = 'output' order by added_at
  `);
  expect((await operator(["secrets", "forget", "output", values[0]!.value])).code).toBe(0);
  output = fresh;
  await restart("api");
  await expectIssuing();
});

test("the issuers' passphrase is replaced while workers run, and afterwards the old passphrase opens no key", async () => {
  const [old, fresh] = [passphrase, "another passphrase of issuers"];
  await restart("worker", { REALMPASS_ISSUER_KEY_PASSPHRASE: `${fresh}\n${old}` });
  await expectIssuing();
  const { code, json } = await operator(["issuer", "reencrypt"], {
    REALMPASS_ISSUER_KEY_PASSPHRASE: `${fresh}\n${old}`,
  });
  expect([code, json["unopened"]]).toEqual([0, []]);
  passphrase = fresh;
  await restart("worker");
  await expectIssuing();
  const wrong = await operator(["issuer", "reencrypt"], { REALMPASS_ISSUER_KEY_PASSPHRASE: old });
  expect([wrong.code, wrong.json["reencrypted"]]).toEqual([1, []]);
});

test("the audit key is replaced: the chain continues, and its earlier heads verify with the old public key", async () => {
  const fresh = generateAuditKey();
  const set = `{"keys":[${fresh},${JSON.stringify(auditPublicKey(auditKey))}]}`;
  await eventually(async () => {
    const heads = await service.owner.query(sql`select 1 as one from audit_heads where realm_id = ${service.realmId}`);
    expect(heads.length).toBeGreaterThan(0);
  });
  expect((await operator(["secrets", "adopt", "audit", "--from", fileWith(fresh)])).code).toBe(0);
  auditKey = set;
  await restart("worker");
  await expectIssuing();
  await eventually(async () => {
    const left = await service.owner.query(sql`select 1 as one from audit_unsealed`);
    expect(left).toEqual([]);
  });
  const verified = await operator(["audit", "verify"]);
  expect([verified.code, verified.json["ok"]]).toEqual([0, true]);
});

test("with a lost passphrase a realm gets another root and issuer, and issues again", async () => {
  passphrase = "what was chosen after the loss";
  const refused = await operator(["issuer", "create", "--new-root"]);
  expect([refused.code, refused.json["error"]]).toEqual([1, "wrong_passphrase"]);
  const made = await operator(["issuer", "create", "--new-root", "--passphrase-lost"]);
  expect([made.code, made.json["prepared"]]).toEqual([0, true]);
  await restart("worker");
  await eventually(async () => {
    expect((await operator(["issuer", "rotate"])).code).toBe(0);
  });
  await expectIssuing();
  const issued = await service.owner.query<{ issuer: string }>(
    sql`select issuer_id as issuer from issuances where status = 'issued' order by finished_at desc limit 1`,
  );
  expect(issued[0]?.issuer).toBe(made.json["issuerID"]);
});
