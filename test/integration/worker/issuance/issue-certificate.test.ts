import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import * as issuances from "../../../../db/queries/issuance/issuances.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import { IssuanceID } from "../../../../domain/ids.ts";
import * as collection from "../../../../db/operations/collection.ts";
import { issueCertificate } from "../../../../domain/tasks/issue-certificate.ts";
import { issueCertificates } from "../../../../domain/tasks/issue-certificates.ts";
import { migrateAll } from "../../../../operator/migrate/migrate.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { openQueues, type QueueBackend } from "../../../../runtime/queue/queues.ts";
import { open, outputPrivateKeys, unwrapDataKey } from "../../../../runtime/keys/sealed-output.ts";
import { pem } from "../../../../pki/pem.ts";
import { X509Certificate } from "../../../../pki/x509.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { fromNow } from "../../../support/given/given.ts";
import { otherForms, requestFor } from "../../../support/pki/hostile-keys.ts";
import { givenIssuance, givenIssuingRealm, givenUser } from "../../../support/given/issuing.ts";
import { openssl } from "../../../support/pki/openssl.ts";
import { makeOpenQueueSchema } from "../../../support/run/queue-schema.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { backendFor, depthOf, silentLog, startTestWorker, testOutputKeys } from "../../../support/service/worker.ts";

const database = useDatabase();

const payload = (id: string) => ({ version: 1 as const, issuanceId: IssuanceID.parse(id) });

async function realmWithUser() {
  const realm = await givenIssuingRealm(database.owner, { maxProfiles: 100 });
  return { ...realm, userId: await givenUser(database.owner, realm.realmId) };
}

async function settled(ids: readonly string[]): Promise<issuances.IssuanceResult[]> {
  return eventually(async () => {
    const rows = (await collection.collect(database.owner, { ids, at: systemClock.now() })).map(
      ({ issuance }) => issuance,
    );
    expect(rows.filter(({ state }) => state === "queued" || state === "signing")).toEqual([]);
    return rows;
  });
}

/**
 * Returns an acceptance time slightly more than 10 seconds ago: after 10 seconds the sweep counts work as lost by the
 * queue.
 */
const lostAt = (): Date => fromNow(-11_000);

/** Counts the certificates of each of these issuances: one each if all is well. */
async function certificatesPerIssuance(ids: readonly string[]): Promise<number[]> {
  const rows = await database.owner.query<{ count: number }>(sql`
    select count(c.id)::integer as count
      from unnest(${ids}::uuid[]) as i (id)
      left join certificates c on c.issuance_id = i.id
     group by i.id
  `);
  return rows.map(({ count }) => count);
}

function opened({ id, output }: issuances.IssuanceResult): Record<string, string> {
  if (!output?.sealed || output.wrappedDataKey === null) throw new Error("there is no output");
  const dataKey = unwrapDataKey(outputPrivateKeys(testOutputKeys.privateJwk), output.wrappedDataKey);
  return JSON.parse(open(dataKey, output.sealed, id).toString("utf8")) as Record<string, string>;
}

/** Makes a PKCS#10 request with OpenSSL; returns the request and its public key. */
function certificateSigningRequest(): { csr: string; spki: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  const csr = openssl(["req", "-new", "-key", "key.pem", "-subj", "/CN=ignored"], { "key.pem": key }).stdout;
  return { csr, spki: publicKey.export({ type: "spki", format: "der" }) };
}

/** Returns the same request with a signature that is wrong in one bit. */
function withLastOctetFlipped(pemText: string): string {
  const der = Buffer.from(pemText.replace(/-----.*?-----|\s/g, ""), "base64");
  der[der.length - 1]! ^= 1;
  return pem("CERTIFICATE REQUEST", der);
}

function behaviour(kind: QueueBackend["kind"]): void {
  test("an enqueued issuance becomes a certificate whose output the API's key opens", async () => {
    const { realmId, userId } = await realmWithUser();
    const { queues } = await startTestWorker({ databaseUrl: database.url, kind });
    const id = await givenIssuance(database.owner, { realmId, userId, format: "pem" });

    await queues.enqueue(issueCertificate, payload(id));

    const [issuance] = await settled([id]);
    expect(issuance).toMatchObject({ state: "issued", errorCode: null });
    const { certificate, privateKey } = opened(issuance!);
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    const [row] = await database.owner.query<{ certificate: Buffer; identity: string }>(
      sql`select certificate, identity from certificates where issuance_id = ${id}`,
    );
    const parsed = new X509Certificate(certificate!.slice(0, certificate!.indexOf("-----END") + 25));
    expect(Buffer.from(parsed.rawData)).toEqual(row?.certificate);
    expect(parsed.subject).toContain(`CN=${row?.identity}`);
  });

  test("an issuance delivered many times to several workers is issued once", async () => {
    const { realmId, userId } = await realmWithUser();
    const workers = await Promise.all([1, 2].map(() => startTestWorker({ databaseUrl: database.url, kind })));
    const ids = await Promise.all(Array.from({ length: 40 }, () => givenIssuance(database.owner, { realmId, userId })));
    const again = { ...issueCertificate, jobId: () => randomUUID() };

    await Promise.all(
      [issueCertificate, again, again, again].flatMap((job) =>
        workers.map(({ queues }) => queues.enqueueAll(job, ids.map(payload))),
      ),
    );

    await settled(ids);
    expect(await certificatesPerIssuance(ids)).toEqual(ids.map(() => 1));
    await Promise.all(workers.map(({ stop }) => stop()));
  });

  test("each issuance of a task is issued once, even if other issuances of the task are settled, unknown or failing", async () => {
    const { realmId, userId } = await realmWithUser();
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    const given = (wanted = {}) => givenIssuance(database.owner, { realmId, userId, ...wanted });
    const [issued, first, bad, second] = [
      await given(),
      await given(),
      await given({ csr: "no request" }),
      await given(),
    ];
    await queues.enqueue(issueCertificate, payload(issued));
    await settled([issued]);

    const issuanceIds = [issued, first, randomUUID(), bad, second].map((id) => IssuanceID.parse(id));
    await queues.enqueue(issueCertificates, { version: 1, issuanceIds });

    const rows = await settled([first, bad, second]);
    expect(new Map(rows.map(({ id, state }) => [id, state]))).toEqual(
      new Map([
        [first, "issued"],
        [bad, "failed"],
        [second, "issued"],
      ]),
    );
    expect(await certificatesPerIssuance([issued, first, second])).toEqual([1, 1, 1]);
    await eventually(async () => {
      expect(await depthOf(queues)).toMatchObject({ issuance: 0 });
    });
    await stop();
  });

  test("all 200 accepted issuances finish even if the queue loses everything", async () => {
    const { realmId, userId } = await realmWithUser();
    const ids = await Promise.all(
      Array.from({ length: 200 }, () => givenIssuance(database.owner, { realmId, userId, at: lostAt() })),
    );
    const { backend, close } = backendFor(kind, database.url);
    const queues = openQueues(backend, silentLog);
    await queues.enqueueAll(issueCertificate, ids.map(payload));
    expect(await depthOf(queues)).toMatchObject({ issuance: 200 });

    await emptyQueue(kind);
    expect(await depthOf(queues)).toMatchObject({ issuance: 0 });
    await queues.close();
    await close();
    const { stop } = await startTestWorker({ databaseUrl: database.url, kind });

    const rows = await settled(ids);
    expect(rows.map(({ state }) => state)).toEqual(ids.map(() => "issued"));
    expect(await certificatesPerIssuance(ids)).toEqual(ids.map(() => 1));
    await stop();
  });

  test("a forged task with a malformed payload or an unknown issuance does nothing", async () => {
    const { realmId, userId } = await realmWithUser();
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    const poison = { ...issueCertificate, jobId: () => randomUUID() };
    await queues.enqueue(poison, { version: 7, issuanceId: "'; drop table users" } as never);
    await queues.enqueue({ ...poison, name: "no-such-job" }, payload(randomUUID()));
    await queues.enqueue(poison, payload(randomUUID()));

    const id = await givenIssuance(database.owner, { realmId, userId });
    await queues.enqueue(issueCertificate, payload(id));

    expect(await settled([id])).toMatchObject([{ state: "issued" }]);
    await eventually(async () => {
      expect(await depthOf(queues)).toMatchObject({ issuance: 0 });
    });
    await stop();
  });

  test("a worker that is stopped finishes its claimed issuances first", async () => {
    const { realmId, userId } = await realmWithUser();
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url, kind });
    const ids = await Promise.all(
      Array.from({ length: 100 }, () => givenIssuance(database.owner, { realmId, userId })),
    );
    await queues.enqueueAll(issueCertificate, ids.map(payload));
    await eventually(async () => {
      expect((await certificatesPerIssuance(ids)).some((count) => count === 1)).toBe(true);
    });

    await stop();

    const [row] = await database.owner.query<{ signing: number }>(
      sql`select count(*)::integer as signing from issuances where status = 'signing'`,
    );
    expect(row).toEqual({ signing: 0 });
  });
}

async function emptyQueue(kind: QueueBackend["kind"]): Promise<void> {
  const { backend, close } = backendFor(kind, database.url);
  if (backend.kind === "redis") {
    const redis = new Redis(backend.url);
    await redis.flushdb();
    redis.disconnect();
  } else {
    await backend.pool.query("delete from job");
  }
  await close();
}

describe("on Postgres", () => {
  behaviour("postgres");
});
describeWithTool("redis", "on Redis", () => {
  behaviour("redis");
});

describe("a migration that recreates the queue's schema", () => {
  const log = { info: () => undefined, warn: () => undefined };

  test("loses the tasks of accepted creations, but they are still issued", async () => {
    const { realmId, userId } = await realmWithUser();
    await makeOpenQueueSchema(database.url);
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => givenIssuance(database.owner, { realmId, userId, at: lostAt() })),
    );
    const { backend, close } = backendFor("postgres", database.url);
    const queues = openQueues(backend, silentLog);
    await queues.enqueueAll(issueCertificate, ids.map(payload));
    expect(await depthOf(queues)).toMatchObject({ issuance: 20 });

    await migrateAll(database.url, log);

    expect(await depthOf(queues)).toMatchObject({ issuance: 0 });
    await queues.close();
    await close();
    const { stop } = await startTestWorker({ databaseUrl: database.url });
    expect((await settled(ids)).map(({ state }) => state)).toEqual(ids.map(() => "issued"));
    await stop();
  });

  test("lets tasks still reach a running worker, singly and in bulk", async () => {
    const { realmId, userId } = await realmWithUser();
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
    const add = async (count: number): Promise<string[]> => {
      const ids = await Promise.all(
        Array.from({ length: count }, () => givenIssuance(database.owner, { realmId, userId })),
      );
      await queues.enqueueAll(issueCertificate, ids.map(payload));
      return ids;
    };
    const before = [...(await add(1)), ...(await add(20))];
    await settled(before);
    await database.owner.query(sql`grant create on schema bullmq to realmpass_queue`);

    await migrateAll(database.url, log);

    const after = [...(await add(1)), ...(await add(20))];
    expect((await settled(after)).map(({ state }) => state)).toEqual(after.map(() => "issued"));
    // Control: if the sweep had issued the profiles, their tasks would still be in the queue.
    await eventually(async () => {
      expect(await depthOf(queues)).toMatchObject({ issuance: 0 });
    });
    await stop();
  });
});

test("a row that the database refuses fails alone; the other rows of its batch are issued", async () => {
  const { realmId, userId } = await realmWithUser();
  const ids = await Promise.all(Array.from({ length: 12 }, () => givenIssuance(database.owner, { realmId, userId })));
  const [unlucky] = ids;
  await database.owner.query(
    verbatim(`create function refuse_one() returns trigger language plpgsql as $$
           begin if new.issuance_id = '${unlucky}' then raise exception 'no room for this one'; end if; return new; end $$`),
  );
  await database.owner.query(
    verbatim("create trigger refuse_one before insert on certificates for each row execute function refuse_one()"),
  );
  try {
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
    await queues.enqueueAll({ ...issueCertificate, backoffMs: 20 }, ids.map(payload));

    const rows = await settled(ids);
    expect(rows.filter(({ id }) => id !== unlucky).map(({ state }) => state)).toEqual(Array(11).fill("issued"));
    expect(rows.find(({ id }) => id === unlucky)).toMatchObject({ state: "failed", errorCode: "issuance_failed" });
    await stop();
  } finally {
    await database.owner.query(verbatim("drop function refuse_one() cascade"));
  }
});

test("a settlement that Postgres cancels in favour of another transaction is retried and succeeds", async () => {
  const { realmId, userId } = await realmWithUser();
  await database.owner.query(
    verbatim(`
      create sequence attempts;
      grant usage on sequence attempts to public;
      create function lose() returns trigger language plpgsql as $$
      begin
        if nextval('attempts') <= 2 then raise exception 'deadlock detected' using errcode = 'deadlock_detected'; end if;
        return null;
      end $$;
      create trigger loses after insert on certificates for each statement execute function lose();
    `),
  );
  try {
    const ids = await Promise.all(Array.from({ length: 3 }, () => givenIssuance(database.owner, { realmId, userId })));
    const { queues, stop } = await startTestWorker({ databaseUrl: database.url });

    await queues.enqueue(issueCertificates, { version: 1, issuanceIds: ids.map((id) => IssuanceID.parse(id)) });

    expect((await settled(ids)).map(({ state }) => state)).toEqual(ids.map(() => "issued"));
    expect(await certificatesPerIssuance(ids)).toEqual(ids.map(() => 1));
    const [tried] = await database.owner.query(sql`select last_value::integer as times from attempts`);
    expect(tried).toEqual({ times: 3 });
    await stop();
  } finally {
    await database.owner.query(verbatim("drop function lose() cascade"));
  }
});

test("a requester's own key is certified as it is, and no private key is returned", async () => {
  const { realmId, userId } = await realmWithUser();
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
  const { csr, spki } = certificateSigningRequest();
  const id = await givenIssuance(database.owner, { realmId, userId, csr, format: "pkcs12" });

  await queues.enqueue(issueCertificate, payload(id));

  const [issuance] = await settled([id]);
  const output = opened(issuance!);
  expect(Object.keys(output)).toEqual(["certificate"]);
  expect(
    Buffer.from(
      new X509Certificate(output["certificate"]!.split(/(?<=-----END CERTIFICATE-----\n)/)[0]!).publicKey.rawData,
    ),
  ).toEqual(spki);
  await stop();
});

test("an invalid request, and a key that already has a certificate, are reported as the requester's errors", async () => {
  const { realmId, userId } = await realmWithUser();
  const records: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => records.push(JSON.parse(line) as (typeof records)[0]) });
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url, log });
  const { csr } = certificateSigningRequest();
  const tampered = withLastOctetFlipped(csr);
  const [first, second, bad] = await Promise.all(
    [csr, csr, tampered].map((text) => givenIssuance(database.owner, { realmId, userId, csr: text })),
  );

  await queues.enqueueAll(issueCertificate, [first!, second!, bad!].map(payload));

  const rows = await settled([first!, second!, bad!]);
  const codes = [first, second].map((id) => rows.find((row) => row.id === id)?.errorCode);
  expect(codes.sort()).toEqual(["key_already_certified", null].sort());
  const reason = "The certification request is not signed with the key it contains.";
  expect(rows.find((row) => row.id === bad)).toMatchObject({
    state: "failed",
    errorCode: "invalid_csr",
    errorDetail: reason,
  });
  expect(records.filter(({ event }) => event === "issuance.refused")).toEqual([
    expect.objectContaining({ level: 30, issuanceId: bad, code: "invalid_csr", detail: reason }),
  ]);
  await stop();
});

test("a key in any encoding is certified once, in DER", async () => {
  const { realmId, userId } = await realmWithUser();
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spkis = [rsa, p256].map(({ publicKey }) => publicKey.export({ type: "spki", format: "der" }));
  const requests = otherForms({ rsa: rsa.privateKey, p256: p256.privateKey }).map(([, spki, key]) =>
    requestFor(key, spki),
  );
  requests.push(requestFor(rsa.privateKey, spkis[0]!), requestFor(p256.privateKey, spkis[1]!));
  const ids = await Promise.all(requests.map((csr) => givenIssuance(database.owner, { realmId, userId, csr })));

  await queues.enqueueAll(issueCertificate, ids.map(payload));

  const codes = new Map((await settled(ids)).map(({ id, errorCode }) => [id, errorCode]));
  expect(ids.map((id) => codes.get(id))).toEqual(ids.map((_, at) => (at < ids.length - 2 ? "invalid_csr" : null)));
  const rows = await database.owner.query<{ certificate: Buffer; hash: Buffer }>(sql`
    select certificate, spki_sha256 as hash from certificates where issuance_id = any(${ids}::uuid[]) order by octet_length(certificate) desc
  `);
  expect(rows.map(({ hash }) => hash)).toEqual(spkis.map((spki) => createHash("sha256").update(spki).digest()));
  expect(rows.map(({ certificate }, at) => certificate.includes(spkis[at]!))).toEqual([true, true]);
  await stop();
});

test("a server name outside the realm's domains is not certified, even for a row that no api checked", async () => {
  const { realmId } = await givenIssuingRealm(database.owner, { infrastructureDomains: ["example.org"] });
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url });
  const infrastructure = { realmId, userId: null as never, kind: "infrastructure", deviceType: null } as const;
  const names = ["radius.example.org", "www.example.net", "the printer"];
  const ids = await Promise.all(names.map((name) => givenIssuance(database.owner, { ...infrastructure, name })));

  await queues.enqueueAll(issueCertificate, ids.map(payload));

  const codes = new Map((await settled(ids)).map(({ id, errorCode }) => [id, errorCode]));
  expect(ids.map((id) => codes.get(id))).toEqual([null, "name_not_permitted", null]);
  expect(await certificatesPerIssuance([ids[1]!])).toEqual([0]);
  await stop();
});

test("issuances with RSA keys are issued even if the pool holds fewer keys", async () => {
  const { realmId, userId } = await realmWithUser();
  const { queues, stop } = await startTestWorker({ databaseUrl: database.url, rsaKeyPool: 1 });
  const ids = await Promise.all(
    Array.from({ length: 3 }, () => givenIssuance(database.owner, { realmId, userId, keyType: "rsa-2048" })),
  );

  await queues.enqueueAll(issueCertificate, ids.map(payload));

  expect((await settled(ids)).map(({ state }) => state)).toEqual(ids.map(() => "issued"));
  await stop();
});
