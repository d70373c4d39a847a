import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { changeOf, type ChangeRequest } from "../../../../api/contract/idempotent-change.ts";
import { idempotencyScopeOf, type Principal } from "../../../../api/contract/principal.ts";
import type { Database } from "../../../../db/client.ts";
import { useDatabase } from "../../../support/run/database.ts";

const database = useDatabase();
let db: Database;
beforeAll(() => {
  db = database.open("realmpass_api");
});

const hour = 3_600_000;
const start = new Date("2027-03-01T00:00:00Z");

/** The callers: two services, and a person who uses two applications. */
const holder = { realmId: "1", scopes: new Set<never>(), expiresAt: new Date("2037-01-01") };
const serviceOf = (clientId: string): Principal => ({ kind: "service", clientId, ...holder });
const personOf = (userId: string, clientId: string): Principal => ({
  kind: "user",
  userId,
  clientId,
  roles: [],
  sessionId: null,
  certificateId: null,
  ...holder,
});

interface Sent {
  key?: string | undefined;
  by?: Principal;
  method?: string;
  target?: string;
  content?: string;
  at?: Date;
}

/** Sends changes that each return a different number, which shows which change was made. */
function sender() {
  const state = { made: 0 };
  const send = async (sent: Sent): Promise<number> => {
    const request: ChangeRequest = {
      idempotencyKey: sent.key,
      scope: idempotencyScopeOf(sent.by ?? serviceOf("client")),
      method: sent.method ?? "POST",
      target: sent.target ?? "/api/things?a=1",
      content: () => sent.content ?? '{"name":"thing"}',
    };
    return changeOf(
      { db, clock: { now: () => sent.at ?? start } },
      request,
    )(() => {
      state.made += 1;
      return Promise.resolve(state.made);
    });
  };
  return { state, send };
}

test("a repeat with the same key returns the first response and changes nothing", async () => {
  const { state, send } = sender();
  const key = randomUUID();
  expect([await send({ key }), await send({ key }), await send({ key })]).toEqual([1, 1, 1]);
  expect(state.made).toBe(1);
  expect([await send({ key: randomUUID() }), await send({}), await send({})]).toEqual([2, 3, 4]);
});

test("a key that is reused with another body, path, query or method is refused, and nothing changes", async () => {
  const { state, send } = sender();
  const key = randomUUID();
  await send({ key });
  for (const other of [
    { content: '{"name":"another"}' },
    { content: "" },
    { target: "/api/others?a=1" },
    { target: "/api/things?a=2" },
    { method: "PUT" },
  ]) {
    await expect(send({ key, ...other }), JSON.stringify(other)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  }
  expect(state.made).toBe(1);
  expect(await send({ key })).toBe(1);
});

test("the same key from two callers counts as two keys", async () => {
  const { send } = sender();
  const key = randomUUID();
  const callers = [serviceOf("a"), serviceOf("b"), personOf("1", "a"), personOf("1", "b"), personOf("2", "a")];
  const first = [];
  for (const by of callers) first.push(await send({ key, by }));
  expect(first).toEqual([1, 2, 3, 4, 5]);
  const again = [];
  for (const by of callers) again.push(await send({ key, by }));
  expect(again).toEqual(first);
});

test("a key is remembered for a day and then free again", async () => {
  const { send } = sender();
  const key = randomUUID();
  const after = (ms: number): Date => new Date(start.getTime() + ms);
  expect(await send({ key })).toBe(1);
  expect(await send({ key, at: after(24 * hour) })).toBe(1);
  expect(await send({ key, at: after(24 * hour + 1) })).toBe(2);
  expect(await send({ key, at: after(30 * hour) })).toBe(2);
});
