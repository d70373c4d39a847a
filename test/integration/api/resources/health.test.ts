import { expect, test } from "vitest";
import * as workers from "../../../../db/queries/upkeep/workers.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { useApi } from "../../../support/service/api.ts";

const api = useApi();
const { as } = api;

test("alive without a token", async () => {
  expect(await as.nobody().get("/healthz")).toMatchObject({
    status: 200,
    body: { result: "ok", data: { status: "live" } },
  });
});

test("ready only with a worker, and the answer says what is missing", async () => {
  const without = await as.nobody().get("/readyz");
  expect(without).toBeError("unavailable");
  expect(without.headers["retry-after"]).toBe("1");
  expect(without.body.error_description).toBe("Away: worker.");
  expect(without.body.fields).toMatchObject([{ path: "worker" }]);

  await workers.heartbeat(api.database.owner, {
    workerId: "7b0d4a52-6d0f-4a52-8f6e-5b9f2ac63c11",
    at: systemClock.now(),
  });

  const check = { ok: true, ms: expect.any(Number) };
  expect(await as.nobody().get("/readyz")).toMatchObject({
    status: 200,
    body: { data: { database: check, queue: check, worker: check } },
  });
});
