import { expect, test } from "vitest";
import { judgeSettings } from "../../../../operator/doctor/database.ts";
import { judgeSpace } from "../../../../operator/doctor/machine.ts";

const gibibyte = 1024 ** 3;

test.each([
  [{ free: 100 * gibibyte, total: 900 * gibibyte }, "ok"],
  [{ free: 89 * gibibyte, total: 900 * gibibyte }, "warn"],
  [{ free: 0.9 * gibibyte, total: 2 * gibibyte }, "warn"],
  [{ free: 0.2 * gibibyte, total: 2 * gibibyte }, "fail"],
])("with %o the space is judged: %s", (space, status) => {
  expect(judgeSpace("/data", space).status).toBe(status);
});

test.each([
  [{}, "ok"],
  [{ fullPageWrites: "off" }, "fail"],
  [{ fsync: "off" }, "fail"],
  [{ synchronousCommit: "off" }, "warn"],
  [{ synchronousCommit: "local" }, "ok"],
])("Postgres with %o keeps what it has confirmed: %s", (other, status) => {
  const settings = { fsync: "on", fullPageWrites: "on", synchronousCommit: "on", ...other };
  expect(judgeSettings(settings).status).toBe(status);
});
