import { expect, test } from "vitest";
import { endpoints } from "../../../../../api/endpoints.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi } from "../../../../support/service/api.ts";

const { given, as } = useApi();

const pictures = endpoints.filter(({ path }) => path.startsWith("/api/overview"));

test.each(pictures)("$path requires the scope of each list that it counts", async ({ path, access }) => {
  const realmId = await given.realm();
  const scopes = ["realm.read", "profile.read", ...(path === "/api/overview" ? ["user.read", "job.read"] : [])];
  expect(access).toBe("staff");
  for (const scope of scopes) {
    const caller = as.admin({ realmId, scopes: allScopes.filter((one) => one !== scope) });
    expect(await caller.get(path)).toBeError("insufficient_scope");
  }
  expect((await as.admin({ realmId }).get(path)).status).toBe(200);
});
