import { pino } from "pino";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { only, type Database, type Db } from "../../../../db/client.ts";
import * as audit from "../../../../db/queries/audit/audit-entries.ts";
import { sql, type Sql, verbatim } from "../../../../db/sql.ts";
import { operatorActor } from "../../../../domain/audit/audit.ts";
import { checkDatabase, type ChainReport } from "../../../../operator/audit/audit-chain-in-database.ts";
import { createHeadSigner, generateAuditKey, type HeadSigner } from "../../../../runtime/keys/audit-key.ts";
import { systemClock, type Clock } from "../../../../runtime/clock.ts";
import { createHeadLog, sealAudit, sealingLock, type HeadLog } from "../../../../worker/upkeep/audit-sealing.ts";
import { markExpiredLock, purgeLock } from "../../../../worker/upkeep/upkeep.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { givenRows } from "../../../support/given/given.ts";
import { silentLog, startTestWorker } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let signer: HeadSigner;
let workers: Database[];

beforeAll(async () => {
  signer = await createHeadSigner(generateAuditKey());
  workers = [1, 2].map(() => database.open("realmpass_worker"));
});

// Removes a test's waiting entries, so that they do not affect the next test.
afterEach(async () => {
  await database.owner.query(sql`delete from audit_unsealed`);
  logged = [];
});

const seal = ({
  slice,
  db = workers[0]!,
  by = signer,
  clock = systemClock,
  databaseTime,
  headLog = createHeadLog({ clock, log: silentLog }),
}: {
  slice?: number;
  db?: Database;
  by?: HeadSigner;
  clock?: Clock;
  databaseTime?: () => Promise<Date>;
  headLog?: HeadLog;
} = {}) =>
  sealAudit(
    { db, signer: by, headLog, onRefused: () => undefined, clock, log, ...(databaseTime && { databaseTime }) },
    slice === undefined ? {} : { slice },
  );

interface Logged {
  event: string;
  realmId: string;
}
let logged: Logged[] = [];
const log = pino({ base: null }, { write: (line: string) => logged.push(JSON.parse(line) as Logged) });
const loggedOf = (realmId: string) => logged.filter((line) => line.realmId === realmId).map(({ event }) => event);

const record = (realmId: string, tx: Db = database.owner): Promise<void> =>
  audit.record(tx, {
    realmId,
    event: "realm_update",
    actor: operatorActor,
    at: systemClock.now(),
    properties: { after: { maxProfiles: 3 }, before: { maxProfiles: 5 }, name: 'Zoë "Z" \u2028' },
  });

const recordMany = async (realmId: string, count: number): Promise<void> => {
  for (let index = 0; index < count; index++) await record(realmId);
};

const check = (realmId: string): Promise<ChainReport> =>
  checkDatabase(database.owner, { realmId, verifier: signer, kept: undefined });

const count = async (rows: Sql): Promise<number> =>
  only(await database.owner.query<{ count: number }>(sql`select count(*)::integer as count from (${rows}) as rows`))
    .count;

test("a recorded entry gets its position, and a signed head marks the end of its chain", async () => {
  const realmId = await given.realm();
  await recordMany(realmId, 3);
  expect(await check(realmId)).toMatchObject({ entries: 0, unsealed: 3, faults: [] });

  await seal();

  const { entries, unsealed, faults, end } = await check(realmId);
  expect({ entries, unsealed, faults }).toEqual({ entries: 3, unsealed: 0, faults: [] });
  const head = only(
    await database.owner.query<{ signature: string }>(
      sql`select signature from audit_heads where realm_id = ${realmId}`,
    ),
  );
  expect(await signer.verify(head.signature)).toMatchObject({ realm: realmId, ...end, previous: 0, complete: true });
});

test("sealing again without new entries signs nothing", async () => {
  const realmId = await given.realm();
  await record(realmId);
  await seal();
  await seal();
  expect(await count(sql`select from audit_heads where realm_id = ${realmId}`)).toBe(1);
});

test("a backlog is sealed in slices, each with its own head, and only the last head is complete", async () => {
  const realmId = await given.realm();
  await recordMany(realmId, 10);

  await seal({ slice: 4 });

  const rows = await database.owner.query<{ signature: string }>(
    sql`select signature from audit_heads where realm_id = ${realmId} order by position`,
  );
  const heads = await Promise.all(rows.map(({ signature }) => signer.verify(signature)));
  expect(heads.map((head) => [head?.previous, head?.position, head?.complete])).toEqual([
    [0, 4, false],
    [4, 8, false],
    [8, 10, true],
  ]);
  expect(await check(realmId)).toMatchObject({ entries: 10, faults: [] });
});

test("two realms have separate chains", async () => {
  const [one, other] = [await given.realm(), await given.realm()];
  for (let index = 0; index < 6; index++) await record(index % 2 === 0 ? one : other);

  await seal({ slice: 2 });

  for (const realmId of [one, other]) {
    expect(await check(realmId)).toMatchObject({ entries: 3, unsealed: 0, end: { position: 3 }, faults: [] });
  }
  // Even with equal entries, neither chain can replace the other.
  expect((await check(one)).end.hash).not.toBe((await check(other)).end.hash);
});

test("an entry committed late, with a lower id, is sealed later", async () => {
  const realmId = await given.realm();
  await database.owner.transaction(async (tx) => {
    await record(realmId, tx);
    await record(realmId);
    await seal();
    expect(await check(realmId)).toMatchObject({ entries: 1, faults: [] });
  });
  await seal();

  const rows = await database.owner.query<{ id: string }>(
    sql`select entry_id as id from audit_seals where realm_id = ${realmId} order by position`,
  );
  expect(rows.map(({ id }) => Number(id))).toEqual([...rows.map(({ id }) => Number(id))].sort((a, b) => b - a));
  expect(await check(realmId)).toMatchObject({ entries: 2, unsealed: 0, faults: [] });
});

test("recording does not wait for sealing", async () => {
  const realmId = await given.realm();
  await record(realmId);
  await workers[0]!
    .transaction(async (tx) => {
      // Simulates a sealing that has yet to commit.
      await tx.query(sql`delete from audit_unsealed where realm_id = ${realmId}`);
      await tx.query(sql`
      insert into audit_heads (realm_id, position, hash, sealed_at, signature)
      values (${realmId}, 1, decode(repeat('00', 32), 'hex'), ${systemClock.now()}, '')
    `);
      await record(realmId);
      throw new Error("stop");
    })
    .catch(() => undefined);

  await seal();
  expect(await check(realmId)).toMatchObject({ entries: 2, faults: [] });
});

test("entries removed before sealing block nothing", async () => {
  const realmId = await given.realm();
  await recordMany(realmId, 7);
  await database.owner.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      delete from audit_entries
       where id in (select id from audit_entries where realm_id = ${realmId} order by id limit 5)
    `);
  });

  await seal({ slice: 2 });

  expect(await check(realmId)).toMatchObject({ entries: 2, unsealed: 5, end: { position: 2 }, faultCount: 5 });
});

test("two workers that seal at the same time, while entries arrive, do not fork a chain", async () => {
  const realms = [await given.realm(), await given.realm()];
  const recording = Promise.all(realms.map((realmId) => recordMany(realmId, 60)));
  let recorded = false;
  const sealing = workers.map(async (db) => {
    while (!recorded) await seal({ db, slice: 3 });
  });
  await recording;
  recorded = true;
  await Promise.all(sealing);
  await seal();

  for (const realmId of realms) {
    expect(await check(realmId)).toMatchObject({ entries: 60, unsealed: 0, end: { position: 60 }, faults: [] });
  }
});

describe("a worker that dies", () => {
  /** Makes a database that loses its connection at the nth statement of every transaction. */
  const dyingAt = (statement: number): Database => ({
    ...workers[0]!,
    transaction: (run) =>
      workers[0]!.transaction((tx) => {
        let seen = 0;
        return run({
          query: (text) => (++seen === statement ? Promise.reject(new Error("it died")) : tx.query(text)),
        });
      }),
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "at step %i leaves a valid chain, and the next worker continues the chain",
    async (step) => {
      const realmId = await given.realm();
      await recordMany(realmId, 3);
      await seal({ slice: 1 });
      await recordMany(realmId, 3);

      await expect(seal({ db: dyingAt(step), slice: 2 })).rejects.toThrow("it died");

      expect(await check(realmId)).toMatchObject({ entries: 3, unsealed: 3, faults: [] });
      await seal();
      expect(await check(realmId)).toMatchObject({ entries: 6, unsealed: 0, faults: [] });
    },
  );

  test("after its last step has sealed everything", async () => {
    const realmId = await given.realm();
    await recordMany(realmId, 2);
    await seal({ db: dyingAt(9) });
    expect(await check(realmId)).toMatchObject({ entries: 2, unsealed: 0, faults: [] });
  });
});

test("a worker stops at a chain with a foreign head, and seals the other realms", async () => {
  const [forged, sound] = [await given.realm(), await given.realm()];
  await record(forged);
  await seal({ by: await createHeadSigner(generateAuditKey()) });
  await recordMany(forged, 2);
  await record(sound);

  await expect(seal()).rejects.toThrow(/not signed with our key/);

  expect([loggedOf(forged), loggedOf(sound)]).toEqual([["audit.refused"], []]);
  expect(await check(forged)).toMatchObject({ entries: 1, unsealed: 2, faults: [{ kind: "head_forged" }] });
  expect(await check(sound)).toMatchObject({ entries: 1, unsealed: 0, faults: [] });
  await expect(seal()).rejects.toThrow(/not signed with our key/);
});

test("entries that another worker leaves unsealed for more than a minute are logged", async () => {
  const realmId = await given.realm();
  await record(realmId);
  const after = (seconds: number): Clock => ({ now: () => new Date(systemClock.now().getTime() + seconds * 1_000) });
  const dueIn = (seconds: number) =>
    seal({ db: workers[1]!, clock: after(seconds), databaseTime: () => Promise.resolve(after(seconds).now()) });

  await workers[0]!.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${sealingLock})`);
    await dueIn(50);
    expect(loggedOf(realmId)).toEqual([]);
    await dueIn(70);
    expect(loggedOf(realmId)).toEqual(["audit.lagging"]);
  });

  await dueIn(70);
  expect(loggedOf(realmId)).toEqual(["audit.lagging"]);
  expect(await check(realmId)).toMatchObject({ entries: 1, unsealed: 0, faults: [] });
});

test("a worker whose clock was changed since the last comparison seals nothing", async () => {
  const realmId = await given.realm();
  await record(realmId);
  for (const seconds of [-3_600, 3_600]) {
    const clock = { now: () => new Date(systemClock.now().getTime() + seconds * 1_000) };
    await expect(seal({ clock })).rejects.toThrow("ms ahead of the database's");
  }
  expect(await check(realmId)).toMatchObject({ entries: 0, unsealed: 1, faults: [] });
  await seal();
  expect(await check(realmId)).toMatchObject({ entries: 1, unsealed: 0, faults: [] });
});

test("sealing does not wait for other upkeep", async () => {
  const realmId = await given.realm();
  await record(realmId);
  await workers[0]!.transaction(async (tx) => {
    for (const lock of [purgeLock, markExpiredLock]) await tx.query(sql`select pg_advisory_xact_lock(${lock})`);
    await seal({ db: workers[1]! });
  });
  expect(await check(realmId)).toMatchObject({ entries: 1, unsealed: 0 });
});

test("a new key continues the chain of an earlier key in its list", async () => {
  const realmId = await given.realm();
  const [earlier, later] = [generateAuditKey(), generateAuditKey()];
  await record(realmId);
  await seal({ by: await createHeadSigner(earlier) });
  await record(realmId);

  const both = await createHeadSigner(`{"keys":[${later},${earlier}]}`);
  await seal({ by: both });

  expect(await checkDatabase(database.owner, { realmId, verifier: both, kept: undefined })).toMatchObject({
    entries: 2,
    faults: [],
  });
  expect(
    await checkDatabase(database.owner, { realmId, verifier: await createHeadSigner(later), kept: undefined }),
  ).toMatchObject({ faults: [{ kind: "head_forged", position: 1 }] });
});

describe.each(["realmpass_api", "realmpass_worker", "realmpass_operator"] as const)("%s", (role) => {
  test.each<[string, Sql]>([
    ["change seals", sql`update audit_seals set hash = hash`],
    ["delete seals", sql`delete from audit_seals`],
    ["change heads", sql`update audit_heads set signature = ''`],
    ["delete heads", sql`delete from audit_heads`],
    ["make entries wait by itself", sql`insert into audit_unsealed values (1, 1)`],
  ])("may not %s", async (_, statement) => {
    await expect(database.open(role, { connectionsMax: 1 }).query(statement)).rejects.toThrow(/permission denied/);
  });
});

test.each<[string, Sql]>([
  ["seal", sql`insert into audit_seals default values`],
  ["sign", sql`insert into audit_heads default values`],
  ["take from what waits", sql`delete from audit_unsealed`],
])("only workers may %s", async (_, statement) => {
  for (const role of ["realmpass_api", "realmpass_operator"] as const) {
    await expect(database.open(role, { connectionsMax: 1 }).query(statement)).rejects.toThrow(/permission denied/);
  }
});

test.each(["audit_seals", "audit_heads"])("even the owner cannot change %s by accident", async (table) => {
  for (const text of [`update ${table} set position = position`, `delete from ${table}`, `truncate ${table}`]) {
    await expect(database.owner.query(verbatim(text))).rejects.toThrow(/never changed or deleted/);
  }
});

test("a running worker seals new entries", async () => {
  const realmId = await given.realm();
  const { stop } = await startTestWorker({ databaseUrl: database.url });
  await record(realmId);
  await eventually(async () => {
    expect(await count(sql`select from audit_seals where realm_id = ${realmId}`)).toBe(1);
  });
  await stop();
});

test("the worker logs the latest signed head of a realm's audit log, at most every 15 minutes", async () => {
  const realmId = await given.realm();
  let now = systemClock.now().getTime();
  const clock = { now: () => new Date(now) };
  const headLog = createHeadLog({ clock, log });
  const heads = () => logged.filter((line) => line.realmId === realmId && line.event === "audit.head");
  const latest = async () =>
    only(
      await database.owner.query<Record<string, unknown>>(sql`
        select position::float8 as position, encode(hash, 'hex') as hash, signature
          from audit_heads where realm_id = ${realmId} order by position desc limit 1
      `),
    );
  const minutesLater = async (minutes: number, count: number): Promise<void> => {
    now += minutes * 60_000;
    await recordMany(realmId, count);
    await seal({ clock, headLog, slice: 2, databaseTime: () => Promise.resolve(clock.now()) });
  };

  await minutesLater(0, 5);
  expect(heads()).toMatchObject([await latest()]);
  await minutesLater(7, 1);
  await minutesLater(7, 1);
  expect(heads()).toHaveLength(1);
  const due = await latest();
  await minutesLater(1, 0);
  expect(heads()).toHaveLength(2);
  expect(heads()[1]).toMatchObject(due);
  expect(await signer.verify(String(due["signature"]))).toMatchObject({ realm: realmId, position: 7 });
  await minutesLater(60, 0);
  expect(heads()).toHaveLength(2);
});
