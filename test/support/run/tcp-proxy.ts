import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { atEnd } from "./at-end.ts";
import { freePort } from "./services.ts";

/** The network between two processes, which can fail. */
export interface TcpProxy {
  port: number;
  /** Ends every connection and accepts no new one, as when the other side has stopped. */
  cut(): Promise<void>;
  /** Keeps connections open and passes nothing, as when a cable is pulled. */
  silence(): void;
  /** Passes new connections from now on; ends the earlier ones. */
  restore(): Promise<void>;
}

/** Passes connections on to a target; closes by itself at the end of the test or file. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let silent = false;

  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (chunk) => {
        if (!silent) to.write(chunk);
      });
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  // The proxy reopens its port after a cut, so the system must not assign the port to others in between.
  const port = await freePort();
  const listen = async (): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen();

  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      for (const socket of sockets) socket.destroy();
    });
  atEnd(() => (server.listening ? cut() : undefined));

  return {
    port,
    cut,
    silence() {
      silent = true;
    },
    async restore() {
      silent = false;
      for (const socket of sockets) socket.destroy();
      if (!server.listening) await listen();
    },
  };
}
