import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { postForm } from "../../../../support/given/authorization.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;
const hour = 3_600_000;

const audited = (id: string) => auditOf(api.database, "guestAccountID", id);
const put = (id: string, body: object) => as.service().put(`/api/guest-accounts/${id}`, body);

test("only the given fields change, and the audit entry contains the old and the new values", async () => {
  const { id } = await given.guestAccount({ realmId: api.realmId, name: "Fair", note: "n", profileLimit: 5 });

  expect(await put(id, { Name: "Big fair", profileLimit: null })).toMatchObject({
    status: 200,
    body: { data: { id, name: "Big fair", note: "n", profileLimit: null, revoked: false, activeProfileCount: 0 } },
  });
  expect(await audited(id)).toMatchObject([
    {
      event: "guest_account_update",
      properties: { before: { name: "Fair", profileLimit: 5 }, after: { name: "Big fair", profileLimit: null } },
    },
  ]);
  expect((await audited(id))[0]?.properties["after"]).not.toHaveProperty("note");
});

test("sending back an account as it was read changes nothing and writes nothing, even once it has expired", async () => {
  const { id } = await given.guestAccount({ realmId: api.realmId, expiresAt: fromNow(-hour) });
  const read = (await as.service().get(`/api/guest-accounts/${id}`)).body.data;

  expect((await put(id, read)).body.data).toEqual(read);
  expect(await audited(id)).toEqual([]);
  expect((await put(id, { ...read, note: "was fun" })).body.data).toEqual({ ...read, note: "was fun" });
});

test("the account's access tokens expire with its new end", async () => {
  const { id, token } = await given.guestAccount({ realmId: api.realmId });
  const form = { grant_type: "guest_token", guest_token: token };
  const guest = as.token((await postForm(`${api.url}/oauth/token`, form)).body.access_token);
  const expiries = () =>
    api.database.owner.query<{ at: Date }>(sql`
      select expires_at as at from access_tokens where guest_account_id = ${id}
    `);

  for (const days of [1, 400]) {
    const expirationDate = fromNow(days * 24 * hour);
    await put(id, { expirationDate });
    const [row] = await expiries();
    expect(row?.at.toISOString()).toBe(expirationDate.toISOString().replace(/\.\d+/, ".000"));
    expect(await guest.get("/api/realm")).toMatchObject({ status: 200 });
  }

  await api.database.owner.query(
    sql`update guest_accounts set expires_at = now() - interval '1 second' where id = ${id}`,
  );
  expect(await guest.get("/api/realm")).toBeError("unauthenticated");
});

test("an expired account becomes valid again with a new end, and its token works again", async () => {
  const { id, token } = await given.guestAccount({ realmId: api.realmId, expiresAt: fromNow(-hour) });
  const form = { grant_type: "guest_token", guest_token: token };
  expect((await postForm(`${api.url}/oauth/token`, form)).status).toBe(400);

  expect(await put(id, { expirationDate: fromNow(hour) })).toMatchObject({ status: 200 });
  expect((await postForm(`${api.url}/oauth/token`, form)).status).toBe(200);
});

test.each<[given: object, where: string]>([
  [{}, ""],
  [{ unknown: 1 }, ""],
  [{ name: "" }, "name"],
  [{ name: null }, "name"],
  [{ expirationDate: null }, "expirationDate"],
  [{ expirationDate: "2020-01-01" }, "expirationDate"],
  [{ expirationDate: "tomorrow" }, "expirationDate"],
  [{ note: "x".repeat(2001) }, "note"],
  [{ profileLimit: -1 }, "profileLimit"],
])("a change to %j is refused, and nothing changes", async (change, where) => {
  const { id } = await given.guestAccount({ realmId: api.realmId });
  const answer = await put(id, change);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(where);
  expect(await audited(id)).toEqual([]);
});

test("a revoked account cannot be changed, and accounts of other realms are not found", async () => {
  const { id } = await given.guestAccount({ realmId: api.realmId, revokedAt: fromNow(-hour) });
  expect(await put(id, { name: "again", expirationDate: "2999-01-01" })).toBeError("guest_account_ended");

  const stranger = await given.guestAccount({ realmId: await given.realm() });
  for (const other of [stranger.id, "999999999", "abc"]) {
    expect(await put(other, { name: "mine" })).toBeError("guest_account_not_found");
  }
});

test("guest managers are limited only in the fields that they change, and the days count from now", async () => {
  const realmId = await given.realm();
  await api.database.owner.query(sql`
    update realms set guest_days_max = 10, guest_limit_max = 30 where id = ${realmId}
  `);
  const manager = as.user(await given.user({ realmId, roles: ["guest_manager"] }));
  const { id } = await given.guestAccount({ realmId, expiresAt: fromNow(400 * 24 * hour), profileLimit: null });
  const change = (body: object) => manager.put(`/api/guest-accounts/${id}`, body);
  const read = (await manager.get(`/api/guest-accounts/${id}`)).body.data;

  expect(await change({ ...read, name: "Renamed" })).toMatchObject({ status: 200 });
  expect(await change({ profileLimit: 30 })).toMatchObject({ status: 200 });
  for (const [body, where] of [
    [{ profileLimit: null }, "profileLimit"],
    [{ profileLimit: 31 }, "profileLimit"],
    [{ expirationDate: fromNow(11 * 24 * hour) }, "expirationDate"],
  ] as const) {
    const refused = await change(body);
    expect(refused).toBeError("invalid_request");
    expect(refused.body.fields).toMatchObject([{ path: where }]);
  }
  expect(await change({ expirationDate: fromNow(9 * 24 * hour) })).toMatchObject({ status: 200 });
  expect(await as.admin({ realmId }).put(`/api/guest-accounts/${id}`, { profileLimit: null })).toMatchObject({
    status: 200,
  });
});

test("an account is changed only if `If-Match` names its current version", async () => {
  const { id } = await given.guestAccount({ realmId: api.realmId });
  const tag = (await as.service().get(`/api/guest-accounts/${id}`)).headers.etag ?? "";
  const change = (name: string) =>
    as.service().put(`/api/guest-accounts/${id}`, { name }, { headers: { "if-match": tag } });
  const answers = await Promise.all(["a", "b", "c"].map(change));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
  expect(await change("d")).toBeError("precondition_failed");
  expect(await audited(id)).toHaveLength(1);
});
