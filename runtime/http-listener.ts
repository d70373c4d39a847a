import type { Server, ServerResponse } from "node:http";
import { Server as SocketServer, type AddressInfo } from "node:net";
import { setImmediate as endOfTurn, setTimeout as pause } from "node:timers/promises";
import { Unstartable } from "./config/unstartable.ts";

/** A server's address; port 0 means any free port. */
export interface ListenAddress {
  host: string;
  port: number;
}

/**
 * Listens on the address. Resolves with the port once the server listens, and rejects if it cannot, for example because
 * the port is taken.
 */
export const listenOn = (server: Server, { host, port }: ListenAddress): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * Listens like {@link listenOn}, on a port that a variable sets. Throws {@link Unstartable} if another process has the
 * port, because a restart does not help.
 */
export async function listenOnSet(server: Server, address: ListenAddress, variable: string): Promise<number> {
  try {
    return await listenOn(server, address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Unstartable(`${variable}: another process has port ${address.port}`);
  }
}

/**
 * Listens like {@link listenOnSet}, but uses any free port if the requested port is taken and is the `usual` port,
 * which no operator has chosen.
 */
export async function listenOnAnyway(
  server: Server,
  address: ListenAddress,
  { usual, variable }: { usual: number; variable: string },
): Promise<{ port: number; wasTaken: boolean }> {
  try {
    return { port: await listenOnSet(server, address, variable), wasTaken: false };
  } catch (error) {
    if (!(error instanceof Unstartable) || address.port !== usual) throw error;
    return { port: await listenOn(server, { ...address, port: 0 }), wasTaken: true };
  }
}

/**
 * How long a stopping process leaves a proxy's connections open, in milliseconds, so the process still answers a
 * request that the proxy is sending. On a closed connection the proxy would respond 502 to every request except a read.
 */
export const farewellMs = 300;

const sweepMs = 25;
const shortTurnMs = 1;
const turnsMax = 100;

/**
 * Stops accepting connections, so a proxy sends its requests elsewhere; from now on each answer ends its connection.
 * After `farewell` milliseconds, or earlier if no connection is open, also ends idle connections. Resolves when no
 * connection is open.
 */
export async function closeWhenIdle(
  server: Server,
  { farewell = 0 }: { farewell?: number | undefined } = {},
): Promise<void> {
  server.prependListener("request", (_, response: ServerResponse) => response.setHeader("Connection", "close"));
  await endOfShortTurn();
  // The `close` method of HTTP servers would also close idle connections now.
  SocketServer.prototype.close.call(server);
  for (let left = farewell; left > 0 && (await countConnections(server)) > 0; left -= sweepMs) await pause(sweepMs);
  while ((await countConnections(server)) > 0) {
    await endOfShortTurn();
    server.closeIdleConnections();
    await pause(sweepMs);
  }
}

/**
 * Waits for the end of a short turn of the event loop: by then the server has accepted all connections and read all
 * requests that have arrived. Closing would reset the rest, and a proxy responds 502 to reset requests.
 */
async function endOfShortTurn(): Promise<void> {
  await endOfTurn();
  for (let turn = 0; turn < turnsMax; turn++) {
    const began = performance.now();
    await endOfTurn();
    if (performance.now() - began < shortTurnMs) return;
  }
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
