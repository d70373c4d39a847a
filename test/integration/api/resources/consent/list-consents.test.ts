import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("a user sees only their own consents", async () => {
  const user = await given.user({ realmId: api.realmId });
  const { clientId } = await given.application({ realmId: api.realmId, type: "useragent", name: "Wi-Fi helper" });
  await given.consent(user, clientId, { scopes: ["openid"] });
  await given.consent(await given.user({ realmId: api.realmId }), clientId);

  const { status, body } = await as.user(user, { scopes: [] }).get("/api/consents");

  expect(status).toBe(200);
  expect(body.data).toEqual([
    {
      client_id: clientId,
      clientName: "Wi-Fi helper",
      clientURI: "https://client.example",
      scopes: ["openid"],
      grantedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  ]);
});
