import { decodeJwt } from "jose";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { sql } from "../../../../db/sql.ts";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";

const registry = new Registry();
const api = useApi({ registry });
const { as, given } = api;
const { token } = authorizationOn(api);

const exchange = (guestToken: string, fields: Record<string, string> = {}) =>
  token({ grant_type: "guest_token", guest_token: guestToken, ...fields });

test.each([
  ["without a client", {}],
  ["with one", { client_id: "anything" }],
])("the response for a guest account's token %s is exactly access_token and token_type", async (_, fields) => {
  const account = await given.guestAccount({ realmId: api.realmId });
  const { status, body } = await exchange(account.token, fields);
  expect({ status, body }).toEqual({ status: 200, body: { access_token: expect.any(String), token_type: "Bearer" } });
  expect(await as.token(body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
});

test("the access token expires with the account", async () => {
  const expiresAt = new Date(Date.parse("2030-01-01T00:00:00Z"));
  const account = await given.guestAccount({ realmId: api.realmId, expiresAt });
  const { body } = await exchange(account.token);
  expect(decodeJwt(body.access_token)).toMatchObject({
    exp: expiresAt.getTime() / 1000,
    sub: `guest-account:${account.id}`,
  });
});

test.each([
  ["expires", sql`expires_at = now() - interval '1 second'`],
  ["is revoked", sql`revoked_at = now()`],
])("when the account %s, its token and every token issued for it end immediately", async (_, change) => {
  const account = await given.guestAccount({ realmId: api.realmId });
  const issued = [await exchange(account.token), await exchange(account.token)];
  await api.database.owner.query(sql`update guest_accounts set ${change} where id = ${account.id}`);
  for (const { body } of issued) {
    expect(await as.token(body.access_token).get("/api/realm")).toBeError("unauthenticated");
  }
  expect(await exchange(account.token)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("an unknown token gets invalid_grant; a missing token gets invalid_request", async () => {
  expect(await exchange("rpg_unknown")).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  expect(await exchange("")).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});

test("a refused request counts as refused, even beyond the limit, and not as a failure of the service", async () => {
  const counts = async () =>
    [...(await registry.metrics()).matchAll(/sign_ins_total\{way="guest",outcome="(\w+)"\} (\d+)/g)].map(
      ([, outcome, count]) => [outcome, Number(count)] as const,
    );
  const before = new Map(await counts());
  await exchange("rpg_unknown");
  await exchange("");
  for (let attempts = 0; attempts < 30; attempts++) await exchange(`rpg_unknown-${attempts}`);
  expect(await exchange("rpg_unknown")).toMatchObject({ status: 429 });
  const after = new Map(await counts());
  expect(after.get("refused")! - before.get("refused")!).toBe(33);
  expect([before.get("failed"), after.get("failed")]).toEqual([0, 0]);
});

test("the guest account's token itself is not accepted by the API", async () => {
  const account = await given.guestAccount({ realmId: api.realmId });
  expect(await as.token(account.token).get("/api/realm")).toBeError("unauthenticated");
});
