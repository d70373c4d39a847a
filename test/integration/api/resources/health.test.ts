import { expect, test } from "vitest";
import { givenProcess } from "../../../support/given/process.ts";
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

  await givenProcess(api.database.owner, { kind: "worker" });

  const check = { ok: true, ms: expect.any(Number) };
  expect(await as.nobody().get("/readyz")).toMatchObject({
    status: 200,
    body: { data: { database: check, queue: check, worker: check } },
  });
});
