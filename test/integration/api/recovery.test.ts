import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useApi } from "../../support/service/api.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { startTcpProxy, type TcpProxy } from "../../support/run/tcp-proxy.ts";

const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };

describe("while the database is away", () => {
  let proxy: TcpProxy;
  const api = useApi({
    databaseUrl: async (own) => {
      const url = new URL(own);
      proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
      url.hostname = "127.0.0.1";
      url.port = String(proxy.port);
      return url.href;
    },
  });
  const { as, given } = api;
  beforeAll(() => api.startWorker());

  test("requests get 503, and afterwards reads and new profiles succeed again without a restart", async () => {
    const { realmId } = await givenIssuingRealm(api.database.owner);
    const service = as.service({ realmId });
    const user = await given.user({ realmId });
    const create = () => service.post(`/api/user/${user.id}/profiles/laptop`, linux);
    expect(await create()).toMatchObject({ status: 200 });

    await proxy.cut();
    expect(await service.get("/api/realm")).toBeError("unavailable");
    expect(await create()).toBeError("unavailable");

    await proxy.restore();
    await eventually(async () => {
      expect(await service.get("/api/realm")).toMatchObject({ status: 200 });
    });
    expect(await create()).toMatchObject({ status: 200 });
  });

  test("no accepted request is lost: a waiting client gets the profile, or the address to poll", async () => {
    const { realmId } = await givenIssuingRealm(api.database.owner);
    const service = as.service({ realmId });
    const user = await given.user({ realmId });
    const key = { "idempotency-key": "through-the-outage" };
    const waiting = service.post(`/api/user/${user.id}/profiles/laptop`, linux, {
      headers: { ...key, prefer: "wait=2" },
    });
    await eventually(async () => {
      expect(await api.database.owner.query(sql`select 1 from issuances where user_id = ${user.id}`)).toHaveLength(1);
    });
    await proxy.cut();
    const answer = await waiting;
    await proxy.restore();

    expect([200, 202]).toContain(answer.status);
    const repeated = await eventually(async () => {
      const again = await service.post(`/api/user/${user.id}/profiles/laptop`, linux, { headers: key });
      expect(again.status).toBe(200);
      return again;
    });
    expect(repeated.body.data.owner).toBe(user.id);
    expect(await api.database.owner.query(sql`select 1 from issuances where user_id = ${user.id}`)).toHaveLength(1);
  });
});

describe("while the queue is away", () => {
  const api = useApi({ backend: { kind: "redis", url: "redis://127.0.0.1:1" } });
  const { as, given } = api;

  test("no request is lost: the row waits for the sweep, and the client gets the address to poll", async () => {
    const user = await given.user({ realmId: api.realmId });
    const answer = await as
      .service()
      .post(`/api/user/${user.id}/profiles/laptop`, linux, { headers: { prefer: "wait=1" } });

    expect(answer).toMatchObject({
      status: 202,
      headers: { location: `/api/issuances/${answer.body.data.id}` },
      body: { data: { state: "queued" } },
    });
    expect(await api.database.owner.query(sql`select status from issuances where id = ${answer.body.data.id}`)).toEqual(
      [{ status: "queued" }],
    );
    expect(await as.nobody().get("/readyz")).toMatchObject({ status: 200 });
  });
});
