import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { eventually } from "../../../../support/run/eventually.ts";
import { startTcpProxy, type TcpProxy } from "../../../../support/run/tcp-proxy.ts";
import { useApi } from "../../../../support/service/api.ts";

const registry = new Registry();
let network: TcpProxy;
const api = useApi({
  registry,
  async databaseUrl(own) {
    const url = new URL(own);
    network = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${network.port}`;
    return url.href;
  },
});

test("if the database goes away, waiting clients get 503 with Retry-After, and can later continue from the same time", async () => {
  const { realmId, given } = api;
  const { clientId } = await given.application({ realmId, scopes: ["radius.read"] });
  const reader = api.as.token(await given.token({ realmId, clientId }, { scopes: ["radius.read"] }));
  const before = await reader.get("/api/radius/revoked");
  const since = String(before.headers["x-until"]);
  const answer = reader.get(`/api/radius/revoked?since=${since}&wait=3`);
  await eventually(async () => {
    const metric = await registry.getSingleMetric("realmpass_revoked_feed_waiting")?.get();
    expect(metric?.values[0]?.value).toBe(1);
  });
  await network.cut();

  const failed = await answer;
  expect(failed).toBeError("unavailable");
  expect(Number(failed.headers["retry-after"])).toBeGreaterThan(0);
  expect(await reader.get(`/api/radius/revoked?since=${since}`)).toBeError("unavailable");

  await network.restore();
  await eventually(async () => {
    expect(await reader.get(`/api/radius/revoked?since=${since}`)).toMatchObject({ status: 200 });
  });
});
