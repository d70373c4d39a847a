import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { exportedLists } from "../../../../../domain/audit/exported-lists.ts";
import type { Scope } from "../../../../../domain/people/scopes.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as } = api;

test("saving a list is recorded once, without the search texts", async () => {
  const caller = as.service();
  const body = { list: "users", rows: 3, filter: { text: "Ada", email: "ada@", search: "ada", locked: "true" } };
  const headers = { "idempotency-key": randomUUID() };
  for (let sent = 0; sent < 2; sent++)
    expect(await caller.post("/api/audit/list-exports", body, { headers })).toMatchObject({ status: 200 });
  const { body: log } = await caller.get("/api/audit?filter[event]=list_export");
  expect(log.data.map(({ properties }: { properties: string }) => JSON.parse(properties))).toEqual([
    { list: "users", rows: 3, filter: { text: "…", email: "…", search: "…", locked: "true" } },
  ]);
});

test("each list requires its own scope", async () => {
  const scopeOf = {
    users: "user.read",
    profiles: "profile.read",
    guest_accounts: "guest.view",
    guest_profiles: "guest.view",
    infrastructure_profiles: "infrastructure.read",
    jobs: "job.read",
    applications: "application.read",
  } as const;
  const send = async (list: string, scope: Scope) =>
    (await as.service({ scopes: [scope] }).post("/api/audit/list-exports", { list, rows: 0 })).status;
  for (const list of exportedLists) {
    for (const scope of new Set(Object.values(scopeOf)))
      expect(await send(list, scope), `${list} with ${scope}`).toBe(scope === scopeOf[list] ? 200 : 403);
  }
  expect(await send("nothing", "user.read")).toBe(400);
});
