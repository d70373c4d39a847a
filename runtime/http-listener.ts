import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Where a server listens; port 0 is any free one. */
export interface ListenAddress {
  host: string;
  port: number;
}

/** Resolves with the port once the server listens, and rejects when it cannot, as when the port is taken. */
export const listenOn = (server: Server, { host, port }: ListenAddress): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** The same on any free port when the one wanted is taken. */
export async function listenOnAnyway(
  server: Server,
  address: ListenAddress,
): Promise<{ port: number; wasTaken: boolean }> {
  try {
    return { port: await listenOn(server, address), wasTaken: false };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return { port: await listenOn(server, { ...address, port: 0 }), wasTaken: true };
  }
}

const sweepMs = 25;

/** Takes no more connections, and lets go of each one as soon as it has nothing under way. */
export const closeWhenIdle = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, sweepMs);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
