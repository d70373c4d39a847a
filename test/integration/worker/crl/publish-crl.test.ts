import { randomUUID } from "node:crypto";
import { Registry } from "prom-client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as crls from "../../../../db/queries/certificates/crls.ts";
import { sql } from "../../../../db/sql.ts";
import { systemClock, type Clock } from "../../../../runtime/clock.ts";
import { outputPublicKey } from "../../../../runtime/keys/sealed-output.ts";
import type { Beat } from "../../../../process/beat.ts";
import { startCrlPublisher } from "../../../../worker/crl/crl-publisher.ts";
import { createPieceStore } from "../../../../worker/crl/piece-store.ts";
import { publishCrl, type PublishDeps } from "../../../../worker/crl/publish-crl.ts";
import { createIssuers } from "../../../../worker/issuance/issuers.ts";
import { pem } from "../../../../pki/pem.ts";
import { createSigningPool, type SigningPool } from "../../../../worker/signing/pool.ts";
import { readCrl, storedCrl, verifyCrl, type ReadCrl } from "../../../support/pki/crl.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { extent } from "../../../support/run/extent.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { givenIssuingRealm, testPassphrase, type IssuingRealm } from "../../../support/given/issuing.ts";
import { requireTool } from "../../../support/run/tools.ts";
import { bundledThreads } from "../../../support/service/signing-threads.ts";
import { silentLog, testOutputKeys } from "../../../support/service/worker.ts";
import { crlIntervalSecondsMin } from "../../../../domain/lifetimes.ts";

requireTool("openssl");

const database = useDatabase();
const given = givenRows(() => database.owner);
const hour = 3_600_000;

let pool: SigningPool;
let workerDb: Database;
let apiDb: Database;
beforeAll(async () => {
  workerDb = database.open("realmpass_worker");
  apiDb = database.open("realmpass_api");
  pool = createSigningPool({
    threads: 2,
    passphrase: testPassphrase,
    outputPublicKey: outputPublicKey(testOutputKeys.publicJwk),
    runThread: await bundledThreads(),
  });
});
afterAll(() => pool.close());

/** Returns the dependencies of one worker. */
const worker = (clock: Clock = systemClock): PublishDeps => ({
  db: workerDb,
  pool,
  issuers: createIssuers({ db: workerDb, pool, publicationUrl: "http://pki.example", clock, log: silentLog }),
  pieces: createPieceStore(),
  validityHours: 96,
  clock,
  log: silentLog,
});

/** Returns a worker's dependencies for another time, which the database's clock shows as well. */
const clockAt = (ms: number): PublishDeps => ({
  ...worker({ now: () => fromNow(ms) }),
  databaseTime: () => Promise.resolve(fromNow(ms)),
});

let realm: IssuingRealm;
beforeEach(async () => {
  realm = await givenIssuingRealm(database.owner);
});

/** Ends the pause between two CRLs. */
async function afterPause(): Promise<void> {
  await database.owner.query(sql`alter table crls disable trigger crls_only_go_forward`);
  await database.owner.query(sql`update crls set published_at = now() - interval '1 minute'`);
  await database.owner.query(sql`alter table crls enable trigger crls_only_go_forward`);
}

async function publish(deps = worker()): Promise<ReadCrl> {
  await afterPause();
  await publishCrl(deps, realm.issuerId);
  return current();
}

const current = async (): Promise<ReadCrl> => readCrl(await storedCrl(apiDb, realm.issuerId));

const givenProfile = async (): Promise<string> => {
  const user = await given.user({ realmId: realm.realmId });
  return given.profile(user);
};

const revoke = (serial: string, { reason = 5, db = apiDb }: { reason?: number; db?: Pick<Database, "query"> } = {}) =>
  db.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, now(), ${reason} from certificates where serial_number = ${serial}
  `);

const abandon = (serial: string, notAfter = fromNow(hour)) =>
  workerDb.query(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    values (${realm.issuerId}, ${serial}, ${randomUUID()}, ${notAfter}, now())
  `);

const insertMany = (from: number, to: number) =>
  workerDb.query(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    select ${realm.issuerId}, (10::numeric ^ 30 + n)::text, gen_random_uuid(), now() + interval '30 days', now()
      from generate_series(${from}::integer, ${to}::integer) as n
  `);

test("before the first revocation an issuer has an empty signed CRL", async () => {
  expect((await publish()).entries.size).toBe(0);
  const der = await storedCrl(apiDb, realm.issuerId);
  expect(verifyCrl(der, pem("CERTIFICATE", realm.issuer))).toBe("verify OK");
});

test("a revocation is listed once on the next CRL, with its reason, and on every later CRL", async () => {
  await publish();
  const [first, second, third] = [await givenProfile(), await givenProfile(), await givenProfile()];
  await revoke(first, { reason: 1 });
  await revoke(second, { reason: 0 });
  expect([...(await publish()).entries.keys()].sort()).toEqual([first, second].sort());
  await revoke(third, { reason: 9 });

  const { entries } = await publish();
  expect(entries).toEqual(
    new Map([
      [first, "Key Compromise"],
      [second, null],
      [third, "Privilege Withdrawn"],
    ]),
  );
  expect(verifyCrl(await storedCrl(apiDb, realm.issuerId), pem("CERTIFICATE", realm.issuer))).toBe("verify OK");
});

test("an abandoned serial number is listed on the next CRL, without a reason", async () => {
  await abandon("4242424242");
  expect((await publish()).entries).toEqual(new Map([["4242424242", null]]));
});

test("a revocation that commits after a publication has started is listed on the next CRL", async () => {
  const [early, late] = [await givenProfile(), await givenProfile()];
  let commit: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (commit = resolve));
  let inserted: () => void = () => undefined;
  const isInserted = new Promise<void>((resolve) => (inserted = resolve));
  const transaction = apiDb.transaction(async (tx) => {
    await revoke(late, { db: tx });
    inserted();
    await held;
  });
  await isInserted;
  await revoke(early);
  expect([...(await publish()).entries.keys()]).toEqual([early]);

  commit();
  await transaction;
  expect([...(await publish()).entries.keys()].sort()).toEqual([early, late].sort());
});

test("CRL numbers rise with each CRL, even after a CRL published by a worker whose clock is ahead", async () => {
  const numbers = [(await publish(clockAt(-hour))).number];
  for (let i = 0; i < 3; i++) {
    await abandon(String(i + 1));
    numbers.push((await publish()).number);
  }
  await abandon("4");
  const ahead = await publish(clockAt(24 * hour));
  await abandon("5");
  numbers.push(ahead.number, (await publish()).number);
  expect(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0n))).toBe(true);
});

test("after a restore, CRL numbers exceed every number published since the backup", async () => {
  const backedUp = (await publish(clockAt(-2 * hour))).number;
  const crl = await database.owner.query(sql`select * from crls where issuer_id = ${realm.issuerId}`);
  const lost = [];
  for (const ago of [-1.5 * hour, -hour]) {
    await abandon(String(-ago));
    lost.push((await publish(clockAt(ago))).number);
  }
  await database.owner.query(sql`alter table crls disable trigger crls_only_go_forward`);
  await database.owner.query(sql`
    update crls set number = ${String(backedUp)}, this_update = ${(crl[0] as { this_update: Date }).this_update}
     where issuer_id = ${realm.issuerId}
  `);
  await database.owner.query(sql`alter table crls enable trigger crls_only_go_forward`);

  await abandon("6");
  const { number } = await publish();
  for (const earlier of [backedUp, ...lost]) expect(number > earlier).toBe(true);
});

test("a CRL starts five minutes before its publication, at a full second, and is valid for the configured hours", async () => {
  const from = Math.floor(systemClock.now().getTime() / 1000) * 1000;
  await publishCrl({ ...worker(), validityHours: 30 }, realm.issuerId);
  const [dates] = await database.owner.query<{ thisUpdate: Date; nextUpdate: Date }>(sql`
    select this_update as "thisUpdate", next_update as "nextUpdate" from crls where issuer_id = ${realm.issuerId}
  `);
  const { thisUpdate = new Date(0), nextUpdate = new Date(0) } = dates ?? {};
  expect(thisUpdate.getTime() % 1000).toBe(0);
  expect(thisUpdate.getTime()).toBeGreaterThanOrEqual(from - hour / 12);
  expect(thisUpdate.getTime()).toBeLessThanOrEqual(systemClock.now().getTime() - hour / 12);
  expect(nextUpdate.getTime() - thisUpdate.getTime()).toBe(30 * hour + hour / 12);
});

test("new entries are logged before they are committed, a hundred to a line, and again after a failed attempt", async () => {
  const serials = Array.from({ length: 250 }, (_, number) => String(5_000 + number));
  for (const serial of serials) await abandon(serial);
  await afterPause();
  const lines: { event: string; issuer: string; entries: { serial: string; reason: number | null }[] }[] = [];
  const log = { info: (line: (typeof lines)[number]) => void lines.push(line) } as unknown as PublishDeps["log"];
  const failing = { signCrl: () => Promise.reject(new Error("the thread has died")) };
  await expect(publishCrl({ ...worker(), log, pool: failing }, realm.issuerId)).rejects.toThrow("has died");
  await publishCrl({ ...worker(), log }, realm.issuerId);

  expect(lines.map(({ event, issuer, entries }) => [event, issuer, entries.length])).toEqual(
    [100, 100, 50, 100, 100, 50].map((length) => ["revocations.listed", realm.issuerId, length]),
  );
  for (const portion of [lines.slice(0, 3), lines.slice(3)])
    expect(portion.flatMap(({ entries }) => entries.map(({ serial }) => serial)).sort()).toEqual([...serials].sort());
});

test("one of many simultaneous publications succeeds, and its CRL has every entry", async () => {
  await abandon("77");
  const published = await Promise.all(Array.from({ length: 8 }, () => publishCrl(worker(), realm.issuerId)));
  expect(published.filter((one) => one !== undefined)).toMatchObject([{ entries: 1 }]);
});

test("an issuer is not due right after a CRL; new revocations make the issuer due, and so does a quarter of the validity", async () => {
  const due = (at = systemClock.now()) => crls.listDue(workerDb, { at, validityHours: 96 });
  expect(await due()).toContain(realm.issuerId);
  await publishCrl(worker(), realm.issuerId);
  await abandon("9");
  expect(await due()).not.toContain(realm.issuerId);
  await afterPause();
  expect(await due()).toContain(realm.issuerId);
  await publishCrl(worker(), realm.issuerId);

  await afterPause();
  expect(await due(fromNow(23.9 * hour))).not.toContain(realm.issuerId);
  expect(await due(fromNow(24.1 * hour))).toContain(realm.issuerId);
  // A shortened validity applies immediately, and a CRL from the future is replaced.
  expect(await crls.listDue(workerDb, { at: fromNow(0.5 * hour), validityHours: 1 })).toContain(realm.issuerId);
  expect(await due(fromNow(-hour))).toContain(realm.issuerId);
});

test("an issuer with a successor keeps publishing until it expires", async () => {
  await database.owner.query(sql`update issuers set issuing = false where id = ${realm.issuerId}`);
  await abandon("11");
  expect([...(await publish()).entries.keys()]).toEqual(["11"]);

  await database.owner.query(
    sql`update issuers set not_after = now() - interval '1 second' where id = ${realm.issuerId}`,
  );
  await abandon("12");
  await afterPause();
  expect(await publishCrl(worker(), realm.issuerId)).toBeUndefined();
});

test("an entry is removed once its certificate has expired and a later CRL has listed it", async () => {
  await abandon("21", fromNow(hour));
  await abandon("22", fromNow(60 * 24 * hour));
  expect((await publish(clockAt(0))).entries.size).toBe(2);
  // The first CRL after the certificate's end still has the entry (RFC 5280 section 3.3).
  await abandon("23", fromNow(60 * 24 * hour));
  expect([...(await publish(clockAt(2 * hour))).entries.keys()].sort()).toEqual(["21", "22", "23"]);
  await abandon("24", fromNow(60 * 24 * hour));
  expect([...(await publish(clockAt(3 * hour))).entries.keys()].sort()).toEqual(["22", "23", "24"]);
});

test("a worker whose clock was changed since the last comparison publishes nothing", async () => {
  for (const ms of [-hour, -6_000, 6_000, hour]) {
    await afterPause();
    await expect(publishCrl(worker({ now: () => fromNow(ms) }), realm.issuerId)).rejects.toThrow(
      "ms ahead of the database's",
    );
  }
  expect(await database.owner.query(sql`select from crls where issuer_id = ${realm.issuerId}`)).toEqual([]);
});

test("a long CRL is kept in pieces that are written once", async () => {
  const pieceIds = () => crls.listPieces(workerDb, realm.issuerId);
  const deps = worker();
  await insertMany(1, 12_345);
  expect((await publish(deps)).entries.size).toBe(12_345);
  const before = await pieceIds();
  expect(before.map(({ entries }) => entries).reduce((a, b) => a + b)).toBe(12_345);

  await insertMany(12_346, 12_350);
  expect((await publish(deps)).entries.size).toBe(12_350);
  const after = await pieceIds();
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after).toHaveLength(before.length);
  // A worker that has no piece in memory writes the same list.
  await insertMany(12_351, 12_351);
  expect((await publish(worker())).entries.size).toBe(12_351);
  expect(verifyCrl(await storedCrl(apiDb, realm.issuerId), pem("CERTIFICATE", realm.issuer))).toBe("verify OK");
});

test("pieces packed by a worker that died are published by the next worker", async () => {
  await publish();
  await insertMany(1, 5_001);
  const dying = worker();
  await afterPause();
  await expect(
    publishCrl({ ...dying, pool: { signCrl: () => Promise.reject(new Error("gone")) } }, realm.issuerId),
  ).rejects.toThrow("gone");
  expect((await current()).entries.size).toBe(0);
  const [{ count } = { count: -1 }] = await database.owner.query<{ count: number }>(sql`
    select count(*)::integer as count from crl_unpublished where issuer_id = ${realm.issuerId}
  `);
  expect(count).toBe(1);

  expect(await crls.listDue(workerDb, { at: systemClock.now(), validityHours: 96 })).toContain(realm.issuerId);
  expect((await publish()).entries.size).toBe(5_001);
});

test("a worker that loses its connection while it publishes leaves everything unchanged", async () => {
  const { number } = await publish();
  await abandon("32");
  await afterPause();
  const deps = worker();
  const dying = publishCrl(
    {
      ...deps,
      pool: {
        async signCrl(request) {
          await database.owner.query(sql`
            select pg_terminate_backend(pid)
              from pg_stat_activity
             where datname = current_database() and state = 'idle in transaction'
          `);
          return deps.pool.signCrl(request);
        },
      },
    },
    realm.issuerId,
  );
  await expect(dying).rejects.toThrow();
  expect(await current()).toEqual({ number, entries: new Map() });

  const next = await publish();
  expect([...next.entries.keys()]).toEqual(["32"]);
  expect(next.number).toBeGreaterThan(number);
});

test("a damaged piece is not signed", async () => {
  await abandon("41");
  await publish();
  await database.owner.query(sql`alter table crl_pieces disable trigger crl_pieces_keep_entries`);
  await database.owner.query(sql`update crl_pieces set der = substr(der, 2) where issuer_id = ${realm.issuerId}`);
  await database.owner.query(sql`alter table crl_pieces enable trigger crl_pieces_keep_entries`);
  await database.owner.query(sql`insert into crl_requests values (${realm.issuerId}, now())`);
  await afterPause();
  await expect(publishCrl(worker(), realm.issuerId)).rejects.toThrow(/not whole|damaged/);
});

describe("a published entry cannot be removed", () => {
  beforeEach(async () => {
    await abandon("51");
    await publish();
  });

  test.each([
    ["deletes a piece", sql`delete from crl_pieces`, /never taken back/],
    ["changes a piece", sql`update crl_pieces set der = ''`, /permission denied|never taken back/],
    ["empties the pieces", sql`truncate crl_pieces`, /permission denied|never taken back/],
    ["deletes a CRL", sql`delete from crls`, /permission denied|higher number/],
    ["gives a CRL an old number", sql`update crls set number = 1`, /higher number/],
  ])("by a session that %s, as a worker or as the owner", async (_, statement, refusal) => {
    await expect(workerDb.query(statement)).rejects.toThrow(refusal);
    await expect(database.owner.query(statement)).rejects.toThrow(refusal);
  });

  test("by a session that continues a piece with other content", async () => {
    await expect(
      workerDb.transaction(async (tx) => {
        await tx.query(sql`
          insert into crl_pieces (issuer_id, week, not_after, entries, der, continues)
          select issuer_id, week, not_after, entries, 'something else', id from crl_pieces where issuer_id = ${realm.issuerId}
        `);
        await tx.query(sql`delete from crl_pieces where issuer_id = ${realm.issuerId} and continues is null`);
      }),
    ).rejects.toThrow(/never taken back/);
  });
});

describe("a publisher", () => {
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((publisher) => publisher.stop()));
  });
  const problems = new Set<string>();
  const beat: Pick<Beat, "report" | "end"> = {
    report: (code, detail) => problems.add(`${code} ${detail}`),
    end: (code, detail) => problems.delete(`${code} ${detail}`),
  };
  const start = (registry = new Registry(), deps = worker()): Registry => {
    running.push(startCrlPublisher({ ...deps, registry, beat, log: silentLog }));
    return registry;
  };

  test("publishes a CRL for a new issuer, and another after a revocation", async () => {
    const registry = start();
    await eventually(current);
    await afterPause();
    const serial = await givenProfile();
    await revoke(serial);
    await eventually(async () => {
      expect([...(await current()).entries.keys()]).toEqual([serial]);
    });
    const metrics = await registry.metrics();
    expect(metrics).toContain(`realmpass_crl_entries{issuer="${realm.issuerId}"} 1`);
    expect(metrics).toMatch(new RegExp(`realmpass_crl_next_update_seconds\\{issuer="${realm.issuerId}"\\} 1\\d{9}`));
  });

  const storm = extent(1_000, 0.4);

  test("lists a storm of revocations completely and in few CRLs, even while several publishers run", async () => {
    start();
    start();
    start();
    const before = (await eventually(current)).number;
    const user = await given.user({ realmId: realm.realmId });
    const serials = await Promise.all(Array.from({ length: storm }, () => given.profile(user)));
    const numbers = new Set<string>();
    const startedAt = performance.now();
    for (let from = 0; from < serials.length; from += 20) {
      await Promise.all(serials.slice(from, from + 20).map((serial) => revoke(serial)));
      const [row] = await apiDb.query<{ number: string }>(
        sql`select number from crls where issuer_id = ${realm.issuerId}`,
      );
      if (row !== undefined) numbers.add(row.number);
    }
    await eventually(
      async () => {
        expect((await current()).entries.size).toBe(storm);
      },
      { everyMs: 250 },
    );
    const seconds = (performance.now() - startedAt) / 1000;
    numbers.add(String((await current()).number));
    numbers.delete(String(before));
    expect(numbers.size).toBeLessThanOrEqual(Math.ceil(seconds / crlIntervalSecondsMin) + 1);
    expect(new Set((await current()).entries.keys())).toEqual(new Set(serials));
  });

  test("that fails for one issuer publishes for the other issuers, and reports a problem", async () => {
    const broken = await givenIssuingRealm(database.owner);
    const refusing: PublishDeps["pool"] = {
      ...pool,
      signCrl: (request) =>
        request.issuerId === broken.issuerId ? Promise.reject(new Error("not signed")) : pool.signCrl(request),
    };
    start(new Registry(), { ...worker(), pool: refusing });
    await eventually(current);
    const states = await crls.listStates(workerDb, { at: systemClock.now() });
    expect(states.find(({ issuerId }) => issuerId === broken.issuerId)?.standing).toBe("missing");
    await eventually(() => {
      expect([...problems]).toContain(`publication_failed issuer ${broken.issuerId}`);
    });
  });
});
