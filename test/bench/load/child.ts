/** The load generator: a process of its own, so that its work is not taken for the service's. Takes one order and ends. */
import { openConnection } from "./connection.ts";
import type { LoadMessage, LoadOrder, LoadReport } from "./order.ts";

const answer = (message: LoadMessage): void => {
  process.send?.(message, () => {
    process.disconnect();
  });
};

process.once("message", (order: LoadOrder) => {
  // Whatever hangs, this process does not outlive its order.
  setTimeout(() => process.exit(1), (order.secondsMax + 5) * 1000).unref();
  generate(order).then(
    (report) => {
      answer({ report });
    },
    (error: unknown) => {
      answer({ failure: error instanceof Error ? error.message : String(error) });
    },
  );
});

async function generate(order: LoadOrder): Promise<LoadReport> {
  const requests = order.paths.map((path) => encode(path, order));
  const connections = await Promise.all(Array.from({ length: order.concurrency }, () => openConnection(order.port)));
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const giveUpAt = startedAt + order.secondsMax * 1000;

  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (let index = next++; index < order.count; index = next++) {
          const askedAt = performance.now();
          if (askedAt > giveUpAt) throw new Error(`not done within ${order.secondsMax} s`);
          const { status, body } = await connection.ask(requests[index % requests.length] ?? Buffer.alloc(0));
          latencies.push(performance.now() - askedAt);
          check(status, body, order);
        }
      }),
    );
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage();
    return { answers: latencies.length, seconds, latencies: latencies.sort((a, b) => a - b), cpuUs: user + system };
  } finally {
    for (const connection of connections) connection.close();
  }
}

function encode(path: string, { port, token, method, body, form }: LoadOrder): Buffer {
  const text =
    form !== undefined ? new URLSearchParams(form).toString() : body === undefined ? "" : JSON.stringify(body);
  const type = form === undefined ? "application/json" : "application/x-www-form-urlencoded";
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    ...(text === "" ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`);
}

function check(status: number, body: string, { method, contains }: LoadOrder): void {
  if (status !== 200 || !body.includes(contains)) {
    throw new Error(`${method} was answered ${status}: ${body.slice(0, 300)}`);
  }
}
