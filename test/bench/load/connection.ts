import { connect, type Socket } from "node:net";

/**
 * A connection that sends one request after another. Far cheaper than `node:http`, and fit only for the service's own
 * responses.
 */
export interface Connection {
  /** Sends a request unchanged and resolves with its response. */
  ask(request: Buffer): Promise<Answer>;
  /** Returns whether either side has ended the connection. */
  hasEnded(): boolean;
  close(): void;
}

export interface Answer {
  status: number;
  /** Status line and headers. */
  head: string;
  body: string;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Opens a keep-alive connection to loopback. Every response of the service has a Content-Length. */
export async function openConnection(port: number): Promise<Connection> {
  const socket = await connected(port);
  let received: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<Answer> | undefined;
  let closed: Error | undefined;

  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = readAnswer(received);
    if (answer === undefined) return;
    received = received.subarray(answer.length);
    waiting?.resolve(answer);
    waiting = undefined;
  });
  const onEnd = (error?: Error): void => {
    closed ??= error ?? new Error("the service closed a connection");
    waiting?.reject(closed);
    waiting = undefined;
  };
  socket.on("error", onEnd);
  socket.on("close", () => {
    onEnd();
  });

  return {
    ask(request) {
      if (closed !== undefined) return Promise.reject(closed);
      waiting = withResolvers();
      socket.write(request);
      return waiting.promise;
    },
    hasEnded: () => closed !== undefined,
    close() {
      socket.destroy();
    },
  };
}

interface PromiseWithResolvers<Value> {
  promise: Promise<Value>;
  resolve: (value: Value) => void;
  reject: (error: unknown) => void;
}

function withResolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<Value>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

/** Returns the response at the beginning of the bytes; undefined while it is incomplete. */
function readAnswer(bytes: Buffer): (Answer & { length: number }) | undefined {
  const end = bytes.indexOf(headEnd);
  if (end === -1) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const contentLength = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  // Node's own error responses, such as 408, have no Content-Length: everything received is the body.
  const length = contentLength === undefined ? bytes.length : end + headEnd.length + Number(contentLength);
  if (bytes.length < length) return undefined;
  return {
    status: Number(head.slice(9, 12)),
    head,
    body: bytes.toString("utf8", end + headEnd.length, length),
    length,
  };
}

const addresses = 200;
let connections = 0;

/**
 * Connects from a different address of this machine each time, because rate limits of public endpoints apply to each
 * address.
 */
const connected = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const localAddress = `127.0.0.${2 + (connections++ % addresses)}`;
    const socket = connect({ host: "127.0.0.1", port, localAddress, noDelay: true }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
