import { randomBytes } from "node:crypto";
import type { Worker } from "node:worker_threads";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { only, type Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { IssuanceID } from "../../../../domain/ids.ts";
import { issueCertificate } from "../../../../domain/tasks/issue-certificate.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { outputPublicKey } from "../../../../runtime/keys/sealed-output.ts";
import { startCrlPublisher } from "../../../../worker/crl/crl-publisher.ts";
import { issueAll, type IssuanceDeps } from "../../../../worker/issuance/issue.ts";
import { createIssuers } from "../../../../worker/issuance/issuers.ts";
import { decryptKey, encryptKey } from "../../../../worker/keys/encrypted-key.ts";
import { createSigningPool, type SigningPool } from "../../../../worker/signing/pool.ts";
import type { RunThread } from "../../../../worker/signing/thread-handle.ts";
import { givenIssuance, givenIssuingRealm, givenUser, testPassphrase } from "../../../support/given/issuing.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { atEnd } from "../../../support/run/at-end.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { bundledThreads } from "../../../support/service/signing-threads.ts";
import { depthOf, silentLog, startTestWorker, testOutputKeys } from "../../../support/service/worker.ts";
import { testKeyCost } from "../../../support/given/hierarchy/test-hierarchy.ts";

const database = useDatabase();

const otherPassphrase = "another passphrase for tests alone";

const silentBeat = { report: () => undefined, end: () => undefined };

const started: Worker[] = [];
const watch = (worker: Worker): void => void started.push(worker);
process.on("worker", watch);
afterAll(() => void process.off("worker", watch));

let runThread: RunThread;
beforeAll(async () => {
  runThread = await bundledThreads();
});

function newPool({ passphrase = testPassphrase } = {}): SigningPool {
  const pool = createSigningPool({
    threads: 1,
    passphrase,
    outputPublicKey: outputPublicKey(testOutputKeys.publicJwk),
    runThread,
  });
  atEnd(() => pool.close());
  return pool;
}

async function realmWithUser() {
  const realm = await givenIssuingRealm(database.owner, { maxProfiles: 100 });
  return { ...realm, userId: await givenUser(database.owner, realm.realmId) };
}

/** Encrypts an issuer's key under another passphrase and returns the previous record. */
async function lockUp(issuerId: string): Promise<object> {
  const { record } = only(
    await database.owner.query<{ record: object }>(
      sql`select encrypted_key as record from issuer_keys where issuer_id = ${issuerId}`,
    ),
  );
  const locked = await encryptKey(await decryptKey(record, testPassphrase), otherPassphrase, { cost: testKeyCost });
  await putKey(issuerId, locked);
  return record;
}

const putKey = (issuerId: string, record: object) =>
  database.owner.query(
    sql`update issuer_keys set encrypted_key = ${JSON.stringify(record)}::jsonb where issuer_id = ${issuerId}`,
  );

const givenIssuances = ({ realmId, userId }: { realmId: string; userId: string }, count: number) =>
  Promise.all(Array.from({ length: count }, () => givenIssuance(database.owner, { realmId, userId })));

const payload = (id: string) => ({ version: 1 as const, issuanceId: IssuanceID.parse(id) });

interface Row {
  status: string;
  claims: number;
  failures: number;
}

const rowsOf = (ids: readonly string[]): Promise<Row[]> =>
  database.owner.query<Row>(sql`
    select status, claims, failures
      from unnest(${ids}::uuid[]) with ordinality as i (id, position)
      join issuances using (id)
     order by position
  `);

const allAre = (ids: readonly string[], row: Partial<Row>) =>
  eventually(async () => {
    expect(await rowsOf(ids)).toMatchObject(ids.map(() => row));
  });

const abandoned = async (ids: readonly string[]): Promise<number> =>
  (await database.owner.query(sql`select from abandoned_serial_numbers where issuance_id = any(${ids}::uuid[])`))
    .length;

test("issuances of an issuer whose key does not open wait without delaying others, and are issued once the key opens", async () => {
  const away = await realmWithUser();
  const key = await lockUp(away.issuerId);
  const other = await realmWithUser();
  const { queues, registry } = await startTestWorker({ databaseUrl: database.url });
  const waiting = await givenIssuances(away, 3);
  const passing = await givenIssuances(other, 3);

  await queues.enqueueAll(issueCertificate, [...waiting, ...passing].map(payload));
  await allAre(passing, { status: "issued" });
  await eventually(async () => {
    expect(await depthOf(queues)).toMatchObject({ issuance: 0 });
  });
  expect(await rowsOf(waiting)).toEqual(waiting.map(() => ({ status: "queued", claims: 0, failures: 0 })));
  const metrics = await registry.getSingleMetricAsString("realmpass_signer_usable");
  expect(metrics).toContain(`{issuer="${away.issuerId}"} 0`);
  expect(metrics).toContain(`{issuer="${other.issuerId}"} 1`);

  await putKey(away.issuerId, key);
  await allAre(waiting, { status: "issued", claims: 1, failures: 0 });
  expect(await abandoned(waiting)).toBe(0);
});

test("a worker that can sign for no issuer leaves the tasks to another worker", async () => {
  const realm = await realmWithUser();
  const able = await startTestWorker({ databaseUrl: database.url });
  const newest = await givenIssuingRealm(database.owner);
  await lockUp(newest.issuerId);
  const unable = await startTestWorker({
    databaseUrl: database.url,
    passphrase: otherPassphrase,
    signingPool: newPool({ passphrase: otherPassphrase }),
  });
  await database.owner.query(
    sql`update issuers set not_after = now() - interval '1 second' where id = ${newest.issuerId}`,
  );
  await eventually(async () => {
    const metrics = await unable.registry.getSingleMetricAsString("realmpass_signer_usable");
    expect(metrics).toContain(`{issuer="${realm.issuerId}"} 0`);
    expect(metrics).not.toContain("} 1");
  });

  const ids = await givenIssuances(realm, 40);
  await able.queues.enqueueAll(issueCertificate, ids.map(payload));

  await allAre(ids, { status: "issued", claims: 1, failures: 0 });
  expect(await abandoned(ids)).toBe(0);
});

test("a passphrase that does not open the newest issuer's key is refused at start", async () => {
  const { issuerId } = await realmWithUser();
  const pool = newPool({ passphrase: otherPassphrase });

  await expect(
    startTestWorker({ databaseUrl: database.url, passphrase: otherPassphrase, signingPool: pool }),
  ).rejects.toMatchObject({
    name: "ConfigError",
    message: expect.stringContaining(`REALMPASS_ISSUER_KEY_PASSPHRASE: it does not open the key of issuer ${issuerId}`),
  });
});

describe("a single worker", () => {
  let db: Database | undefined;
  const workerWith = (pool: SigningPool): IssuanceDeps => {
    db ??= database.open("realmpass_worker");
    const publicationUrl = "http://pki.example";
    return {
      db,
      pool,
      threads: 1,
      issuers: createIssuers({ db, pool, publicationUrl, clock: systemClock, log: silentLog }),
      rsaKeys: { take: () => undefined },
      clock: systemClock,
      log: silentLog,
      activeClaims: new Set(),
    };
  };

  test("counts no failed attempt if a thread dies while signing, and claims nothing until the thread is replaced", async () => {
    const { realmId, userId } = await realmWithUser();
    const deps = workerWith(newPool());
    const ids = await Promise.all(
      Array.from({ length: 12 }, () => givenIssuance(database.owner, { realmId, userId, keyType: "rsa-3072" })),
    );
    const later = await givenIssuances({ realmId, userId }, 1);

    const issuing = issueAll(deps, ids);
    await allAre(ids, { status: "signing" });
    await started.at(-1)?.terminate();
    expect([...(await issuing).values()]).toEqual(ids.map(() => "released"));
    expect(deps.issuers.usable()).toEqual([]);
    expect([...(await issueAll(deps, later)).values()]).toEqual(["not claimed"]);
    expect(await rowsOf([...ids, ...later])).toEqual([
      ...ids.map(() => ({ status: "queued", claims: 1, failures: 0 })),
      { status: "queued", claims: 0, failures: 0 },
    ]);
    // The dead thread may have signed certificates, so all serial numbers are abandoned.
    expect(await abandoned(ids)).toBe(ids.length);

    await eventually(async () => {
      await deps.issuers.watch();
      expect(deps.issuers.usable()).not.toEqual([]);
    });
    await database.owner.query(sql`update issuances set key_type = 'ec-p256' where id = any(${ids}::uuid[])`);
    expect([...(await issueAll(deps, [...ids, ...later])).values()]).toEqual([...ids, ...later].map(() => "issued"));
  });

  test("after the last attempt, fails a request that can never be signed, if its issuer can sign", async () => {
    const { realmId, userId } = await realmWithUser();
    await database.owner.query(sql`update realms set radius_ca = 'no certificate' where id = ${realmId}`);
    const deps = workerWith(newPool());
    const id = await givenIssuance(database.owner, { realmId, userId, format: "mobileconfig" });

    await eventually(async () => {
      await issueAll(deps, [id]);
      expect(await rowsOf([id])).toMatchObject([{ status: "failed", failures: 5 }]);
    });
  });

  test("publishes an issuer's CRL only once it can sign for that issuer", async () => {
    const { issuerId } = await realmWithUser();
    const key = await lockUp(issuerId);
    const deps = workerWith(newPool());
    const registry = new Registry();
    const publisher = startCrlPublisher({ ...deps, validityHours: 96, registry, beat: silentBeat });
    atEnd(() => publisher.stop());

    await eventually(() => {
      expect(deps.issuers.away()).toContain(issuerId);
    });
    const published = () => database.owner.query(sql`select from crls where issuer_id = ${issuerId}`);
    expect(await published()).toEqual([]);
    await putKey(issuerId, key);
    await deps.issuers.watch();
    await eventually(async () => {
      expect(await published()).toHaveLength(1);
    });
    expect(await registry.getSingleMetricAsString("realmpass_crl_publications_total")).not.toContain(
      'outcome="failed"',
    );
  });

  test("claims nothing for an issuer that is loaded but does not sign", async () => {
    const { issuerId, realmId, userId } = await realmWithUser();
    const pool = newPool();
    const deps = workerWith(pool);
    await deps.issuers.ensure([issuerId]);
    const broken = { ...deps.pool, probe: () => Promise.reject(new Error("does not sign")) };
    const issuers = createIssuers({
      db: deps.db,
      pool: broken,
      publicationUrl: "http://pki.example",
      clock: systemClock,
      log: silentLog,
    });
    await expect(issuers.ensure([issuerId])).rejects.toThrow(`issuer ${issuerId} cannot be signed for`);
    const id = await givenIssuance(database.owner, { realmId, userId });
    expect([...(await issueAll({ ...deps, issuers }, [id])).values()]).toEqual(["not claimed"]);
    expect(await rowsOf([id])).toEqual([{ status: "queued", claims: 0, failures: 0 }]);
    expect([...(await issueAll(deps, [id])).values()]).toEqual(["issued"]);
  });

  test("claims and certifies nothing while its clock is wrong", async () => {
    const { issuerId, realmId, userId } = await realmWithUser();
    const deps = workerWith(newPool());
    const state = { inStep: false };
    const { db, pool } = deps;
    const publicationUrl = "http://pki.example";
    const isOpen = () => state.inStep;
    const issuers = createIssuers({ db, pool, publicationUrl, clock: systemClock, log: silentLog, isOpen });
    const id = await givenIssuance(database.owner, { realmId, userId });

    await expect(issuers.ensure([issuerId])).rejects.toThrow("this worker signs nothing now");
    expect([...(await issueAll({ ...deps, issuers }, [id])).values()]).toEqual(["not claimed"]);
    expect(await rowsOf([id])).toEqual([{ status: "queued", claims: 0, failures: 0 }]);
    state.inStep = true;
    expect([...(await issueAll({ ...deps, issuers }, [id])).values()]).toEqual(["issued"]);
  });

  test("still fails an issuance of an unavailable issuer if its guest account has expired", async () => {
    const { realmId, issuerId } = await realmWithUser();
    await lockUp(issuerId);
    const [account] = await database.owner.query<{ id: string }>(sql`
      insert into guest_accounts (realm_id, name, token_hash, token_sealed, created_at, expires_at)
      values (${realmId}, 'fair', ${randomBytes(32)}, ${randomBytes(32)}, now() - interval '2 days', now() - interval '1 day')
      returning id
    `);
    const owner = { kind: "guest", userId: null as never, guestAccountId: account!.id } as const;
    const id = await givenIssuance(database.owner, { realmId, ...owner });

    expect([...(await issueAll(workerWith(newPool()), [id])).values()]).toEqual(["failed"]);
    expect(await rowsOf([id])).toMatchObject([{ status: "failed", claims: 0 }]);
  });
});
