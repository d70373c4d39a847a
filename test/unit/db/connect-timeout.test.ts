import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../../../db/client.ts";
import { listen } from "../../../db/listener.ts";
import { migrateDatabase } from "../../../db/migrate.ts";
import { lookup, sql } from "../../../db/sql.ts";

/** A server that accepts connections but never answers. */
let silent: Server;
const sockets: Socket[] = [];
const url = () => `postgres://ada@127.0.0.1:${(silent.address() as AddressInfo).port}/wifi`;

beforeAll(async () => {
  silent = createServer((socket) => sockets.push(socket.on("error", () => undefined))).listen(0, "127.0.0.1");
  await once(silent, "listening");
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

afterEach(() => {
  vi.useRealTimers();
});

const applicationName = "realmpass test";

/** Uses of a database; each resolves once it has given up the connection. */
const uses: Record<string, (url: string) => Promise<void>> = {
  async query(target) {
    const db = openDatabase({ url: target, connectionsMax: 1, applicationName });
    await expect(db.query(sql`select 1`)).rejects.toThrow("the database is away");
    await db.close();
  },
  async "query of lookups"(target) {
    const db = openDatabase({ url: target, connectionsMax: 1, readers: 1, applicationName });
    await expect(db.query(lookup`select 1`)).rejects.toThrow("the database is away");
    await db.close();
  },
  async listener(target) {
    const names = { role: undefined, applicationName, channels: {} };
    await new Promise<unknown>((resolve) => {
      const listener = listen({
        ...names,
        url: target,
        onConnected: () => undefined,
        onDeaf: () => undefined,
        onError: () => {
          resolve(listener.close());
        },
      });
    });
  },
  async migration(target) {
    await expect(migrateDatabase(target, { also: () => Promise.resolve() })).rejects.toThrow();
  },
};

test.each(Object.keys(uses))("a %s gives up after the connect_timeout of its URL, and no earlier", async (use) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const connected = once(silent, "connection");
  let hasEnded = false;
  void uses[use]?.(`${url()}?connect_timeout=2`).then(() => (hasEnded = true));
  await connected;
  await vi.advanceTimersByTimeAsync(1_900);
  expect(hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(200);
  vi.useRealTimers();
  await vi.waitFor(() => {
    expect(hasEnded).toBe(true);
  });
});
