import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";

/** How much is taken of a request that nobody reads. */
interface Bounds {
  bytesMax: number;
  msMax: number;
}

/** After an answer: a client that is cut off while it sends does not get to read it. */
const afterAnswer: Bounds = { bytesMax: 32 * 1024 * 1024, msMax: 5_000 };

/** Before an answer: what comes by itself is read, so that the connection stays good, and who sends slowly is answered. */
const beforeAnswer: Bounds = { bytesMax: 8 * 1024 * 1024, msMax: 500 };

/** Takes and throws away what a client is still sending: resolves when that is all, or enough, or the client is gone. */
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
    // A reader that stopped in the middle would keep the rest from flowing.
    request.removeAllListeners("readable");
    request.on("data", count).once("end", done).on("error", done).resume();
    socket.once("close", done);
  });
}

/** Whether a request has a body (RFC 9112 section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/**
 * The same listener, whose answers keep a connection only when their requests were read. On one with an unread body the
 * next request would wait behind it, which behind a proxy is somebody else's. Such a connection is ended as RFC 9112
 * section 9.6 has it: first our side, then, after some of what still comes, the other.
 */
export const closingUnlessRead =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    // What follows on a connection that we have ended is not looked at.
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
      // What Node calls after the last answer of a connection; it would reset the connection under unread bytes.
      socket.destroySoon = () => {
        socket.end();
        void takeLeftover(request, afterAnswer).then(() => socket.destroy());
      };
    }
    return writeHead(...given);
  };
}
