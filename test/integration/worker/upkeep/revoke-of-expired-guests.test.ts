import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { revokeOfExpiredGuests } from "../../../../worker/upkeep/upkeep.ts";
import { auditOf } from "../../../support/given/audit.ts";
import { useDatabase } from "../../../support/run/database.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { fromNow, givenRows } from "../../../support/given/given.ts";
import { silentLog } from "../../../support/service/worker.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const hour = 3_600_000;

let worker: Database | undefined;
const endThem = (at = fromNow(0)): Promise<void> =>
  revokeOfExpiredGuests({
    db: (worker ??= database.open("realmpass_worker")),
    clock: { now: () => at },
    log: silentLog,
  });

const reasonOf = async (serial: string): Promise<unknown> => {
  const [row] = await database.owner.query<{ reason: unknown }>(sql`
    select revocation_reason as reason from certificates where serial_number = ${serial}
  `);
  return row?.reason;
};

let realmId: string;
beforeEach(async () => {
  realmId = await given.realm();
});

test("profiles that outlive their account are revoked once it has expired, with one audit entry each, without an actor", async () => {
  const expiresAt = fromNow(hour);
  const { id: guestAccountId } = await given.guestAccount({ realmId, expiresAt });
  const serials = [
    await given.profile({ realmId }, { guestAccountId }),
    await given.profile({ realmId }, { guestAccountId }),
  ];

  await endThem(fromNow(hour / 2));
  for (const serial of serials) expect(await reasonOf(serial)).toBeNull();

  await endThem(expiresAt);
  await endThem(expiresAt);
  for (const serial of serials) {
    expect(await reasonOf(serial)).toBe(5);
    expect(await auditOf(database, "serial", serial)).toEqual([
      {
        event: "guest_profile_revoke",
        userId: null,
        clientId: null,
        properties: { serial, name: "laptop", guestAccount: guestAccountId, reason: 5 },
      },
    ]);
  }
});

test("profiles that ended with their account, were revoked before, or belong to others stay unchanged", async () => {
  const expiresAt = fromNow(-hour);
  const { id: guestAccountId } = await given.guestAccount({ realmId, expiresAt });
  const { id: running } = await given.guestAccount({ realmId });
  const ended = await given.profile(
    { realmId },
    { guestAccountId, createdAt: fromNow(-2 * hour), notAfter: expiresAt },
  );
  const revoked = await given.profile({ realmId }, { guestAccountId });
  await database.owner.query(sql`
    insert into revocations (certificate_id, revoked_at, reason)
    select id, now(), 1 from certificates where serial_number = ${revoked}
  `);
  const others = [
    await given.profile({ realmId }, { guestAccountId: running }),
    await given.profile(await given.user({ realmId })),
    await given.profile({ realmId }, { kind: "infrastructure" }),
  ];

  await endThem();

  expect(await reasonOf(revoked)).toBe(1);
  for (const serial of [ended, ...others]) expect(await reasonOf(serial)).toBeNull();
  for (const serial of [ended, revoked, ...others]) expect(await auditOf(database, "serial", serial)).toEqual([]);
});

test("a profile revoked by another process at the same moment is neither revoked nor reported again", async () => {
  const { id: guestAccountId } = await given.guestAccount({ realmId, expiresAt: fromNow(-hour) });
  const serials = [
    await given.profile({ realmId }, { guestAccountId }),
    await given.profile({ realmId }, { guestAccountId }),
  ];
  let ending: Promise<void> | undefined;
  await database.owner.transaction(async (tx) => {
    await tx.query(sql`
      insert into revocations (certificate_id, revoked_at, reason)
      select id, now(), 1 from certificates where serial_number = ${serials[0]}
    `);
    ending = endThem();
    await eventually(async () => {
      const waiting = await database.owner.query(sql`
        select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `);
      expect(waiting).toHaveLength(1);
    });
  });
  await ending;

  expect(await Promise.all(serials.map(reasonOf))).toEqual([1, 5]);
  expect(await auditOf(database, "serial", serials[0] ?? "")).toEqual([]);
  expect(await auditOf(database, "serial", serials[1] ?? "")).toHaveLength(1);
});
