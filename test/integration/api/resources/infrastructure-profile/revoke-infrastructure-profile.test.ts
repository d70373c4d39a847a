import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";

const api = useApi();
const { as, given } = api;
const path = "/api/infrastructure-profile";

const profile = (): Promise<string> => given.profile({ realmId: api.realmId }, { kind: "infrastructure" });

test("revoking writes one audit entry; revoking again changes nothing", async () => {
  const serial = await profile();
  const admin = as.admin();

  expect(await admin.delete(`${path}/${serial}`, { reason: 4 })).toMatchObject({ status: 200, body: { data: true } });
  const first = (await admin.post(path, { search: serial })).body.data;
  expect(first).toMatchObject([{ serial, revokeDate: expect.any(String) }]);

  expect(await admin.delete(`${path}/${serial}`)).toMatchObject({ status: 200, body: { data: true } });
  expect((await admin.post(path, { search: serial })).body.data).toEqual(first);
  expect(await auditOf(api.database, "serial", serial)).toMatchObject([
    { event: "infrastructure_profile_revoke", userId: expect.any(String), properties: { reason: 4, name: "laptop" } },
  ]);
});

test("a profile that is not an infrastructure profile of this realm is not found", async () => {
  const users = await given.profile(await given.user({ realmId: api.realmId }));
  const strange = await given.profile({ realmId: await given.realm() }, { kind: "infrastructure" });
  for (const serial of [users, strange, "12345", "abc", "radius.example.org"]) {
    expect(await as.service().delete(`${path}/${serial}`)).toBeError("profile_not_found");
  }
});

test.each([{ reason: 2 }, { reason: "1" }, []])("a request with %j is refused", async (body) => {
  expect(await as.service().delete(`${path}/${await profile()}`, body)).toBeError("invalid_request");
});
