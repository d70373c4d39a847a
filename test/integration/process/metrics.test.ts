import { expect, test } from "vitest";
import { createRegistry, serveMetrics } from "../../../process/metrics.ts";
import { silentLog } from "../../support/service/worker.ts";

const readiness = () => Promise.resolve({ databaseMs: 0, lacks: [] });
const serve = (port: number, more: { usual?: number } = {}) =>
  serveMetrics({ registry: createRegistry(), readiness, host: "127.0.0.1", port, log: silentLog, ...more });

test("metrics are the only content served, in the Prometheus text format", async () => {
  const server = await serve(0);
  const metrics = await fetch(`http://127.0.0.1:${server.port}/metrics`);
  expect(metrics.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(await metrics.text()).toContain("realmpass_process_cpu_seconds_total");
  expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404);
  await server.close();
});

test("a process whose usual port is in use takes another port", async () => {
  const first = await serve(0);
  const second = await serve(first.port, { usual: first.port });
  expect(second.port).not.toBe(first.port);
  expect((await fetch(`http://127.0.0.1:${second.port}/metrics`)).status).toBe(200);
  await Promise.all([first.close(), second.close()]);
});
