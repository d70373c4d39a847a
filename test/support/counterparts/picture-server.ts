import { generateKeyPairSync } from "node:crypto";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { beforeAll } from "vitest";
import { atEndOfFile } from "../run/at-end.ts";
import { openssl } from "../pki/openssl.ts";

/** A third party's web server, over TLS. */
export interface PictureServer {
  /** With its IP address. */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that issued its certificate. */
  readonly authorities: string;
  /** The requests it has had since the list was last emptied. */
  readonly asked: { path: string; headers: IncomingHttpHeaders }[];
  /** Returns the number of connections opened to it since it started. */
  connections(): number;
  /** Serves a path with this listener from now on. */
  on(path: string, listener: RequestListener): void;
  /** Serves a picture at a path from now on. */
  show(path: string, type: string, bytes: string | Buffer): void;
  /** Closes the server's port, so connections are refused. */
  stop(): Promise<void>;
}

/** Starts a server for the tests of this file, at an address of this machine. */
export function usePictureServer(host = "127.0.0.1"): PictureServer {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
  const names = `subjectAltName=DNS:localhost,IP:${host}`;
  const request = ["req", "-x509", "-key", "key.pem", "-subj", "/CN=pictures", "-addext", names];
  const authorities = openssl(request, { "key.pem": key }).stdout;
  const listeners = new Map<string, RequestListener>();
  const asked: PictureServer["asked"] = [];
  let connections = 0;

  const server: Server = createServer({ key, cert: authorities }, (incoming, outgoing) => {
    const path = incoming.url ?? "";
    asked.push({ path, headers: incoming.headers });
    const listener = listeners.get(path);
    if (listener === undefined) outgoing.writeHead(404).end();
    else listener(incoming, outgoing);
  });
  server.on("connection", () => (connections += 1));

  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    atEndOfFile(stop);
  });

  const port = (): number => (server.address() as AddressInfo).port;
  return {
    get url() {
      return `https://${host}:${port()}`;
    },
    get port() {
      return port();
    },
    authorities,
    asked,
    connections: () => connections,
    on: (path, listener) => listeners.set(path, listener),
    show(path, type, bytes) {
      listeners.set(path, (_, outgoing) => outgoing.writeHead(200, { "content-type": type }).end(bytes));
    },
    stop,
  };
}

/** A red dot. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

/** Returns a drawing, with any further markup. */
export const svg = (more = ""): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40"><rect width="120" height="40" rx="6" fill="#1f6f54"/>${more}</svg>`;
