import { onTestFinished, expect, test } from "vitest";
import { listen } from "../../../db/listener.ts";
import { sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";
import { eventually } from "../../support/run/eventually.ts";
import { startTcpProxy } from "../../support/run/tcp-proxy.ts";

const database = useDatabase();

test("a connection that is open but receives nothing is replaced, and the new connection receives notifications", async () => {
  const { hostname, port } = new URL(database.url);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
  const url = Object.assign(new URL(database.url), { port: String(proxy.port), hostname: "127.0.0.1" }).href;
  const heard: string[] = [];
  let [connected, deaf] = [0, 0];
  const listener = listen({
    url,
    applicationName: "realmpass test",
    channels: { news: (payload) => heard.push(payload) },
    onConnected: () => (connected += 1),
    onError: () => undefined,
    onDeaf: () => (deaf += 1),
    hearing: { everyMs: 100, withinMs: 5_000 },
  });
  onTestFinished(() => listener.close());
  const notify = (text: string) =>
    eventually(async () => {
      await database.owner.query(sql`select pg_notify('news', ${text})`);
      expect(heard).toContain(text);
    });
  await listener.ready;
  await notify("one");
  expect([connected, deaf]).toEqual([1, 0]);

  proxy.silence();
  await eventually(() => {
    expect([deaf, listener.connected()]).toEqual([1, false]);
  });
  await proxy.restore();
  await notify("two");
  expect(listener.connected()).toBe(true);
});
