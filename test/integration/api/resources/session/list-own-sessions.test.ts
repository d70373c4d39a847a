import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

test("a user sees their own sessions with any scope or none, with the current one marked", async () => {
  const user = await given.user({ realmId: api.realmId });
  const [asking, another] = [
    await given.session({ user, scopes: [] }),
    await given.session({ user, createdAt: fromNow(-60_000) }),
  ];
  await given.session({ user: await given.user({ realmId: api.realmId }) });

  expect(await as.token(another.accessToken).get("/api/sessions")).toMatchObject({ status: 200 });
  const { status, body } = await as.token(asking.accessToken).get("/api/sessions");

  expect(status).toBe(200);
  expect(body).toEqual({
    result: "ok",
    code: 200,
    data: [
      expect.objectContaining({ id: asking.id, client_id: asking.clientId, scopes: [], current: true }),
      expect.objectContaining({ id: another.id, client_id: another.clientId, current: false }),
    ],
  });
});

test("a service and a guest have no sessions", async () => {
  expect(await as.service().get("/api/sessions")).toBeError("user_required");
  expect(await as.guest().get("/api/sessions")).toBeError("user_required");
});
