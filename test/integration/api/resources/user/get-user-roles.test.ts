import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("the list has assigned and identity provider roles, each once", async () => {
  const { id } = await given.user({ realmId: api.realmId, roles: ["help_desk", "auditor"] });
  await api.database.owner.query(sql`update users set provider_roles = '{auditor,guest_manager}' where id = ${id}`);
  const reader = as.user(given.user({ realmId: api.realmId, roles: ["help_desk"] }));
  expect((await reader.get(`/api/user/${id}/roles`)).body.data).toEqual({
    roles: ["help_desk", "guest_manager", "auditor"],
    given: ["help_desk", "auditor"],
    fromProvider: ["auditor", "guest_manager"],
  });
  expect(await reader.get("/api/user/999999/roles")).toBeError("user_not_found");
});
