import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/profiles/bulk";

const profile = async (): Promise<string> => given.profile(await given.user({ realmId: api.realmId }));
const reasonOf = async (serial: string): Promise<number | null> =>
  (await as.service().get(`/api/profiles/${serial}`)).body.data.revokeReason;

test.each([
  [{}, 0],
  [{ Reason: 4 }, 4],
])("a request with %j revokes all given profiles with reason %d, with one audit entry each", async (body, reason) => {
  const serials = [await profile(), await profile(), await profile()];

  expect(await as.admin().delete(path, { Profiles: serials, ...body })).toMatchObject({
    status: 200,
    body: { result: "ok", code: 200, data: true },
  });
  for (const serial of serials) {
    expect(await reasonOf(serial)).toBe(reason);
    expect(await auditOf(api.database, "serial", serial)).toMatchObject([
      {
        event: "profile_revoke",
        userId: expect.any(String),
        properties: { reason, user: expect.any(String) },
      },
    ]);
  }
});

test("revoked profiles count as done, and repeated serial numbers once", async () => {
  const [before, now] = [await profile(), await profile()];
  await as.service().delete(`/api/profiles/${before}`, { reason: 1 });

  expect(await as.service().delete(path, { profiles: [before, now, now], reason: 4 })).toMatchObject({ status: 200 });
  expect([await reasonOf(before), await reasonOf(now)]).toEqual([1, 4]);
  for (const serial of [before, now]) expect(await auditOf(api.database, "serial", serial)).toHaveLength(1);
});

test("an unknown serial number is reported, and nothing is revoked", async () => {
  const { realmId } = api;
  const known = await profile();
  const { id: guestAccountId } = await given.guestAccount({ realmId });
  const unknowns = [
    "12345",
    await given.profile(await given.user({ realmId: await given.realm() })),
    await given.profile({ realmId }, { kind: "infrastructure" }),
    await given.profile({ realmId }, { guestAccountId }),
  ];
  for (const unknown of unknowns) {
    const answer = await as.service().delete(path, { profiles: [known, unknown] });
    expect(answer).toBeError("profile_not_found");
    expect(answer.body.error_description).toBe(`There is no profile ${unknown} in this realm. Nothing was revoked.`);
  }
  expect(await reasonOf(known)).toBeNull();
  expect(await auditOf(api.database, "serial", known)).toEqual([]);
});

test.each<[body: object, where: string]>([
  [{}, "profiles"],
  [{ profiles: [] }, "profiles"],
  [{ profiles: "1,2" }, "profiles"],
  [{ profiles: [1] }, "profiles.0"],
  [{ profiles: ["1", "abc"] }, "profiles.1"],
  [{ profiles: ["1", null] }, "profiles.1"],
  [{ profiles: Array.from({ length: 1001 }, () => "1") }, "profiles"],
  [{ profiles: ["1"], reason: 2 }, "reason"],
])("a revocation with %j is refused, and the response names the field", async (body, where) => {
  const answer = await as.service().delete(path, body);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(where);
});

test("a thousand profiles are revoked in one request, and a repeat with the same key returns the same response", async () => {
  const user = await given.user({ realmId: api.realmId });
  await api.database.owner.query(sql`
    insert into certificates (realm_id, issuer_id, serial_number, issuance_id, kind, user_id, name, device_type,
                              identity, certificate, spki_sha256, created_at, not_before, not_after)
    select i.realm_id, i.id, (10::numeric ^ 40 + n)::numeric(60)::text, gen_random_uuid(), 'user', ${user.id}, 'laptop',
           'Linux', 'x', 'x', sha256(('thousand' || n)::bytea), now(), now(), now() + interval '1 year'
      from issuers i, generate_series(1, 1000) n
     where i.realm_id = ${api.realmId}
  `);
  const rows = await api.database.owner.query<{ serial: string }>(sql`
    select serial_number as serial from certificates where user_id = ${user.id}
  `);
  const profiles = rows.map(({ serial }) => serial);
  const service = as.service();
  const key = { headers: { "idempotency-key": "thousand" } };
  const asked = await service.delete(path, { profiles });
  const confirmTotal = Number(asked.body.fields[0].reason);
  const first = await service.delete(path, { profiles, confirmTotal }, key);

  expect(first).toMatchObject({ status: 200, body: { data: true } });
  expect((await service.delete(path, { profiles, confirmTotal }, key)).text).toBe(first.text);
  expect(await service.delete(path, { profiles, reason: 4 }, key)).toBeError("idempotency_key_reused");
  const left = await api.database.owner.query(sql`
    select id from certificates where user_id = ${user.id} and revoked_at is null
  `);
  expect(left).toEqual([]);
});
