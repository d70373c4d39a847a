import { generateKeyPairSync, randomUUID, X509Certificate } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as responders from "../../../db/queries/certificates/ocsp-responders.ts";
import { purgeExpired } from "../../../worker/upkeep/upkeep.ts";
import type { Database } from "../../../db/client.ts";
import { sql, type Sql } from "../../../db/sql.ts";
import { createLog, type Log } from "../../../runtime/log.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { certifyRequests, type CertifyDeps } from "../../../worker/responder-certificates/certify-requests.ts";
import { createIssuers } from "../../../worker/issuance/issuers.ts";
import { createSigningPool, type SigningPool } from "../../../worker/signing/pool.ts";
import { outputPublicKey } from "../../../runtime/keys/sealed-output.ts";
import { givenIssuingRealm, testPassphrase, type IssuingRealm } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { useDatabase } from "../../support/run/database.ts";
import { bundledThreads } from "../../support/service/signing-threads.ts";
import { testOutputKeys } from "../../support/service/worker.ts";

const database = useDatabase();
let realm: IssuingRealm;
let other: IssuingRealm;
let responder: Database;
let worker: Database;
let pool: SigningPool;
let logged: string[] = [];

beforeAll(async () => {
  realm = await givenIssuingRealm(database.owner);
  other = await givenIssuingRealm(database.owner);
  responder = database.open("realmpass_responder", { connectionsMax: 2 });
  worker = database.open("realmpass_worker", { connectionsMax: 4 });
  pool = createSigningPool({
    threads: 1,
    passphrase: testPassphrase,
    outputPublicKey: outputPublicKey(testOutputKeys.publicJwk),
    runThread: await bundledThreads(),
  });
  atEndOfFile(() => pool.close());
});
beforeEach(async () => {
  logged = [];
  await database.owner.query(sql`delete from responder_requests`);
});

const newKey = (): Buffer =>
  generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({ type: "spki", format: "der" });
const processId = randomUUID();
const ask = async (publicKey = newKey(), { issuerId } = realm): Promise<Buffer> => {
  await responders.request(responder, { processId, issuerId, publicKey });
  return publicKey;
};
const log: Log = createLog({ process: "test", level: "silent" });
const deps = (options: Partial<CertifyDeps> = {}): CertifyDeps => ({
  db: worker,
  pool,
  issuers: createIssuers({ db: worker, pool, publicationUrl: "http://pki.example", clock: systemClock, log }),
  clock: systemClock,
  log: Object.assign(Object.create(log) as Log, { error: ({ event }: { event: string }) => logged.push(event) }),
  ...options,
});
const requests = () =>
  database.owner.query<{ taken: boolean }>(sql`select taken_at is not null as taken from responder_requests`);
const intents = (publicKey: Buffer) =>
  database.owner.query<{ serialNumber: string; certificate: Buffer | null; processId: string; hours: number }>(sql`
    select serial_number as "serialNumber", certificate, worker_id as "processId",
           extract(epoch from not_after - ${systemClock.now()}::timestamptz)::float8 / 3600 as hours
      from ocsp_responders
     where public_key = ${publicKey}
  `);

/** The signing threads of a worker that dies after its last write, so no thread signs. */
const dying: Pick<SigningPool, "certifyResponder"> = { certifyResponder: () => Promise.reject(new Error("died")) };
const takenLongAgo = () =>
  database.owner.query(sql`update responder_requests set taken_at = taken_at - interval '11 seconds'`);

describe("a responder's key", () => {
  test("is certified for 72 hours, only for OCSP, and the request is removed", async () => {
    const publicKey = await ask();
    await ask(publicKey);
    expect(await requests()).toEqual([{ taken: false }]);
    await certifyRequests(deps());

    expect(await requests()).toEqual([]);
    const found = (await responders.findCertificate(responder, publicKey))!;
    const certificate = new X509Certificate(found.certificate);
    expect(certificate.publicKey.export({ type: "spki", format: "der" })).toEqual(publicKey);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.9"]);
    expect(certificate.verify(new X509Certificate(realm.issuer).publicKey)).toBe(true);
    const [intent] = await intents(publicKey);
    expect(intent).toMatchObject({ processId });
    expect(intent!.hours).toBeGreaterThan(71.9);
    expect(intent!.hours).toBeLessThanOrEqual(72);
  });

  test("gets the recorded certificate if the worker died before signing it", async () => {
    const publicKey = await ask();
    await certifyRequests(deps({ pool: dying }));
    const [intent] = await intents(publicKey);
    expect(intent).toMatchObject({ certificate: null });
    expect(logged).toEqual(["ocsp.not_certified"]);

    await certifyRequests(deps());
    expect(await intents(publicKey)).toMatchObject([{ certificate: null }]);
    expect(await requests()).toEqual([{ taken: true }]);

    await takenLongAgo();
    await certifyRequests(deps());
    expect(await requests()).toEqual([]);
    const signed = await intents(publicKey);
    expect(signed).toHaveLength(1);
    const certificate = new X509Certificate(signed[0]!.certificate!);
    expect(BigInt(`0x${certificate.serialNumber}`).toString()).toBe(intent!.serialNumber);
  });

  test("keeps its certificate if the worker died after signing it", async () => {
    const publicKey = await ask();
    await certifyRequests(deps());
    const [before] = await intents(publicKey);
    await ask(publicKey);
    await certifyRequests(deps());
    expect(await intents(publicKey)).toMatchObject([{ certificate: before!.certificate }]);
    expect(await requests()).toEqual([]);
  });

  test("is claimed by only one of several workers", async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => ask()));
    await Promise.all([certifyRequests(deps()), certifyRequests(deps()), certifyRequests(deps())]);
    for (const key of keys) expect(await intents(key)).toHaveLength(1);
    expect([logged, await requests()]).toEqual([[], []]);
  });

  test("already certified by another issuer is not certified again", async () => {
    const publicKey = await ask();
    await certifyRequests(deps());
    await ask(publicKey, other);
    await certifyRequests(deps());
    expect(logged).toEqual(["ocsp.not_certified"]);
    expect(await intents(publicKey)).toHaveLength(1);
  });

  test("of an unsupported kind is refused", async () => {
    const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey;
    await expect(ask(p384.export({ type: "spki", format: "der" }))).rejects.toThrow(/public_key_check/);
    await ask(Buffer.alloc(91));
    await certifyRequests(deps());
    expect(logged).toEqual(["ocsp.not_certified"]);
  });

  test("that no worker can certify is forgotten after an hour", async () => {
    await ask();
    await database.owner.query(sql`update responder_requests set requested_at = requested_at - interval '59 minutes'`);
    await purgeExpired({ db: worker, clock: systemClock, log });
    expect(await requests()).toHaveLength(1);
    await database.owner.query(sql`update responder_requests set requested_at = requested_at - interval '2 minutes'`);
    await purgeExpired({ db: worker, clock: systemClock, log });
    expect(await requests()).toEqual([]);
  });
});

test("an issuer has at most 1,000 unexpired responder certificates", async () => {
  const given = (count: number, notAfter: string) =>
    database.owner.query(sql`
      insert into ocsp_responders (issuer_id, serial_number, worker_id, public_key, not_before, not_after, created_at)
      select ${other.issuerId}, (n * 7 + length(${notAfter}::text))::text, gen_random_uuid(), uuid_send(gen_random_uuid()),
             now() - interval '9 days', now() + ${notAfter}::interval, now()
        from generate_series(1, ${count}::integer) as n
    `);
  await given(999, "1 day");
  await given(50, "-1 minute");
  const last = await ask(newKey(), other);
  await certifyRequests(deps());
  expect(await responders.findCertificate(responder, last)).toBeDefined();

  const tooMany = await ask(newKey(), other);
  const elsewhere = await ask();
  await certifyRequests(deps());
  expect(await responders.findCertificate(responder, tooMany)).toBeUndefined();
  expect(await responders.findCertificate(responder, elsewhere)).toBeDefined();
  expect(logged).toEqual(["ocsp.too_many_responders"]);
});

describe("a responder's role cannot", () => {
  test.each<[string, Sql]>([
    ["read issuer keys", sql`select * from issuer_keys`],
    ["read issuances", sql`select id from issuances`],
    ["read people", sql`select id from users`],
    ["read whose a certificate is", sql`select user_id from certificates`],
    ["write a certificate", sql`insert into certificates default values`],
    ["change a certificate", sql`update certificates set not_after = now()`],
    ["take a certificate of a responder's for its own", sql`insert into ocsp_responders default values`],
    ["change one", sql`update ocsp_responders set certificate = null`],
    ["revoke", sql`insert into revocations default values`],
    ["give up a serial number", sql`insert into abandoned_serial_numbers default values`],
    ["remove a request", sql`delete from responder_requests`],
    ["say when it asked", sql`insert into responder_requests (requested_at) values (now())`],
    ["write into the audit log", sql`insert into audit_entries default values`],
    ["look into the queue", sql`select * from bullmq.job`],
  ])("%s", async (_, statement) => {
    await expect(responder.query(statement)).rejects.toMatchObject({ code: "42501" });
  });
});
