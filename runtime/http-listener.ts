import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Unstartable } from "./config/unstartable.ts";

/** A server's address; port 0 is any free one. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** Resolves with the port once the server listens, and rejects if it cannot, for example because the port is taken. */
export const listenOn = (server: Server, { host, port }: ListenAddress): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** The same for a port that a variable sets: while another process has it, a restart does not help. */
export async function listenOnSet(server: Server, address: ListenAddress, variable: string): Promise<number> {
  try {
    return await listenOn(server, address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Unstartable(`${variable}: another process has port ${address.port}`);
  }
}

/** The same, but on any free port if the requested one is taken and is the `usual` one, which no operator has chosen. */
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
 * How long a stopping process leaves a proxy's connections open, in milliseconds: a request that the proxy is just
 * sending is answered. If it met a closed connection, the proxy would respond 502 to anything but a read.
 */
export const farewellMs = 300;

const sweepMs = 25;

/**
 * Ends each connection with its next answer, for `farewell` milliseconds or until none is left. Then accepts no more
 * connections, and closes each one as soon as it is idle.
 */
export async function closeWhenIdle(
  server: Server,
  { farewell = 0 }: { farewell?: number | undefined } = {},
): Promise<void> {
  server.prependListener("request", (_, response: ServerResponse) => response.setHeader("Connection", "close"));
  for (let left = farewell; left > 0 && (await countConnections(server)) > 0; left -= sweepMs) await pause(sweepMs);
  await new Promise<void>((resolve) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, sweepMs);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
