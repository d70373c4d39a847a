import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { closeWhenIdle, listenOn } from "../runtime/http-listener.ts";
import { closingUnlessRead } from "../runtime/leftover.ts";
import type { TlsListenerOptions } from "./http/client-certificate/config.ts";

/**
 * Limits of clients' connections; times in milliseconds. They end connections of clients that send slowly or nothing.
 */
export interface ConnectionLimits {
  keepAliveTimeout: number;
  headersTimeout: number;
  /** How often `headersTimeout` and `requestTimeout` are checked. */
  connectionsCheckingInterval: number;
  /** For a whole request; long enough for uploads. */
  requestTimeout: number;
  /** Per listener; further connections are closed immediately. */
  maxConnections: number;
}

const connectionLimits: ConnectionLimits = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 300_000,
  maxConnections: 10_000,
};

export interface ListenersOptions {
  host: string;
  port: number;
  /** A second listener, which asks for client certificates. */
  tls?: TlsListenerOptions | undefined;
  /** How long idle connections outlive a stop, in milliseconds (see `closeWhenIdle`). Default: 0. */
  farewell?: number | undefined;
  /** Default for each limit: the limit for untrusted clients. */
  connections?: Partial<ConnectionLimits> | undefined;
}

/** Where an api listens. */
export interface Listeners {
  port: number;
  tlsPort: number | undefined;
  /** From now on, passes requests to `listener`. */
  answerWith(listener: RequestListener): void;
  /** Accepts no more connections; resolves when the last request is done. */
  close(): Promise<void>;
}

/** Opens the listeners. Requests are answered only after {@link Listeners.answerWith}. */
export async function openListeners({ tls, connections, farewell, ...address }: ListenersOptions): Promise<Listeners> {
  const limits = { ...connectionLimits, ...connections };
  const server = createServer(limits);
  const tlsServer = tls && createTlsListener(tls, limits);
  const servers = [server, ...(tlsServer === undefined ? [] : [tlsServer])];
  for (const each of servers) each.maxConnections = limits.maxConnections;
  const port = await listenOn(server, address);
  const tlsPort = tls && tlsServer && (await listenOn(tlsServer, { ...address, port: tls.port }));
  return {
    port,
    tlsPort,
    answerWith(listener) {
      for (const each of servers) each.removeAllListeners("request").on("request", closingUnlessRead(listener));
    },
    async close() {
      await Promise.all(servers.map((each) => closeWhenIdle(each, { farewell })));
    },
  };
}

/**
 * Creates a listener that requests a client certificate and accepts every client, with one or without: TLS proves that
 * the client holds the key, and each route decides which certificates count.
 */
const createTlsListener = ({ certificate, key }: TlsListenerOptions, limits: ConnectionLimits): Server =>
  createTlsServer({
    ...limits,
    cert: certificate,
    key,
    minVersion: "TLSv1.2",
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: 10_000,
  });
