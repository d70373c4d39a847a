import { beforeEach, expect, test } from "vitest";
import * as statusAskers from "../../../db/queries/certificates/status-askers.ts";
import * as realms from "../../../db/queries/realm/realms.ts";
import { sql } from "../../../db/sql.ts";
import { createLastOcsp } from "../../../responder/last-ocsp.ts";
import { fromNow, givenRows } from "../../support/given/given.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);
const minute = 60_000;
const day = 24 * 60 * minute;
const begin = fromNow(-10 * minute);
const after = (ms: number): Date => new Date(begin.getTime() + ms);
let realmId: string;

beforeEach(async () => {
  realmId = await given.realm();
  await realms.update(database.owner, realmId, { radiusAddresses: ["192.0.2.7", "2001:db8:1::/48"] });
});

/**
 * Makes a profile; returns a function that asks about the profile from an address, and a function that reads the
 * recorded times.
 */
async function givenAsked(of: { realmId: string }, kind: "user" | "infrastructure" = "user") {
  const serial = await given.profile(kind === "user" ? await given.user(of) : of, { kind });
  const read = async () => {
    const [row] = await database.owner.query<{ id: string; last: Date | null; other: Date | null }>(sql`
      select id, last_ocsp_at as last, last_other_ocsp_at as other from certificates where serial_number = ${serial}
    `);
    return row!;
  };
  const { id } = await read();
  const lastOcsp = createLastOcsp(database.open("realmpass_responder"));
  return {
    serial,
    async ask(address: string, at: Date, revokedAt: Date | null = null): Promise<void> {
      lastOcsp.note({ certificateId: id, lastOcspAt: (await read()).last, revokedAt }, { address, at });
    },
    flush: () => lastOcsp.flush(),
    times: async () => {
      const { last, other } = await read();
      return { last, other };
    },
  };
}

test("only requests from RADIUS servers that the realm names count as a device's last check; others are recorded separately", async () => {
  const device = await givenAsked({ realmId });
  for (const address of ["192.0.2.8", "2001:db8:2::1%eth0", "no address"]) {
    await device.ask(address, begin);
    await device.flush();
    expect(await device.times()).toEqual({ last: null, other: begin });
  }
  await device.ask("192.0.2.7", after(1));
  await device.flush();
  expect(await device.times()).toEqual({ last: after(1), other: begin });
  await device.ask("2001:db8:1::9%eth0", after(2 * minute));
  await device.ask("192.0.2.8", after(3 * minute));
  await device.flush();
  expect(await device.times()).toEqual({ last: after(2 * minute), other: after(3 * minute) });
});

test("in a realm that names no server, a request from any address counts as the last check", async () => {
  const device = await givenAsked({ realmId: await given.realm() });
  await device.ask("192.0.2.8", begin);
  await device.flush();
  expect(await device.times()).toEqual({ last: begin, other: null });
});

test("for a server's certificate, a request from any address counts as the last check", async () => {
  const server = await givenAsked({ realmId }, "infrastructure");
  await server.ask("192.0.2.8", begin);
  await server.flush();
  expect(await server.times()).toEqual({ last: begin, other: null });
});

test("a request from another address is recorded once a minute, and immediately after a revocation", async () => {
  const device = await givenAsked({ realmId });
  for (const ms of [0, minute]) {
    await device.ask("192.0.2.8", after(ms));
    await device.flush();
  }
  expect(await device.times()).toEqual({ last: null, other: begin });
  const revokedAt = after(minute + 1);
  await database.owner.query(sql`
    update certificates set revoked_at = ${revokedAt}, revocation_reason = 0 where serial_number = ${device.serial}
  `);
  await device.ask("192.0.2.8", after(minute + 2), revokedAt);
  await device.flush();
  expect(await device.times()).toEqual({ last: null, other: after(minute + 2) });
});

test("a RADIUS server of the realm is recorded although 64 strangers are; a 65th stranger is not", async () => {
  const issuerId = await given.issuer(await given.realm({ issuerEndsInDays: null }));
  await database.owner.query(sql`
    update realms set radius_addresses = '{192.0.2.7}' where id = (select realm_id from issuers where id = ${issuerId})
  `);
  const db = database.open("realmpass_responder");
  const ask = (address: string, at: Date) =>
    statusAskers.record(db, { kind: "ocsp", askers: [{ issuerId, address, at }] });
  for (let n = 1; n <= statusAskers.askersMax; n++) await ask(`198.51.100.${n}`, after(n));
  await ask("192.0.2.8", after(day / 2));
  await ask("192.0.2.7", after(day / 2));
  const addresses = (
    await database.owner.query<{ address: string }>(sql`
      select host(address) as address from status_askers where issuer_id = ${issuerId} order by address
    `)
  ).map(({ address }) => address);
  expect(addresses).toHaveLength(statusAskers.askersMax);
  expect(addresses).toContain("192.0.2.7");
  expect(addresses).not.toContain("192.0.2.8");
});
