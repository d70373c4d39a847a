import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const auditOf = (serial: string) =>
  api.database.owner.query<{ event: string; properties: object }>(sql`
    select event, properties from audit_entries where properties ->> 'serial' = ${serial}
  `);

test.each([
  [undefined, 0],
  [{ reason: 4 }, 4],
  [{ Reason: 9 }, 9],
])("a request with %j revokes the profile with reason %d and writes one audit entry", async (body, reason) => {
  const user = await given.user({ realmId: api.realmId });
  const serial = await given.profile(user);
  const admin = as.admin();

  expect(await admin.delete(`/api/profiles/${serial}`, body)).toMatchObject({
    status: 200,
    body: { result: "ok", code: 200, data: true },
  });

  expect((await admin.get(`/api/profiles/${serial}`)).body.data).toMatchObject({
    revokeReason: reason,
    revokeTime: expect.any(String),
  });
  expect(await auditOf(serial)).toMatchObject([{ event: "profile_revoke", properties: { user: user.id, reason } }]);
});

test("revoking again succeeds and changes nothing", async () => {
  const serial = await given.profile(await given.user({ realmId: api.realmId }));
  const service = as.service();
  await service.delete(`/api/profiles/${serial}`, { reason: 1 });

  expect(await service.delete(`/api/profiles/${serial}`, { reason: 4 })).toMatchObject({
    status: 200,
    body: { data: true },
  });
  expect((await service.get(`/api/profiles/${serial}`)).body.data.revokeReason).toBe(1);
  expect(await auditOf(serial)).toHaveLength(1);
});

test("a repeat with the same key returns the same response; a repeat with another reason is refused", async () => {
  const serial = await given.profile(await given.user({ realmId: api.realmId }));
  const service = as.service();
  const headers = { "idempotency-key": "k" };
  const first = await service.delete(`/api/profiles/${serial}`, { reason: 1 }, { headers });

  expect((await service.delete(`/api/profiles/${serial}`, { reason: 1 }, { headers })).text).toBe(first.text);
  expect(await service.delete(`/api/profiles/${serial}`, { reason: 4 }, { headers })).toBeError(
    "idempotency_key_reused",
  );
});

test.each([{ reason: 2 }, { reason: "1" }, { reason: null }, { reason: 1.5 }, [1], "1"])(
  "a request with %j is refused",
  async (body) => {
    const serial = await given.profile(await given.user({ realmId: api.realmId }));
    expect(await as.admin().delete(`/api/profiles/${serial}`, body)).toBeError("invalid_request");
  },
);

test("a profile that is not a user's profile of this realm is not found", async () => {
  const user = await given.user({ realmId: api.realmId });
  const infrastructure = await given.profile(user, { kind: "infrastructure" });
  const strange = await given.profile(await given.user({ realmId: await given.realm() }));

  for (const serial of [infrastructure, strange, "12345", "abc", "0", "9".repeat(60)]) {
    expect(await as.admin().delete(`/api/profiles/${serial}`)).toBeError("profile_not_found");
    expect(await as.admin().get(`/api/profiles/${serial}`)).toBeError("profile_not_found");
  }
});
