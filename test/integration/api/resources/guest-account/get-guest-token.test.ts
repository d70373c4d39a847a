import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { postForm } from "../../../../support/given/authorization.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

const create = async (): Promise<string> => {
  const account = { name: "Fair", expirationDate: "2999-01-01" };
  return (await as.service().post("/api/guest-account", account)).body.data.id;
};

test("the token is always the same, is exchanged for an access token, and each read is in the audit log", async () => {
  const id = await create();
  const service = as.service();
  const first = await service.get(`/api/guest-token/${id}`);
  const again = await as.admin().get(`/api/guest-token/${id}`);

  expect(first).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(first.body).toEqual({ result: "ok", code: 200, data: expect.stringMatching(/^rpg_[A-Za-z0-9_-]{43}$/) });
  expect(again.body).toEqual(first.body);

  const form = { grant_type: "guest_token", guest_token: first.body.data };
  const granted = await postForm(`${api.url}/oauth/token`, form);
  expect(granted).toMatchObject({ status: 200, body: { access_token: expect.any(String), token_type: "Bearer" } });
  expect(await as.token(granted.body.access_token).get("/api/realm")).toMatchObject({ status: 200 });

  const entries = await auditOf(api.database, "guestAccountID", id);
  expect(entries.map(({ event }) => event)).toEqual(["guest_account_create", "guest_token_read", "guest_token_read"]);
  expect(entries[2]?.userId).toEqual(expect.any(String));
  expect(JSON.stringify(entries)).not.toContain(first.body.data);
});

test("HEAD gets 405, shows nothing and is not in the audit log", async () => {
  const id = await create();
  const answer = await as.service().send("HEAD", `/api/guest-token/${id}`);
  expect([answer.status, answer.headers.allow, answer.text]).toEqual([405, "GET, OPTIONS", ""]);
  const entries = await auditOf(api.database, "guestAccountID", id);
  expect(entries.map(({ event }) => event)).toEqual(["guest_account_create"]);
});

test("the guest token itself is not an access token", async () => {
  const token = (await as.service().get(`/api/guest-token/${await create()}`)).body.data;
  expect(await as.token(token).get("/api/realm")).toBeError("unauthenticated");
});

test("the token of an ended account is refused, and the refusal is not in the audit log", async () => {
  const { realmId } = api;
  const expired = await given.guestAccount({ realmId, expiresAt: fromNow(-1) });
  const revoked = await given.guestAccount({ realmId, revokedAt: fromNow(-1) });
  for (const { id } of [expired, revoked]) {
    expect(await as.service().get(`/api/guest-token/${id}`)).toBeError("guest_account_ended");
    expect(await auditOf(api.database, "guestAccountID", id)).toEqual([]);
  }
});

test("accounts of other realms and unknown accounts are not found", async () => {
  const stranger = await given.guestAccount({ realmId: await given.realm() });
  for (const id of [stranger.id, "999999999", "abc"]) {
    expect(await as.service().get(`/api/guest-token/${id}`)).toBeError("guest_account_not_found");
  }
});
