import { beforeEach, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import * as crls from "../../../db/queries/certificates/crls.ts";
import { sql } from "../../../db/sql.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
let realmId: string;
let issuerId: string;
let number = 0;

beforeEach(async () => {
  realmId = await given.realm();
  issuerId = only(
    await database.owner.query<{ id: string }>(sql`select id from issuers where realm_id = ${realmId}`),
  ).id;
});

const worker = () => database.open("realmpass_worker");
const take = (limit = 5_000) => crls.takeUnpublished(worker(), { issuerId, limit });
const publish = () =>
  crls.publish(worker(), {
    issuerId,
    number: String(++number),
    thisUpdate: fromNow(0),
    nextUpdate: fromNow(3_600_000),
    entries: 0,
    size: 1,
    tag: "tag",
    head: Buffer.from("head"),
    pieces: [],
    tail: Buffer.from("tail"),
  });
const revoked = async (count = 1): Promise<string[]> => {
  const user = await given.user({ realmId });
  const serials: string[] = [];
  for (let n = 0; n < count; n++) {
    const serial = await given.profile(user);
    await database.owner.query(sql`
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${fromNow(n)}, 0 from certificates where serial_number = ${serial}
    `);
    serials.push(serial);
  }
  return serials;
};
const abandoned = (count: number) =>
  database.owner.query(sql`
    insert into abandoned_serial_numbers (issuer_id, serial_number, issuance_id, not_after, abandoned_at)
    select ${issuerId}, (1000 + n)::text, gen_random_uuid(), now() + interval '1 day', now()
      from generate_series(1, ${count}::integer) as n
  `);
const waiting = (count: number) =>
  database.owner.query(sql`
    insert into crl_unpublished (issuer_id, serial_number, revoked_at, reason, not_after)
    select ${issuerId}, (5000 + n)::text, now() + make_interval(secs => n), 0, now() + interval '1 day'
      from generate_series(1, ${count}::integer) as n
  `);
const listings = () =>
  database.owner.query<{ serial: string; at: Date | null }>(sql`
    select serial_number as serial, published_at as at from crl_listings where issuer_id = ${issuerId}
     order by revoked_at
  `);

test("a revocation records when a CRL first listed the profile, and keeps that time", async () => {
  const [first] = await revoked();
  expect(await listings()).toEqual([]);
  await publish();
  expect(await listings()).toEqual([]);
  await take();
  expect(await listings()).toEqual([{ serial: first, at: null }]);
  await publish();
  const [listed] = await listings();
  expect(listed).toEqual({ serial: first, at: expect.any(Date) });

  const [second] = await revoked();
  await take();
  await publish();
  const [kept, next] = await listings();
  expect(kept).toEqual(listed);
  expect(next!.serial).toBe(second);
  expect(next!.at!.getTime()).toBeGreaterThan(kept!.at!.getTime());
});

test("a CRL of another issuer does not mark this issuer's revocations as published", async () => {
  await revoked();
  await take();
  const other = issuerId;
  const otherRealm = await given.realm();
  issuerId = only(
    await database.owner.query<{ id: string }>(sql`select id from issuers where realm_id = ${otherRealm}`),
  ).id;
  await publish();
  issuerId = other;
  expect(await listings()).toMatchObject([{ at: null }]);
});

test("abandoned serial numbers record no time, and only the latest 200 published revocations keep their time", async () => {
  await abandoned(3);
  await take();
  expect(await listings()).toEqual([]);
  await waiting(250);
  await take(30);
  await take();
  expect(await listings()).toHaveLength(230);
  await publish();
  const kept = await listings();
  expect(kept).toHaveLength(200);
  expect([kept[0]!.serial, kept.at(-1)!.serial]).toEqual(["5051", "5250"]);
  expect(kept.every(({ at }) => at !== null)).toBe(true);
});
