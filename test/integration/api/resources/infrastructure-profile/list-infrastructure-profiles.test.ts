import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/infrastructure-profile";

let realmId: string;
let service: Caller;

beforeAll(async () => {
  realmId = await given.realm();
  service = as.service({ realmId });
  const at = (day: string): Date => new Date(`2026-01-${day}T00:00:00Z`);
  const server = { kind: "infrastructure", notAfter: new Date("2999-01-01T00:00:00Z") } as const;
  const radius = { ...server, name: "Radius 100%", description: "hall", createdAt: at("01") };
  await given.profile({ realmId }, { ...radius, serialNumber: "1234567" });
  await given.profile({ realmId }, { ...server, name: "switch_1", serialNumber: "7654321", createdAt: at("02") });
  const past = { createdAt: at("03"), notAfter: at("20") };
  await given.profile({ realmId }, { ...server, ...past, name: "printer", serialNumber: "555" });
  await service.delete(`${path}/7654321`);
  await api.database.owner.query(sql`
    update certificates set last_ocsp_at = '2026-02-03T04:05:06.789Z' where serial_number = '1234567'
  `);
  // The list contains neither a person's profile nor another realm's profile.
  await given.profile(await given.user({ realmId }));
  await given.profile({ realmId: api.realmId }, { kind: "infrastructure" });
});

const serials = (answer: { body: { data: { serial: string }[] } }): string[] =>
  answer.body.data.map(({ serial }) => serial);

test("an infrastructure profile has exactly the fields of the specification", async () => {
  const { body } = await service.get(path);
  expect(body).toMatchObject({ limit: 100, offset: 0, total: 3 });
  expect(body.data).toEqual([
    expect.objectContaining({ serial: "555", revokeDate: null, expirationDate: "2026-01-20T00:00:00.000Z" }),
    expect.objectContaining({ serial: "7654321", revokeDate: expect.any(String), description: null }),
    {
      serial: "1234567",
      name: "Radius 100%",
      description: "hall",
      creationDate: "2026-01-01T00:00:00.000Z",
      expirationDate: "2999-01-01T00:00:00.000Z",
      revokeDate: null,
      lastOcsp: "2026-02-03T04:05:06.789Z",
    },
  ]);
});

test.each<[page: object, expected: string[]]>([
  [{}, ["555", "7654321", "1234567"]],
  [{ search: "RADIUS" }, ["1234567"]],
  [{ search: "0%" }, ["1234567"]],
  [{ search: "_" }, ["7654321"]],
  [{ search: "765" }, ["7654321"]],
  [{ search: "0x12d687" }, ["1234567"]],
  [{ search: "12:D6:87" }, ["1234567"]],
  [{ search: "serial=12D687" }, ["1234567"]],
  [{ search: "0x2d687" }, []],
  [{ filter: { invalid: "true" } }, ["7654321"]],
  [{ filter: { invalid: "false" } }, ["555", "1234567"]],
  [{ filter: { minCreateTime: "2026-01-02", maxCreateTime: "2026-01-02" } }, ["7654321"]],
  [{ filter: { maxExpirationTime: "2026-01-20" } }, ["555"]],
  [{ filter: { minExpirationTime: "2999-01-01" } }, ["7654321", "1234567"]],
  [{ sort: { serial: "asc" } }, ["1234567", "555", "7654321"]],
  [{ sort: { creation_date: "asc" } }, ["1234567", "7654321", "555"]],
  [{ sort: { expiration_date: "desc" } }, ["7654321", "1234567", "555"]],
  [{ limit: 1, offset: 1 }, ["7654321"]],
])("the list with %j contains the expected profiles, by GET and by POST", async (page, expected) => {
  expect(serials(await service.post(path, page))).toEqual(expected);
  expect(serials(await service.get(path, { body: page }))).toEqual(expected);
});

test.each([{ sort: { creationdate: "asc" } }, { sort: { name: "asc" } }, { filter: { minCreated: "2026-01-01" } }])(
  "a request with %j is refused",
  async (page) => {
    expect(await service.post(path, page)).toBeError("invalid_request");
  },
);
