import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { only, type Database, type Db } from "../../../db/client.ts";
import * as collection from "../../../db/operations/collection.ts";
import * as settlement from "../../../db/operations/settlement.ts";
import * as work from "../../../db/queries/issuance/issuance-work.ts";
import type { ClaimedIssuance } from "../../../db/queries/issuance/issuance-work.ts";
import * as upkeep from "../../../db/queries/upkeep/upkeep.ts";
import { sql } from "../../../db/sql.ts";
import { identityLabelOf } from "../../../domain/certificate/certificate-profile.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { drawSerialNumber } from "../../../pki/serial-number.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenIssuance, givenIssuingRealm, givenUser } from "../../support/given/issuing.ts";

/** Batches that a signing thread seals with one data key, and when upkeep blanks the key. */

const database = useDatabase();
let db: Database;
let realmId: string;
let issuerId: string;

beforeAll(async () => {
  db = database.open("realmpass_worker");
  ({ realmId, issuerId } = await givenIssuingRealm(database.owner));
});

const now = systemClock.now();
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1_000);

interface DataKey {
  id: string;
  wrapped: Buffer;
}
const aDataKey = (): DataKey => ({ id: randomUUID(), wrapped: randomBytes(40) });

async function claimed(): Promise<ClaimedIssuance> {
  const userId = await givenUser(database.owner, realmId);
  const id = await givenIssuance(database.owner, { realmId, userId });
  const draws = [{ id, serialNumber: drawSerialNumber(), label: identityLabelOf(randomBytes(20)) }];
  return only(await work.claim(db, { draws, issuerIds: [issuerId], claimId: randomUUID(), at: now }));
}

const settle = (on: Db, { id, claimId }: ClaimedIssuance, dataKey: DataKey, at = now): Promise<string[]> => {
  const made = { certificate: randomBytes(8), spkiSha256: randomBytes(32), sealed: randomBytes(8) };
  return settlement.settle(on, { signed: [{ id, ...made, dataKeyId: dataKey.id }], dataKeys: [dataKey], claimId, at });
};

const outputOf = async (id: string) =>
  only(await collection.collect(database.owner, { ids: [id], at: now })).issuance.output;
const wrappedOf = async ({ id }: DataKey) =>
  only(
    await database.owner.query<{ wrapped: Buffer }>(sql`select wrapped from output_data_keys where id = ${id}`),
  ).wrapped.toString("hex");
const erase = (id: string) =>
  database.owner.query(sql`update issuance_outputs set sealed = null where issuance_id = ${id}`);

describe("two batches sealed with one data key", () => {
  test("settle one after the other, and each output keeps the data key that opens it", async () => {
    const [first, second] = [await claimed(), await claimed()];
    const key = aDataKey();
    expect(await settle(db, first, key)).toEqual([first.id]);
    expect(await settle(db, second, key, later(1))).toEqual([second.id]);
    for (const { id } of [first, second]) {
      expect(await outputOf(id)).toMatchObject({ dataKeyId: key.id, wrappedDataKey: key.wrapped });
    }
  });

  test.each(["committed", "taken back"])(
    "settle at the same time; the second batch settles even when the first is %s",
    async (ending) => {
      const [first, second] = [await claimed(), await claimed()];
      const key = aDataKey();
      let settlingSecond: Promise<string[]> | undefined;
      const settlingFirst = db.transaction(async (tx) => {
        await settle(tx, first, key);
        settlingSecond = settle(db, second, key);
        await eventually(async () => {
          const waiting = await database.owner.query(
            sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          expect(waiting).toHaveLength(1);
        });
        if (ending === "taken back") throw new Error(ending);
      });
      const ended = settlingFirst.then(
        () => "committed",
        (error: unknown) => (error as Error).message,
      );
      expect(await ended).toBe(ending);
      expect(await settlingSecond).toEqual([second.id]);
      expect(await outputOf(second.id)).toMatchObject({ wrappedDataKey: key.wrapped });
    },
  );
});

describe("an unused data key", () => {
  test("is blanked only after a minute, in which threads can still seal with it", async () => {
    const issuance = await claimed();
    const key = aDataKey();
    await settle(db, issuance, key);
    await erase(issuance.id);

    await upkeep.eraseOutputs(db, { at: later(59) });
    expect(await wrappedOf(key)).toBe(key.wrapped.toString("hex"));
    expect(await outputOf(issuance.id)).toMatchObject({ sealed: null });

    await upkeep.eraseOutputs(db, { at: later(61) });
    expect(await wrappedOf(key)).toBe("");
    expect(await outputOf(issuance.id)).toMatchObject({ sealed: null });
  });

  test("is not blanked while another output sealed with it exists", async () => {
    const [first, second] = [await claimed(), await claimed()];
    const key = aDataKey();
    await settle(db, first, key);
    await settle(db, second, key);
    await erase(first.id);

    await upkeep.eraseOutputs(db, { at: later(61) });
    expect(await wrappedOf(key)).toBe(key.wrapped.toString("hex"));
  });

  test("is not blanked while a settlement uses the key", async () => {
    const [first, second] = [await claimed(), await claimed()];
    const key = aDataKey();
    await settle(db, first, key);
    await erase(first.id);

    await db.transaction(async (tx) => {
      await settle(tx, second, key, later(61));
      await upkeep.eraseOutputs(db, { at: later(61) });
    });
    expect(await outputOf(second.id)).toMatchObject({ wrappedDataKey: key.wrapped });
  });

  test("is restored if a batch sealed with it settles late", async () => {
    const [first, second] = [await claimed(), await claimed()];
    const key = aDataKey();
    await settle(db, first, key);
    await erase(first.id);
    await upkeep.eraseOutputs(db, { at: later(61) });

    expect(await settle(db, second, key, later(62))).toEqual([second.id]);
    expect(await outputOf(second.id)).toMatchObject({ wrappedDataKey: key.wrapped });
  });

  test("is restored even if upkeep blanks it while that batch settles", async () => {
    const [first, second] = [await claimed(), await claimed()];
    const key = aDataKey();
    await settle(db, first, key);
    await erase(first.id);
    let settling: Promise<string[]> | undefined;
    await db.transaction(async (tx) => {
      await upkeep.eraseOutputs(tx, { at: later(61) });
      settling = settle(db, second, key, later(62));
      await eventually(async () => {
        const waiting = await database.owner.query(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
    });
    expect(await settling).toEqual([second.id]);
    expect(await outputOf(second.id)).toMatchObject({ wrappedDataKey: key.wrapped });
  });
});
