import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { service, statusWith, tokenWith } from "../../../../support/given/registration.ts";
import { expectEnded, expectGoingOn, redeem } from "../../../../support/given/session-state.ts";

const api = useApi();
const { as, given } = api;

test("deleting an application ends its sessions, consents and tokens, in every process", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
  const session = await given.session({ user, clientId });
  const elsewhere = await given.session({ user });
  await given.consent(user, clientId);
  const admin = as.admin();

  expect(await admin.delete(`/api/applications/${clientId}`)).toMatchObject({ status: 200, body: { data: true } });

  const both = [api, await api.another()];
  await expectEnded(both, session, { error: "invalid_client" });
  await expectGoingOn(both, elsewhere);
  expect((await as.user(user).get("/api/consents")).body.data).toEqual([]);
  expect(await admin.get(`/api/applications/${clientId}`)).toBeError("application_not_found");
  expect(await auditOf(api.database, "clientID", clientId)).toMatchObject([
    { event: "client_delete", properties: { type: "useragent", name: `application ${clientId}` } },
  ]);
  const left = await api.database.owner.query(sql`
    select 1 as one from sessions where client_id = ${clientId}
    union all select 1 from access_tokens where client_id = ${clientId}
    union all select 1 from consents where client_id = ${clientId}
  `);
  expect(left).toEqual([]);
});

test("deleting a service ends its secret and tokens", async () => {
  const admin = as.admin();
  const registered = (await admin.post("/api/applications", service)).body.data;
  const { access_token } = (await tokenWith(api, registered)).body;

  await admin.delete(`/api/applications/${registered.client_id}`);

  expect(await statusWith(api, access_token)).toBe(401);
  expect((await tokenWith(api, registered)).body.error).toBe("invalid_client");
});

test("a service can delete itself, and its token ends with that response", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const self = as.token(await given.token({ realmId: api.realmId, clientId }));
  expect((await self.delete(`/api/applications/${clientId}`)).status).toBe(200);
  expect(await self.get("/api/applications")).toBeError("unauthenticated");
});

test("a repeat with the same key succeeds; without a key the application is not found", async () => {
  const { clientId } = await given.application({ realmId: api.realmId });
  const admin = as.admin();
  const headers = { "idempotency-key": "k" };
  const first = await admin.delete(`/api/applications/${clientId}`, undefined, { headers });

  expect((await admin.delete(`/api/applications/${clientId}`, undefined, { headers })).text).toBe(first.text);
  expect(await admin.delete(`/api/applications/${clientId}`)).toBeError("application_not_found");
});

test("tokens from codes that are redeemed concurrently are refused, and nothing deadlocks", async () => {
  for (let round = 0; round < 10; round++) {
    const user = await given.user({ realmId: api.realmId });
    const { clientId } = await given.application({ realmId: api.realmId, type: "useragent" });
    const sessions = await Promise.all([1, 2, 3].map(() => given.session({ user, clientId })));
    const [deleted, ...exchanges] = await Promise.all([
      as.service().delete(`/api/applications/${clientId}`),
      ...sessions.map((session) => redeem(api, session)),
    ]);

    expect(deleted.status).toBe(200);
    for (const exchange of exchanges) {
      expect(exchange.status).toBeLessThan(500);
      if (exchange.status === 200) {
        expect(await as.token(exchange.body.access_token).get("/api/sessions")).toBeError("unauthenticated");
      }
    }
  }
});
