/** The load generator: a process of its own, so that its work is not taken for the service's. Takes one order and ends; any word after that ends it early. */
import { setTimeout as delay } from "node:timers/promises";
import { openConnection } from "./connection.ts";
import type { LoadMessage, LoadOrder, LoadReport } from "./order.ts";

const answer = (message: LoadMessage): void => {
  process.send?.(message, () => {
    process.disconnect();
  });
};

/** What is due later is not asked any more; what was due before is, however late. */
let endsAt = Number.POSITIVE_INFINITY;

process.once("message", (order: LoadOrder) => {
  process.once("message", () => (endsAt = performance.now()));
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
  const requests = encodeAll(order);
  const lanes = Array.from({ length: order.concurrency }, (_, lane) => lane);
  const connections = order.reconnect === true ? [] : await Promise.all(lanes.map(() => openConnection(order.port)));
  const latencies: number[] = [];
  let next = 0;
  const startedAt = performance.now();
  const countedFrom = startedAt + (order.warmUpSeconds ?? 0) * 1000;
  setTimeout(() => process.send?.({ begun: true } satisfies LoadMessage), countedFrom - startedAt).unref();
  const giveUpAt = startedAt + order.secondsMax * 1000;

  try {
    await Promise.all(
      lanes.map(async (lane) => {
        for (let index = next++; index < order.count; index = next++) {
          const dueAt = order.rate === undefined ? 0 : startedAt + (index * 1_000) / order.rate;
          if (dueAt > performance.now()) await delay(dueAt - performance.now());
          const askedAt = dueAt || performance.now();
          if (askedAt > endsAt) break;
          if (askedAt > giveUpAt) throw new Error(`not done within ${order.secondsMax} s`);
          const connection = connections[lane] ?? (await openConnection(order.port));
          const { status, body } = await connection.ask(requests[index % requests.length] ?? Buffer.alloc(0));
          if (askedAt >= countedFrom) latencies.push(performance.now() - askedAt);
          if (order.reconnect === true) connection.close();
          check(status, body, order);
        }
      }),
    );
    const seconds = (performance.now() - countedFrom) / 1000;
    const { user, system } = process.cpuUsage();
    return { answers: latencies.length, seconds, latencies: latencies.sort((a, b) => a - b), cpuUs: user + system };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Every request in turn: as many as there are paths or bodies, whichever are more. */
function encodeAll(order: LoadOrder): Buffer[] {
  const { paths, octets } = order;
  if (octets === undefined) return paths.map((path) => encode(path, order));
  return octets.bodies.map((body, index) => {
    const bytes = Buffer.from(body, "base64");
    const head = [
      `POST ${paths[index % paths.length] ?? "/"} HTTP/1.1`,
      `Host: 127.0.0.1:${order.port}`,
      `Content-Type: ${octets.type}`,
      `Content-Length: ${bytes.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]);
  });
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
