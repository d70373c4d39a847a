import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { givenActivity } from "../../../../support/given/activity.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const owner = () => api.database.owner;
const made = givenActivity(owner);
const hour = 3_600_000;
const server = "192.0.2.7";
const stranger = "203.0.113.5";
const path = "/api/realm/settings";

/** Makes a realm with a person's profile; an address that the realm does not name asked about the realm an hour ago. */
async function givenAsked() {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  const serial = await given.profile(user, { createdAt: fromNow(-48 * hour) });
  await made.asker(realmId, { address: stranger, at: fromNow(-hour) });
  const service = as.service({ realmId });
  return {
    realmId,
    serial,
    user,
    service,
    name: (...radiusAddresses: string[]) => service.put(path, { radiusAddresses }),
    activity: async () => (await service.get(`/api/profiles/${serial}/activity`)).body.data,
    asks: async () => {
      const { steps } = (await service.get("/api/setup")).body.data;
      return steps.find(({ step }: { step: string }) => step === "radius_asks");
    },
  };
}
type Asked = Awaited<ReturnType<typeof givenAsked>>;

describe("addresses that the realm does not name", () => {
  let naming: Asked;
  let silent: Asked;
  beforeAll(async () => {
    [naming, silent] = [await givenAsked(), await givenAsked()];
    expect(await naming.name(server, "198.51.100.0/24")).toMatchObject({ status: 200 });
  });

  test("count as RADIUS servers in a diagnosis only if the realm names no address", async () => {
    expect(await naming.activity()).toMatchObject({
      realmChecks: { servers: 0, lastAt: null },
      diagnosis: { code: "nobody_asks" },
    });
    expect(await silent.activity()).toMatchObject({ realmChecks: { servers: 1 }, diagnosis: { code: "never_asked" } });
  });

  test("are listed separately in the set-up step for RADIUS servers, which stays open; if the realm names no address, they count as its servers and the step is done", async () => {
    const listed = [{ address: stranger, lastAt: expect.any(String) }];
    expect(await naming.asks()).toMatchObject({ state: "todo", facts: { servers: [], others: listed, lastAt: null } });
    expect(await silent.asks()).toMatchObject({ state: "done", facts: { servers: listed, others: [] } });
  });

  test("do not count in the hours of the overview, and are marked in the overview's list", async () => {
    const now = Math.floor(systemClock.now().getTime() / hour) * hour;
    for (const { realmId } of [naming, silent]) {
      await owner().query(sql`
        insert into status_counts (realm_id, hour, address, good, refused, last_at)
        values (${realmId}, ${new Date(now)}, ${stranger}, 5, 0, ${new Date(now + 2)}),
               (${realmId}, ${new Date(now)}, '198.51.100.9', 2, 1, ${new Date(now + 1)}),
               (${realmId}, ${new Date(now)}, '::', 1, 0, ${new Date(now)})
      `);
    }
    const picture = async ({ service }: Asked) => {
      const { hours, servers } = (await service.get("/api/overview/radius")).body.data;
      return {
        good: hours.at(-1).good,
        servers: servers.map(({ address, isServer }: { address: string; isServer: boolean }) => [address, isServer]),
      };
    };
    expect(await picture(naming)).toEqual({
      good: 2,
      servers: [
        [stranger, false],
        ["198.51.100.9", true],
        [null, false],
      ],
    });
    expect(await picture(silent)).toEqual({
      good: 8,
      servers: [
        [stranger, true],
        ["198.51.100.9", true],
        [null, true],
      ],
    });
  });

  test("are shown as another system that asked: with the diagnosis, in the timeline and in the user's export", async () => {
    const at = fromNow(-hour);
    await owner().query(sql`update certificates set last_other_ocsp_at = ${at} where serial_number = ${naming.serial}`);
    expect(await naming.activity()).toMatchObject({ lastCheck: null, otherCheckAt: at.toISOString() });
    expect(await silent.activity()).toMatchObject({ lastCheck: null, otherCheckAt: null });
    const timeline = (of: Asked) => of.service.get(`/api/user/${of.user.id}/timeline`);
    const asked = { type: "profile_ask", at: at.toISOString(), serial: naming.serial, by: null, detail: {} };
    expect((await timeline(naming)).body.data).toEqual([expect.objectContaining(asked)]);
    expect((await timeline(silent)).body.data).toEqual([]);
    const { profiles } = (await naming.service.get(`/api/user/${naming.user.id}/export`)).body;
    expect(profiles).toEqual([expect.objectContaining({ lastOcsp: null, lastOtherOcsp: at.toISOString() })]);
  });
});

test("the addresses are returned as given and recorded in the audit log; an empty list means every address", async () => {
  const { realmId, service, name, activity } = await givenAsked();
  const addresses = [server, "198.51.100.0/24", "2001:db8::/32", "2001:db8::7"];
  await name(...addresses);
  expect((await service.get(path)).body.data.radiusAddresses).toEqual(addresses);
  await name(stranger);
  expect(await activity()).toMatchObject({ realmChecks: { servers: 1 } });
  await name();
  expect(await activity()).toMatchObject({ realmChecks: { servers: 1 } });
  expect(
    await owner().query(sql`
      select properties from audit_entries where realm_id = ${realmId} and event = 'realm_update' order by id
    `),
  ).toEqual([
    { properties: { before: { radiusAddresses: [] }, after: { radiusAddresses: addresses } } },
    { properties: { before: { radiusAddresses: addresses }, after: { radiusAddresses: [stranger] } } },
    { properties: { before: { radiusAddresses: [stranger] }, after: { radiusAddresses: [] } } },
  ]);
});

test.each<[what: string, addresses: unknown[]]>([
  ["a name", ["radius.example.org"]],
  ["every IPv4 address", ["0.0.0.0/0"]],
  ["every IPv6 address", ["::/0"]],
  ["an IPv4 address written as IPv6", ["::ffff:192.0.2.1"]],
  ["an address with a zone", ["fe80::1%eth0"]],
  ["a prefix that is too long", ["192.0.2.0/33"]],
  ["an address twice", ["2001:DB8::1", "2001:db8::1"]],
  ["65 addresses", Array.from({ length: 65 }, (_, n) => `192.0.2.${n}`)],
  ["a number", [7]],
])("as RADIUS servers, %s is refused, and 64 addresses are accepted", async (_, addresses) => {
  const service = as.service({ realmId: await given.realm() });
  const answer = await service.put(path, { radiusAddresses: addresses });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toMatch(/^radiusAddresses/);
  expect((await service.get(path)).body.data.radiusAddresses).toEqual([]);
  const most = Array.from({ length: 64 }, (__, n) => `192.0.2.${n}`);
  expect((await service.put(path, { radiusAddresses: most })).status).toBe(200);
});
