import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

let path: string;
let service: Caller;
let accountId: string;

beforeAll(async () => {
  const { realmId } = api;
  service = as.service();
  ({ id: accountId } = await given.guestAccount({ realmId }));
  path = `/api/guest-accounts/${accountId}/profiles`;
  const ofAccount = { guestAccountId: accountId };
  const at = (day: string): Date => new Date(`2026-01-${day}T00:00:00Z`);
  await given.profile({ realmId }, { ...ofAccount, serialNumber: "1234567", createdAt: at("01"), deviceType: "iOS" });
  await given.profile({ realmId }, { ...ofAccount, serialNumber: "7654321", createdAt: at("02") });
  await given.profile({ realmId }, { ...ofAccount, serialNumber: "555", createdAt: at("03"), notAfter: at("04") });
  await service.delete("/api/guest-profile/7654321", { reason: 4 });
  await api.database.owner.query(sql`
    update certificates set last_ocsp_at = '2026-02-03T04:05:06.789Z' where serial_number = '1234567'
  `);
  const other = await given.guestAccount({ realmId });
  await given.profile({ realmId }, { guestAccountId: other.id });
});

const serials = (answer: { body: { data: { serial: string }[] } }): string[] =>
  answer.body.data.map(({ serial }) => serial);

test("a guest profile has exactly the fields of the specification", async () => {
  const { body } = await service.post(path);
  expect(body).toMatchObject({ limit: 100, offset: 0, total: 3 });
  expect(body.data).toEqual([
    expect.objectContaining({ serial: "555", revokeDate: null, lastOcsp: null }),
    expect.objectContaining({ serial: "7654321", revokeDate: expect.any(String), revokeReason: 4 }),
    {
      serial: "1234567",
      deviceType: "iOS",
      creationDate: "2026-01-01T00:00:00.000Z",
      revokeDate: null,
      revokeReason: null,
      lastOcsp: "2026-02-03T04:05:06.789Z",
      accountId,
    },
  ]);
});

test.each<[page: object, expected: string[]]>([
  [{}, ["555", "7654321", "1234567"]],
  [{ search: "345" }, ["1234567"]],
  [{ search: "%" }, []],
  [{ search: "0x12d687" }, ["1234567"]],
  [{ search: "12:D6:87" }, ["1234567"]],
  [{ search: "serial=12D687" }, ["1234567"]],
  [{ search: "0x2d687" }, []],
  [{ filter: { invalid: "true" } }, ["555", "7654321"]],
  [{ filter: { invalid: "false" } }, ["1234567"]],
  [{ filter: { minCreateTime: "2026-01-02", maxCreateTime: "2026-01-02T12:00:00Z" } }, ["7654321"]],
  [{ sort: { creationdate: "asc" } }, ["1234567", "7654321", "555"]],
  [{ sort: { serial: "desc" } }, ["7654321", "555", "1234567"]],
  [{ limit: 1, offset: 2 }, ["1234567"]],
])("the list with %j contains the expected profiles, by GET and by POST", async (page, expected) => {
  expect(serials(await service.post(path, page))).toEqual(expected);
  expect(serials(await service.get(path, { body: page }))).toEqual(expected);
});

test.each([{ sort: { createtime: "asc" } }, { filter: { deviceType: "iOS" } }, { filter: { invalid: "no" } }])(
  "a request with %j is refused",
  async (page) => {
    expect(await service.post(path, page)).toBeError("invalid_request");
  },
);

test("other realms' accounts are not found, by GET and by POST", async () => {
  const stranger = await given.guestAccount({ realmId: await given.realm() });
  for (const id of [stranger.id, "999999999", "abc"]) {
    expect(await service.get(`/api/guest-accounts/${id}/profiles`)).toBeError("guest_account_not_found");
    expect(await service.post(`/api/guest-accounts/${id}/profiles`)).toBeError("guest_account_not_found");
  }
});
