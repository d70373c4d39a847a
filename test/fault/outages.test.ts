import { expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { eventually } from "../support/run/eventually.ts";
import { givenUser } from "../support/given/issuing.ts";
import { startBreakableRedis } from "../support/service/fault-services.ts";
import { startService } from "../support/service/service.ts";
import { startTcpProxy } from "../support/run/tcp-proxy.ts";
import { describeWithTool } from "../support/run/tools.ts";

const creation = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };

/** Starts the service with a network that can fail between it and its database. */
async function startBehindProxy() {
  const target = new URL(process.env["TEST_DATABASE_URL"]!);
  const proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) });
  const service = await startService({
    kind: "postgres",
    databaseUrl(clone) {
      const url = new URL(clone);
      url.port = String(proxy.port);
      return url.href;
    },
  });
  return { proxy, service };
}

test("while the database is away every call returns 503 with Retry-After; once the database is back, calls succeed again", async () => {
  const { proxy, service } = await startBehindProxy();
  const userId = await givenUser(service.owner, service.realmId);
  const create = () => service.call("POST", `/api/user/${userId}/profiles/laptop`, creation);
  expect(await create()).toMatchObject({ status: 200 });

  await proxy.cut();
  for (const answer of await Promise.all([
    create(),
    service.call("GET", "/api/user"),
    service.call("GET", "/api/realm"),
  ])) {
    expect(answer).toMatchObject({ status: 503, body: { result: "error", code: 503, error: "unavailable" } });
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  }
  expect(await service.call("GET", "/healthz")).toMatchObject({ status: 200 });
  expect(await service.call("GET", "/readyz")).toMatchObject({ status: 503 });

  await proxy.restore();
  await eventually(async () => {
    expect(await service.call("GET", "/readyz")).toMatchObject({ status: 200 });
  });
  expect(await create()).toMatchObject({ status: 200 });
});

test("a database that goes silent with open connections does not block callers indefinitely", async () => {
  const { proxy, service } = await startBehindProxy();
  expect(await service.call("GET", "/api/realm")).toMatchObject({ status: 200 });

  proxy.silence();
  expect(await service.call("GET", "/api/realm")).toMatchObject({ status: 503 });

  await proxy.restore();
  await eventually(async () => {
    expect(await service.call("GET", "/api/realm")).toMatchObject({ status: 200 });
  });
});

describeWithTool("redis-server", "without Redis", () => {
  test("the api stays ready, profiles are accepted and issued, and the service's status contains a warning", async () => {
    const redis = await startBreakableRedis();
    const service = await startService({ kind: "redis", redisUrl: redis.url, responder: true });
    const userId = await givenUser(service.owner, service.realmId);
    const create = (wait: string) =>
      service.call("POST", `/api/user/${userId}/profiles/laptop`, creation, { prefer: wait });
    expect(await create("wait=20")).toMatchObject({ status: 200 });

    await redis.stop();
    const accepted = await create("respond-async");
    expect(accepted).toMatchObject({ status: 202, body: { data: { state: "queued" } } });
    await eventually(async () => {
      const { status, body } = await service.call("GET", "/status");
      expect(status).toBe(200);
      const { state, checks } = body.data as { state: string; checks: { name: string; state: string }[] };
      expect(state).toBe("degraded");
      expect(checks).toContainEqual(expect.objectContaining({ name: "queue", state: "warn" }));
    });
    expect(await service.call("GET", "/readyz")).toMatchObject({ status: 200 });

    const location = String(accepted.headers["location"]);
    await eventually(
      async () => {
        expect(await service.call("GET", new URL(location, "http://x").pathname)).toMatchObject({
          body: { data: { state: "issued" } },
        });
      },
      { everyMs: 500 },
    );
    const rows = await service.owner.query(sql`select status from issuances where status <> 'issued'`);
    expect(rows).toEqual([]);
  });
});
