import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("the help desk and auditors can read the note; callers with user.modify can write it", async () => {
  const user = await given.user({ realmId: api.realmId });
  const path = `/api/user/${user.id}/note`;
  expect((await as.admin().put(path, { note: "Mind the dog" })).status).toBe(200);
  for (const role of ["help_desk", "auditor"] as const) {
    const reader = as.user(await given.user({ realmId: api.realmId, roles: [role] }));
    expect((await reader.get(path)).body.data.note).toBe("Mind the dog");
    expect(await reader.put(path, { note: "x" })).toBeError("insufficient_scope");
  }
  expect(await as.user(user).get(path)).toBeError("forbidden");
});
