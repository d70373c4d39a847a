import { randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../db/client.ts";
import * as settlement from "../../../db/operations/settlement.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import * as work from "../../../db/queries/issuance/issuance-work.ts";
import type { ClaimedIssuance } from "../../../db/queries/issuance/issuance-work.ts";
import { sql, type Sql } from "../../../db/sql.ts";
import { identityLabelOf } from "../../../domain/certificate/certificate-profile.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { drawSerialNumber } from "../../../pki/serial-number.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenIssuance, givenIssuingRealm, givenUser } from "../../support/given/issuing.ts";

const database = useDatabase();
let db: Database;
let realmId: string;

beforeAll(async () => {
  db = database.open("realmpass_worker");
  ({ realmId } = await givenIssuingRealm(database.owner));
});

const secondsFromNow = (seconds: number): Date => new Date(systemClock.now().getTime() + seconds * 1_000);

const issuerIds = async (): Promise<string[]> =>
  (await database.owner.query<{ id: string }>(sql`select id from issuers`)).map(({ id }) => id);

/** Returns which of these issuances no worker can ever claim, and why, for a worker that can use every issuer. */
const hopeless = async (ids: readonly string[], at: Date): Promise<{ id: string; code: ErrorCode }[]> => {
  const rows = await work.unclaimed(db, { ids, issuerIds: await issuerIds(), at });
  return rows.flatMap(({ id, code }) => (code === null ? [] : [{ id, code }]));
};

async function claim(ids: readonly string[], at = systemClock.now()): Promise<ClaimedIssuance[]> {
  const draws = ids.map((id) => ({ id, serialNumber: drawSerialNumber(), label: identityLabelOf(randomBytes(20)) }));
  return work.claim(db, { draws, issuerIds: await issuerIds(), claimId: randomUUID(), at });
}

/** Settles as if the threads had signed; the certificate's content does not matter here. */
function settle(claimed: readonly ClaimedIssuance[], at = systemClock.now()): Promise<string[]> {
  const dataKeyId = randomUUID();
  return settlement.settle(db, {
    signed: claimed.map(({ id }) => ({
      id,
      certificate: randomBytes(8),
      spkiSha256: randomBytes(32),
      sealed: randomBytes(8),
      dataKeyId,
    })),
    dataKeys: [{ id: dataKeyId, wrapped: randomBytes(8) }],
    claimId: claimed[0]?.claimId ?? randomUUID(),
    at,
  });
}

async function one<Row extends object>(statement: Sql): Promise<Row> {
  const [row] = await database.owner.query<Row>(statement);
  if (row === undefined) throw new Error("no such row");
  return row;
}

const issuance = (id: string) =>
  one<{ status: string; error_code: string | null; serial_number: string | null; failures: number; claims: number }>(
    sql`select status, error_code, serial_number, failures, claims from issuances where id = ${id}`,
  );

const certificatesOf = (id: string) =>
  database.owner.query<{ serial_number: string }>(
    sql`select serial_number from certificates where issuance_id = ${id}`,
  );

const abandonedOf = async (id: string): Promise<string[]> => {
  const rows = await database.owner.query<{ serial_number: string }>(
    sql`select serial_number from abandoned_serial_numbers where issuance_id = ${id}`,
  );
  return rows.map(({ serial_number }) => serial_number);
};

/** Offboards as the service does: the user first, then the work in progress, in one transaction. */
const offboard = (userId: string): Promise<void> =>
  database.owner.transaction(async (tx) => {
    const at = systemClock.now();
    await tx.query(sql`update users set offboarded_at = ${at} where id = ${userId}`);
    await issuances.failUnsettledOfUsers(tx, { userIds: [userId], errorCode: "user_offboarded", at });
  });

const lock = (userId: string) =>
  database.owner.query(sql`update users set locked_at = ${systemClock.now()} where id = ${userId}`);

test("claiming an issuance records the draft before the draft is signed", async () => {
  const userId = await givenUser(database.owner, realmId);
  const id = await givenIssuance(database.owner, { realmId, userId, validityMonths: 7 });

  const [claimed] = await claim([id]);

  expect(claimed).toMatchObject({ id, kind: "user", name: "laptop", keyType: "ec-p256" });
  expect(claimed?.identity).toMatch(/^[a-z2-7]{20}@realm-[\d-]+\.example$/);
  expect(await issuance(id)).toMatchObject({ status: "signing", serial_number: claimed?.serialNumber });
  const months = (claimed!.notAfter.getTime() - systemClock.now().getTime()) / (30.44 * 24 * 3_600_000);
  expect(months).toBeCloseTo(7, 0);
});

test("when many workers claim the same issuances at the same time, each issuance goes to one worker", async () => {
  const userId = await givenUser(database.owner, realmId);
  const ids = await Promise.all(Array.from({ length: 20 }, () => givenIssuance(database.owner, { realmId, userId })));

  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(ids)));

  expect(
    claims
      .flat()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort());
});

test("settling an issuance writes its certificate, output, audit entry and state exactly once", async () => {
  const userId = await givenUser(database.owner, realmId);
  const id = await givenIssuance(database.owner, { realmId, userId });
  const claimed = await claim([id]);

  expect(await settle(claimed)).toEqual([id]);
  expect(await settle(claimed)).toEqual([]);

  expect(await certificatesOf(id)).toEqual([{ serial_number: claimed[0]?.serialNumber }]);
  expect(await issuance(id)).toMatchObject({ status: "issued" });
  expect(await database.owner.query(sql`select from issuance_outputs where issuance_id = ${id}`)).toHaveLength(1);
  const audited = await database.owner.query(sql`
    select event, properties ->> 'user' as user, properties ->> 'issuerID' as issuer
      from audit_entries
     where properties ->> 'serial' = ${claimed[0]!.serialNumber}
  `);
  expect(audited).toEqual([{ event: "profile_create", user: userId, issuer: claimed[0]!.issuerId }]);
});

test("each issuance of a batch gets the bytes made for it, in any order of claims and at any length", async () => {
  const userId = await givenUser(database.owner, realmId);
  const ids = await Promise.all(Array.from({ length: 12 }, () => givenIssuance(database.owner, { realmId, userId })));
  const claimed = await claim(ids);
  const dataKeys = [0, 1].map(() => ({ id: randomUUID(), wrapped: randomBytes(8) }));
  const signed = claimed.map(({ id }, index) => ({
    id,
    certificate: randomBytes(1 + index * 7),
    spkiSha256: randomBytes(32),
    sealed: randomBytes(300 - index),
    dataKeyId: dataKeys[index % 2]!.id,
  }));
  await settlement.settle(db, {
    signed: signed.toReversed(),
    dataKeys,
    claimId: claimed[0]!.claimId,
    at: systemClock.now(),
  });

  const stored = await database.owner.query<(typeof signed)[number]>(sql`
    select c.issuance_id as id, c.certificate, c.spki_sha256 as "spkiSha256", o.sealed, o.data_key_id as "dataKeyId"
      from certificates c
      join issuance_outputs o on o.issuance_id = c.issuance_id
     where c.issuance_id = any(${ids}::uuid[])
  `);
  const byId = (rows: typeof signed) => rows.toSorted((a, b) => a.id.localeCompare(b.id));
  expect(byId(stored)).toEqual(byId(signed));
});

test("a settlement that the database refuses leaves nothing behind", async () => {
  const userId = await givenUser(database.owner, realmId);
  const id = await givenIssuance(database.owner, { realmId, userId });
  const claimed = await claim([id]);
  const spkiSha256 = randomBytes(32);
  const dataKeyId = randomUUID();
  const signed = { id, certificate: randomBytes(8), spkiSha256, sealed: randomBytes(8), dataKeyId: randomUUID() };

  await expect(
    settlement.settle(db, {
      signed: [signed],
      dataKeys: [{ id: dataKeyId, wrapped: randomBytes(8) }],
      claimId: claimed[0]!.claimId,
      at: systemClock.now(),
    }),
  ).rejects.toThrow();

  expect(await issuance(id)).toMatchObject({ status: "signing" });
  expect(await certificatesOf(id)).toEqual([]);
  expect(await database.owner.query(sql`select from output_data_keys where id = ${dataKeyId}`)).toEqual([]);
});

describe("when a worker dies after claiming", () => {
  test("no other worker gets the issuance while its claim is valid", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    await claim([id]);
    expect(await claim([id], secondsFromNow(work.leaseSeconds - 2))).toEqual([]);
  });

  test("a renewed claim stays valid", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    const [claimed] = await claim([id]);
    await work.renew(db, { claimIds: [claimed!.claimId], at: secondsFromNow(15) });
    expect(await claim([id], secondsFromNow(work.leaseSeconds + 2))).toEqual([]);
  });

  test("the next attempt draws a new serial number and records the dead worker's as abandoned", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    const [dead] = await claim([id]);

    const later = secondsFromNow(work.leaseSeconds + 1);
    expect(await work.overdue(db, { away: [], at: later, queuedSeconds: 3_600, limit: 1_000 })).toContain(id);
    const second = await claim([id], later);
    expect(await settle(second, later)).toEqual([id]);

    expect(await abandonedOf(id)).toEqual([dead?.serialNumber]);
    expect(await certificatesOf(id)).toEqual([{ serial_number: second[0]?.serialNumber }]);
  });

  test("a slow worker cannot settle an issuance that another has taken over", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    const slow = await claim([id]);
    const second = await claim([id], secondsFromNow(work.leaseSeconds + 1));

    expect(await settle(slow)).toEqual([]);
    await work.abandon(db, {
      attempts: [{ id, code: "owner", counted: true }],
      claimId: slow[0]!.claimId,
      at: systemClock.now(),
    });
    expect(await settle(second)).toEqual([id]);

    expect(await certificatesOf(id)).toEqual([{ serial_number: second[0]?.serialNumber }]);
  });

  test("an issuance whose worker dies at every attempt fails", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    for (let turn = 0; turn < work.claimsMax; turn++) {
      expect(await claim([id], secondsFromNow(turn * 60))).toHaveLength(1);
    }
    const at = secondsFromNow(work.claimsMax * 60);
    expect(await claim([id], at)).toEqual([]);

    const rows = await hopeless([id], at);
    expect(rows).toEqual([{ id, code: "issuance_failed" }]);
    await work.failUnclaimed(db, { rows, at });

    expect(await issuance(id)).toMatchObject({ status: "failed", error_code: "issuance_failed" });
    expect(await abandonedOf(id)).toHaveLength(work.claimsMax);
  });
});

describe("an issuance whose owner is locked out", () => {
  test("fails and cannot be claimed if the owner was offboarded before the claim", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    await offboard(userId);
    expect(await claim([id])).toEqual([]);
    expect(await issuance(id)).toMatchObject({ status: "failed", error_code: "user_offboarded" });
  });

  test.each([
    { how: "offboarded", shutOut: offboard, code: "user_offboarded" },
    { how: "locked", shutOut: lock, code: "user_locked" },
  ])(
    "gets no certificate if the owner is $how after the claim, and its serial number is recorded as abandoned",
    async ({ shutOut, code }) => {
      const userId = await givenUser(database.owner, realmId);
      const id = await givenIssuance(database.owner, { realmId, userId });
      const claimed = await claim([id]);

      await shutOut(userId);
      expect(await settle(claimed)).toEqual([]);
      await work.abandon(db, {
        attempts: [{ id, code: "owner", counted: true }],
        claimId: claimed[0]!.claimId,
        at: systemClock.now(),
      });

      expect(await issuance(id)).toMatchObject({ status: "failed", error_code: code });
      expect(await certificatesOf(id)).toEqual([]);
      expect(await abandonedOf(id)).toEqual([claimed[0]?.serialNumber]);
    },
  );

  test("gets no certificate if an offboarding begins before the settlement and ends after it: the settlement waits", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    const claimed = await claim([id]);
    let settling: Promise<string[]> | undefined;
    await database.owner.transaction(async (tx) => {
      await tx.query(sql`update users set offboarded_at = ${systemClock.now()} where id = ${userId}`);
      settling = settle(claimed);
      await eventually(async () => {
        const waiting = await database.owner.query(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
    });
    expect(await settling).toEqual([]);
    expect(await certificatesOf(id)).toEqual([]);
  });

  test("settled at the moment of an offboarding gets no certificate, or the offboarding sees the certificate", async () => {
    for (let round = 0; round < 20; round++) {
      const userId = await givenUser(database.owner, realmId);
      const id = await givenIssuance(database.owner, { realmId, userId });
      const claimed = await claim([id]);
      const offboarding = database.owner.transaction(async (tx) => {
        const at = systemClock.now();
        await tx.query(sql`update users set offboarded_at = ${at} where id = ${userId}`);
        await issuances.failUnsettledOfUsers(tx, { userIds: [userId], errorCode: "user_offboarded", at });
        return tx.query(sql`select 1 as one from certificates where user_id = ${userId}`);
      });
      const [seen, settled] = await Promise.all([offboarding, settle(claimed)]);
      expect(seen).toHaveLength(settled.length);
      expect(await certificatesOf(id)).toHaveLength(settled.length);
      expect((await abandonedOf(id)).length).toBe(1 - settled.length);
    }
  });
});

describe("an attempt that fails", () => {
  test("returns its issuance to the queue without a serial number; after the last try the issuance is given up", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    for (let attempt = 1; attempt <= work.failuresMax; attempt++) {
      const [claimed] = await claim([id]);
      await work.abandon(db, {
        attempts: [{ id, code: null, counted: true }],
        claimId: claimed!.claimId,
        at: systemClock.now(),
      });
      expect(await issuance(id)).toMatchObject({
        failures: attempt,
        ...(attempt < work.failuresMax ? { status: "queued", serial_number: null } : { status: "failed" }),
      });
    }
    expect(await issuance(id)).toMatchObject({ error_code: "issuance_failed" });
    expect(await abandonedOf(id)).toHaveLength(work.failuresMax);
  });
});

describe("an issuance whose issuer this worker cannot use", () => {
  const givenWaiting = async (issuance: Parameters<typeof givenIssuance>[1]) => {
    const id = await givenIssuance(database.owner, issuance);
    await database.owner.query(sql`update issuances set created_at = now() - interval '1 hour' where id = ${id}`);
    return id;
  };

  test("is not claimed, and is swept or failed only for a reason that needs no issuer", async () => {
    const realm = await givenIssuingRealm(database.owner, { validityYears: 1 });
    const at = systemClock.now();
    const owner = { realmId: realm.realmId, userId: await givenUser(database.owner, realm.realmId) };
    const waiting = await givenWaiting({ ...owner, validityMonths: 6 });
    const tooLong = await givenWaiting({ ...owner, validityMonths: 13 });
    const tried = await givenWaiting({ ...owner, validityMonths: 6 });
    await database.owner.query(sql`update issuances set claims = ${work.claimsMax} where id = ${tried}`);
    const ids = [waiting, tooLong, tried];
    const others = (await issuerIds()).filter((id) => id !== realm.issuerId);
    const draws = ids.map((id) => ({ id, serialNumber: drawSerialNumber(), label: "x" }));

    expect(await work.claim(db, { draws, issuerIds: others, claimId: randomUUID(), at })).toEqual([]);
    expect(await work.claim(db, { draws, issuerIds: [], claimId: randomUUID(), at })).toEqual([]);
    const swept = await work.overdue(db, { away: [realm.issuerId], at, queuedSeconds: 10, limit: 1_000 });
    expect(ids.filter((id) => swept.includes(id))).toEqual([tried]);
    const { issuerId } = realm;
    expect(await work.unclaimed(db, { ids, issuerIds: others, at })).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: waiting, issuerId, code: null }),
        expect.objectContaining({ id: tooLong, issuerId, code: null }),
        expect.objectContaining({ id: tried, issuerId, code: "issuance_failed" }),
      ]),
    );
    expect(await hopeless([tooLong], at)).toEqual([{ id: tooLong, code: "issuer_expiring" }]);
    // A worker that can use the issuer claims the issuance that can be signed.
    const claimed = await work.claim(db, { draws, issuerIds: [issuerId], claimId: randomUUID(), at });
    expect(claimed.map(({ id }) => id)).toEqual([waiting]);
  });

  test("returns to the queue without a failure if the issuer is lost while signing", async () => {
    const userId = await givenUser(database.owner, realmId);
    const id = await givenIssuance(database.owner, { realmId, userId });
    for (let attempt = 1; attempt <= work.failuresMax; attempt++) {
      const [claimed] = await claim([id]);
      const attempts = [{ id, code: null, counted: false }];
      await work.abandon(db, { attempts, claimId: claimed!.claimId, at: systemClock.now() });
    }
    expect(await issuance(id)).toMatchObject({ status: "queued", failures: 0, claims: work.failuresMax });
    expect(await abandonedOf(id)).toHaveLength(work.failuresMax);
  });
});

describe("an issuance that cannot be signed", () => {
  test("has the error no_issuer if its realm has no issuer", async () => {
    const realm = await givenIssuingRealm(database.owner);
    await database.owner.query(sql`update issuers set issuing = false where realm_id = ${realm.realmId}`);
    const userId = await givenUser(database.owner, realm.realmId);
    const id = await givenIssuance(database.owner, { realmId: realm.realmId, userId });
    expect(await claim([id])).toEqual([]);
    expect(await hopeless([id], systemClock.now())).toEqual([{ id, code: "no_issuer" }]);
  });

  test("has the error issuer_expiring if its issuer ends before the certificate would", async () => {
    const realm = await givenIssuingRealm(database.owner, { validityYears: 1 });
    const userId = await givenUser(database.owner, realm.realmId);
    const id = await givenIssuance(database.owner, { realmId: realm.realmId, userId, validityMonths: 13 });
    expect(await claim([id])).toEqual([]);
    expect(await hopeless([id], systemClock.now())).toEqual([{ id, code: "issuer_expiring" }]);
  });
});

describe("an issuance of a guest account", () => {
  const guests = async (expiresAt: Date) => {
    const [account] = await database.owner.query<{ id: string }>(sql`
      insert into guest_accounts (realm_id, name, token_hash, token_sealed, created_at, expires_at)
      values (${realmId}, 'fair', ${randomBytes(32)}, ${randomBytes(32)}, now(), ${expiresAt})
      returning id
    `);
    const owner = { kind: "guest", userId: null as never, guestAccountId: account!.id } as const;
    return givenIssuance(database.owner, { realmId, ...owner });
  };

  test("makes a profile that ends with the account, or at its usual end if that is earlier", async () => {
    const [soon, late] = [secondsFromNow(3_600), secondsFromNow(10 * 365 * 86_400)];
    const ids = [await guests(soon), await guests(late)];
    const claimed = await claim(ids);
    expect(claimed).toHaveLength(2);
    const endOf = (id: string | undefined) => claimed.find((one) => one.id === id)?.notAfter ?? new Date(0);

    expect(endOf(ids[0])).toEqual(soon);
    expect(endOf(ids[1]).getTime()).toBeLessThan(secondsFromNow(367 * 86_400).getTime());
  });

  test("is not claimed once the account has expired", async () => {
    const id = await guests(secondsFromNow(60));
    const at = secondsFromNow(61);
    expect(await claim([id], at)).toEqual([]);
    expect(await hopeless([id], at)).toEqual([{ id, code: "guest_account_ended" }]);
  });

  test("is not settled once the account has expired, and its serial number is recorded as abandoned", async () => {
    const id = await guests(secondsFromNow(60));
    const claimed = await claim([id]);
    const at = secondsFromNow(61);
    expect(await settle(claimed, at)).toEqual([]);
    await work.abandon(db, { attempts: [{ id, code: "owner", counted: true }], claimId: claimed[0]!.claimId, at });
    expect(await issuance(id)).toMatchObject({ status: "failed", error_code: "guest_account_ended" });
    expect(await abandonedOf(id)).toHaveLength(1);
  });
});

test("an infrastructure profile for a host has the host's name as identity; every other infrastructure profile has a random identity", async () => {
  const infrastructure = { kind: "infrastructure", userId: null as never, deviceType: null } as const;
  const host = await givenIssuance(database.owner, { realmId, ...infrastructure, name: "Radius.Example.org" });
  const other = await givenIssuance(database.owner, { realmId, ...infrastructure, name: "the printer" });

  const claimed = await claim([host, other]);

  const identity = (id: string) => claimed.find((row) => row.id === id)?.identity;
  expect(identity(host)).toBe("radius.example.org");
  expect(identity(other)).toMatch(/^[a-z2-7]{20}@/);
});
