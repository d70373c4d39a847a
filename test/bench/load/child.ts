/**
 * The load generator: a separate process, so its work does not count as the service's. Executes one order and ends; any
 * later message ends it early.
 */
import { setTimeout as delay } from "node:timers/promises";
import { openConnection, type Answer, type Connection } from "./connection.ts";
import type { LoadMessage, LoadOrder, LoadReport } from "./order.ts";

const answer = (message: LoadMessage): void => {
  process.send?.(message, () => {
    process.disconnect();
  });
};

/** Requests due after this time are not sent; requests due earlier are sent, however late. */
let endsAt = Number.POSITIVE_INFINITY;

process.once("message", (order: LoadOrder) => {
  process.once("message", () => (endsAt = performance.now()));
  // Ends this process after its order's time, even if something hangs.
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
  const free = order.reconnect === true ? [] : await openAll(order);
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const unfinished: string[] = [];
  let unsent = 0;
  let next = 0;
  const startedAt = performance.now();
  const countedFrom = startedAt + (order.warmUpSeconds ?? 0) * 1000;
  setTimeout(() => process.send?.({ begun: true } satisfies LoadMessage), countedFrom - startedAt).unref();
  const giveUpAt = startedAt + order.secondsMax * 1000;

  try {
    await Promise.all(
      lanes.map(async () => {
        for (let index = next++; index < order.count; index = next++) {
          const dueAt = order.rate === undefined ? 0 : startedAt + (index * 1_000) / order.rate;
          if (dueAt > performance.now()) await delay(dueAt - performance.now());
          // A timer may fire a fraction of a millisecond early.
          const askedAt = Math.min(dueAt || Number.POSITIVE_INFINITY, performance.now());
          if (askedAt > endsAt) break;
          if (askedAt > giveUpAt) throw new Error(`not done within ${order.secondsMax} s`);
          if (performance.now() - askedAt > (order.patienceMs ?? Number.POSITIVE_INFINITY)) {
            unsent++;
            continue;
          }
          const answer = await ask(requests[index % requests.length] ?? Buffer.alloc(0), free, order);
          if (askedAt >= countedFrom) latencies.push(performance.now() - askedAt);
          const kind = kindOf(answer);
          statuses[kind] = (statuses[kind] ?? 0) + 1;
          if (typeof answer !== "string" && answer.status === 202) unfinished.push(idOf(answer.body));
        }
      }),
    );
    const seconds = (performance.now() - countedFrom) / 1000;
    const { user, system } = process.cpuUsage();
    latencies.sort((a, b) => a - b);
    return { answers: latencies.length, seconds, latencies, statuses, unfinished, unsent, cpuUs: user + system };
  } finally {
    for (const connection of free) connection.close();
  }
}

/** Opens all connections, a few at a time. */
async function openAll({ port, concurrency, greeting }: LoadOrder): Promise<Connection[]> {
  const open: Connection[] = [];
  while (open.length < concurrency) {
    const some = Array.from({ length: Math.min(50, concurrency - open.length) }, () => openConnection(port));
    open.push(...(await Promise.all(some.map((connection) => greet(connection, { port, greeting })))));
  }
  return open;
}

async function greet(
  opening: Promise<Connection>,
  { port, greeting }: { port: number; greeting: string | undefined },
): Promise<Connection> {
  const connection = await opening;
  if (greeting !== undefined) {
    const { status } = await connection.ask(Buffer.from(`GET ${greeting} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`));
    if (status !== 200) throw new Error(`${greeting} was answered ${status}`);
  }
  return connection;
}

/**
 * Sends a request on the connection that has been free for longest, so the service does not close a connection for
 * being idle, or on a new connection. Also accepts a missing response if the order accepts every response.
 */
async function ask(
  request: Buffer,
  free: Connection[],
  order: LoadOrder,
): Promise<Answer | "no connection" | "connection lost"> {
  let connection = free.shift();
  while (connection?.hasEnded() === true) connection = free.shift();
  try {
    connection ??= await openConnection(order.port);
    const answer = await connection.ask(request);
    check(answer, order);
    if (order.reconnect === true) connection.close();
    else free.push(connection);
    return answer;
  } catch (error) {
    if (order.contains !== undefined) throw error;
    return connection === undefined ? "no connection" : "connection lost";
  }
}

/** Encodes every request in turn. There are as many requests as the most numerous of paths, tokens and bodies. */
function encodeAll(order: LoadOrder): Buffer[] {
  const { paths, octets, tokens = [order.token] } = order;
  const turns = Array.from({ length: Math.max(paths.length, tokens.length, octets?.bodies.length ?? 0) });
  return turns.map((_, turn) => {
    const path = paths[turn % paths.length] ?? "/";
    if (octets === undefined) return encode(path, tokens[turn % tokens.length] ?? "", order);
    const bytes = Buffer.from(octets.bodies[turn % octets.bodies.length] ?? "", "base64");
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${order.port}`,
      `Content-Type: ${octets.type}`,
      `Content-Length: ${bytes.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), bytes]);
  });
}

function encode(path: string, token: string, { port, method, body, form }: LoadOrder): Buffer {
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

function kindOf(answer: Answer | string): string {
  if (typeof answer === "string") return answer;
  const lacksRetryAfter = [202, 503].includes(answer.status) && !/\r\nretry-after: *\d/i.test(answer.head);
  return `${answer.status}${lacksRetryAfter ? " without Retry-After" : ""}`;
}

const idOf = (body: string): string => (JSON.parse(body) as { data: { id: string } }).data.id;

function check({ status, body }: Answer, { method, contains }: LoadOrder): void {
  if (contains === undefined) return;
  if (status !== 200 || !body.includes(contains)) {
    throw new Error(`${method} was answered ${status}: ${body.slice(0, 300)}`);
  }
}
