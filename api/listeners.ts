import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { closeWhenIdle, listenOn } from "../runtime/http-listener.ts";
import { closingUnlessRead } from "../runtime/leftover.ts";
import type { TlsListenerOptions } from "./http/client-certificate/config.ts";

/** What a client may have of connections, in milliseconds: one that sends slowly, or nothing, holds none for longer. */
export interface ConnectionLimits {
  keepAliveTimeout: number;
  headersTimeout: number;
  /** How often the others are looked at. */
  connectionsCheckingInterval: number;
  /** For a whole request, that is for uploads. */
  requestTimeout: number;
  /** Of each listener; what is beyond it is closed at once. */
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
  /** Omitted: those that are right for strangers. */
  connections?: Partial<ConnectionLimits> | undefined;
}

/** Where an api listens. */
export interface Listeners {
  port: number;
  tlsPort: number | undefined;
  /** From now on requests are answered by this one. */
  answerWith(listener: RequestListener): void;
  /** Takes no more connections; resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Listens; requests are answered once {@link Listeners.answerWith} has said by what. */
export async function openListeners({ tls, connections, ...address }: ListenersOptions): Promise<Listeners> {
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
      await Promise.all(servers.map(closeWhenIdle));
    },
  };
}

/**
 * A listener that asks for a client certificate and lets anybody in, with one or without: TLS shows that the client has
 * the key, and which certificates count is decided where it matters.
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
