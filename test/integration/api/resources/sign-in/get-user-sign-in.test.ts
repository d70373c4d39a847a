import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import type { GivenUser } from "../../../../support/given/given.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const at = (day: number): Date => new Date(Date.UTC(2026, 0, day));

const givenIdentity = ({ id, realmId }: GivenUser, issuer: string, day: number) =>
  api.database.owner.query(sql`
    insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
    values (${realmId}, ${issuer}, ${`secret subject ${day}`}, ${id}, ${at(day)})
  `);

test("staff can read through which identity providers a user signs in, and since when the user is not permitted", async () => {
  const [user, other] = [await given.user({ realmId: api.realmId }), await given.user({ realmId: api.realmId })];
  await givenIdentity(user, "https://second.example", 4);
  await givenIdentity(user, "https://first.example", 3);
  await givenIdentity(other, "https://other.example", 3);
  await api.database.owner.query(sql`update users set not_permitted_since = ${at(5)} where id = ${user.id}`);

  const answer = await as.admin().get(`/api/user/${user.id}/sign-in`);
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.body.data).toEqual({
    identities: [
      { issuer: "https://first.example", since: at(3).toISOString() },
      { issuer: "https://second.example", since: at(4).toISOString() },
    ],
    notPermittedSince: at(5).toISOString(),
  });
  expect(answer.text).not.toContain("secret subject");
  expect((await as.admin().get(`/api/user/${other.id}/sign-in`)).body.data).toMatchObject({
    identities: [{ issuer: "https://other.example" }],
    notPermittedSince: null,
  });
});

test("a user without an identity provider has an empty list, and an unknown user gets 404", async () => {
  const user = await given.user({ realmId: api.realmId });
  const stranger = await given.user({ realmId: await given.realm() });
  await givenIdentity(stranger, "https://foreign.example", 3);
  expect((await as.admin().get(`/api/user/${user.id}/sign-in`)).body.data).toEqual({
    identities: [],
    notPermittedSince: null,
  });
  for (const id of [stranger.id, "999999999", "x"]) {
    expect(await as.admin().get(`/api/user/${id}/sign-in`), id).toBeError("user_not_found");
  }
});

test("auditors and the help desk can read a user's sign-in; the user and tokens without user.read cannot", async () => {
  const user = await given.user({ realmId: api.realmId });
  const path = `/api/user/${user.id}/sign-in`;
  for (const role of ["help_desk", "auditor"] as const) {
    const reader = as.user(await given.user({ realmId: api.realmId, roles: [role] }));
    expect(await reader.get(path), role).toMatchObject({ status: 200 });
  }
  expect(await as.user(user).get(path)).toBeError("forbidden");
  expect(await as.service({ realmId: api.realmId, scopes: ["profile.read"] }).get(path)).toBeError(
    "insufficient_scope",
  );
});
