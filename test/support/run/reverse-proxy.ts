import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { atEnd } from "./at-end.ts";

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
}

/** How a request is handled: passed on, answered by the proxy itself, or passed on and its response dropped. */
export type ProxyOutcome = "pass" | "lose-answer" | { status: number; headers?: Record<string, string>; body?: string };

export interface ReverseProxy {
  url: string;
  seen: SeenRequest[];
  /** Decides about each request from now on, and empties `seen`. */
  decide(outcome: (request: SeenRequest) => ProxyOutcome): void;
}

/** A certificate and its key, as PEM. */
export interface ServerCertificate {
  cert: string;
  key: string;
}

/** Starts a gateway in front of the service, which sees every request and can respond instead of the service. */
export async function startReverseProxy(target: () => string): Promise<ReverseProxy> {
  return listening(createServer(), "http", target);
}

/** Starts a gateway as {@link startReverseProxy} does, over https. */
export async function startTlsProxy(
  target: () => string,
  certificate: ServerCertificate,
): Promise<ReverseProxy & { present(certificate: ServerCertificate): void }> {
  const server = createTlsServer(certificate);
  return {
    ...(await listening(server, "https", target)),
    present(other) {
      server.setSecureContext(other);
    },
  };
}

async function listening(server: Server, scheme: "http" | "https", target: () => string): Promise<ReverseProxy> {
  let outcomeOf: (request: SeenRequest) => ProxyOutcome = () => "pass";
  const seen: SeenRequest[] = [];
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const here = { method: request.method ?? "", path: request.url ?? "", headers: request.headers };
    seen.push(here);
    const outcome = outcomeOf(here);
    if (typeof outcome === "object") {
      request.resume();
      request.once("end", () => response.writeHead(outcome.status, outcome.headers).end(outcome.body));
    } else {
      forward(target(), request, response, outcome);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    decide(outcome) {
      seen.length = 0;
      outcomeOf = outcome;
    },
  };
}

function forward(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  outcome: "pass" | "lose-answer",
): void {
  const { hostname, port } = new URL(target);
  const onward = httpRequest(
    { hostname, port, method: request.method, path: request.url, headers: request.headers, agent: false },
    (answer) => {
      if (outcome === "lose-answer") {
        answer.resume();
        answer.once("end", () => request.socket.destroy());
        return;
      }
      // How long the service keeps its connection does not concern the client, which is connected to the proxy.
      const { connection: _, "keep-alive": __, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(response);
    },
  );
  onward.once("error", () => request.socket.destroy());
  response.once("close", () => onward.destroy());
  request.pipe(onward);
}
