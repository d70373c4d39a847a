import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** Bounds on receiving the rest of an unread request. */
interface Bounds {
  bytesMax: number;
  msMax: number;
}

/**
 * Bounds after an answer: a client whose connection is cut while the client is still sending never reads the answer.
 */
const afterAnswer: Bounds = { bytesMax: 32 * 1024 * 1024, msMax: 5_000 };

/**
 * Bounds before an answer: the service reads a small or fast body so it can keep the connection; a slow client still
 * gets its answer.
 */
const beforeAnswer: Bounds = { bytesMax: 8 * 1024 * 1024, msMax: 500 };

/**
 * Receives and discards the rest of a request. Resolves at the end of the request, at a bound, or when the client is
 * gone.
 */
export function takeLeftover(request: IncomingMessage, { bytesMax, msMax }: Bounds = beforeAnswer): Promise<void> {
  const { socket } = request;
  if (request.complete || socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let length = 0;
    const count = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > bytesMax) done();
    };
    const done = (): void => {
      clearTimeout(timer);
      request.off("data", count).off("end", done);
      socket.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, msMax);
    // A reader that stopped halfway would block the rest of the request.
    request.removeAllListeners("readable");
    request.on("data", count).once("end", done).on("error", done).resume();
    socket.once("close", done);
  });
}

/** Returns whether a request has a body (RFC 9112 section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/**
 * Wraps a listener to keep a connection only if its request was read. On a connection with an unread body the next
 * request would wait behind that body; behind a proxy, the next request may be another client's. The wrapper closes the
 * connection as RFC 9112 section 9.6 describes: first our side, then, after some of the remaining data, the client's.
 */
export const closingUnlessRead =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    // Ignores further requests on a connection that we have ended.
    if (request.socket.writableEnded) return;
    if (hasBody(request)) closeUnlessRead(request, response);
    listener(request, response);
  };

function closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = (...given: unknown[]) => {
    if (!request.complete) {
      response.shouldKeepAlive = false;
      // Node calls this after the last answer of a connection; it would reset the connection under unread bytes.
      socket.destroySoon = () => {
        socket.end();
        void takeLeftover(request, afterAnswer).then(() => socket.destroy());
      };
    }
    return writeHead(...given);
  };
}
