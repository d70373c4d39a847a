import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { exportedLists } from "../../../../../domain/audit/exported-lists.ts";
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
  const send = async (list: string, ...scopes: ("user.read" | "job.read")[]) =>
    (await as.service({ scopes }).post("/api/audit/list-exports", { list, rows: 0 })).status;
  for (const list of exportedLists) {
    expect(await send(list, "user.read"), list).toBe(list === "users" ? 200 : 403);
    expect(await send(list, "job.read"), list).toBe(list === "jobs" ? 200 : 403);
  }
  expect(await send("nothing", "user.read")).toBe(400);
});
