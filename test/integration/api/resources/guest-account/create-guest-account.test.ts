import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as } = api;
const path = "/api/guest-account";
const fair = { name: "Fair", expirationDate: "2999-01-31T12:00:00.000Z" };

test("a guest account has exactly the fields of the specification, and one audit entry", async () => {
  const service = as.service();
  const { status, body } = await service.post(path, { ...fair, note: "Hall 3\nask at the desk", profileLimit: 50 });

  expect(status).toBe(200);
  expect(body).toEqual({
    result: "ok",
    code: 200,
    data: {
      id: expect.stringMatching(/^[1-9][0-9]*$/),
      name: "Fair",
      creationDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expirationDate: "2999-01-31T12:00:00.000Z",
      note: "Hall 3\nask at the desk",
      profileLimit: 50,
      revoked: false,
      activeProfileCount: 0,
    },
  });
  expect((await service.get(`/api/guest-accounts/${body.data.id}`)).body.data).toEqual(body.data);
  expect(await auditOf(api.database, "guestAccountID", body.data.id)).toMatchObject([
    {
      event: "guest_account_create",
      userId: null,
      clientId: expect.any(String),
      properties: { name: "Fair", profileLimit: 50, expirationDate: fair.expirationDate },
    },
  ]);
});

test.each<[given: object, shown: object]>([
  [{}, { note: null, profileLimit: null }],
  [
    { note: null, profileLimit: null },
    { note: null, profileLimit: null },
  ],
  [
    { note: "", profileLimit: 0 },
    { note: "", profileLimit: 0 },
  ],
  [{ PROFILELIMIT: 100_000 }, { profileLimit: 100_000 }],
  [{ name: "ü".repeat(200), note: "x".repeat(2000) }, { name: "ü".repeat(200) }],
  [{ expirationDate: "2999-01-31T12:00:00" }, { expirationDate: "2999-01-31T12:00:00.000Z" }],
  [{ expirationDate: "2999-01-31T12:00:00+02:00" }, { expirationDate: "2999-01-31T10:00:00.000Z" }],
  [{ expirationDate: "2999-01-31" }, { expirationDate: "2999-01-31T00:00:00.000Z" }],
])("an account with %j is accepted", async (given, shown) => {
  expect(await as.service().post(path, { ...fair, ...given })).toMatchObject({ status: 200, body: { data: shown } });
});

test.each<[given: object, where: string]>([
  [{ name: undefined }, "name"],
  [{ name: "" }, "name"],
  [{ name: "x".repeat(201) }, "name"],
  [{ name: "a\u0007b" }, "name"],
  [{ name: null }, "name"],
  [{ expirationDate: undefined }, "expirationDate"],
  [{ expirationDate: null }, "expirationDate"],
  [{ expirationDate: "soon" }, "expirationDate"],
  [{ expirationDate: 4102444800000 }, "expirationDate"],
  [{ expirationDate: "2999-02-30" }, "expirationDate"],
  [{ expirationDate: "2020-01-01T00:00:00Z" }, "expirationDate"],
  [{ note: "x".repeat(2001) }, "note"],
  [{ note: "a\u001bb" }, "note"],
  [{ note: 7 }, "note"],
  [{ profileLimit: -1 }, "profileLimit"],
  [{ profileLimit: 1.5 }, "profileLimit"],
  [{ profileLimit: "5" }, "profileLimit"],
  [{ profileLimit: 100_001 }, "profileLimit"],
])("an account with %j is refused, and the response names the field", async (given, where) => {
  const answer = await as.service().post(path, { ...fair, ...given });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields.map((field: { path: string }) => field.path)).toEqual([where]);
});

test("a repeat with the same key returns the same account", async () => {
  const service = as.service();
  const headers = { "idempotency-key": "a fair".replace(" ", "-") };
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.post(path, fair, { headers })));

  expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  expect(await service.post(path, { ...fair, name: "Another" }, { headers })).toBeError("idempotency_key_reused");
});

test("the database does not contain the account's token in readable form", async () => {
  const service = as.service();
  const { id } = (await service.post(path, fair)).body.data;
  const token = (await service.get(`/api/guest-token/${id}`)).body.data;

  const rows = await api.database.owner.query<{ row: string }>(sql`
    select g::text as row from guest_accounts g
     union all
    select a::text from audit_entries a
     union all
    select k::text from idempotency_keys k
  `);
  expect(rows.some(({ row }) => row.startsWith(`(${id},`))).toBe(true);
  const spellings = [token, Buffer.from(token).toString("hex"), Buffer.from(token).toString("base64")];
  for (const { row } of rows) for (const spelling of spellings) expect(row).not.toContain(spelling);
});

const day = 24 * 3_600_000;
const inDays = (days: number) => fromNow(days * day - 60_000).toISOString();

test("guest managers are bound by guestDaysMax and guestLimitMax, with an error for each field; administrators and services are not", async () => {
  const realmId = await api.given.realm();
  await api.database.owner.query(sql`
    update realms set guest_days_max = 10, guest_limit_max = 30 where id = ${realmId}
  `);
  const manager = as.user(await api.given.user({ realmId, roles: ["guest_manager", "auditor"] }));
  expect(await manager.post(path, { name: "Fair", expirationDate: inDays(10), profileLimit: 30 })).toMatchObject({
    status: 200,
  });

  const beyond = { name: "Fair", expirationDate: inDays(11), profileLimit: 31 };
  const refused = await manager.post(path, beyond);
  expect(refused).toBeError("invalid_request");
  expect(refused.body.fields).toEqual([
    { path: "expirationDate", reason: "must be at most 10 days from now (guestDaysMax)" },
    { path: "profileLimit", reason: "must be a limit of at most 30 (guestLimitMax)" },
  ]);
  for (const unlimited of [{}, { profileLimit: null }]) {
    const answer = await manager.post(path, { name: "Fair", expirationDate: inDays(1), ...unlimited });
    expect(answer).toBeError("invalid_request");
    expect(answer.body.fields).toMatchObject([{ path: "profileLimit" }]);
  }

  const both = as.user(await api.given.user({ realmId, roles: ["guest_manager", "administrator"] }));
  for (const unbound of [both, as.admin({ realmId }), as.service({ realmId })]) {
    expect(await unbound.post(path, beyond)).toMatchObject({ status: 200 });
    expect(await unbound.post(path, { ...beyond, profileLimit: null })).toMatchObject({ status: 200 });
  }
});
