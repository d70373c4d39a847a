/** The load generator: a process of its own, so that its work is not taken for the service's. Takes one order and ends; any word after that ends it early. */
import { setTimeout as delay } from "node:timers/promises";
import { openConnection, type Answer, type Connection } from "./connection.ts";
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
      lanes.map(async (lane) => {
        for (let index = next++; index < order.count; index = next++) {
          const dueAt = order.rate === undefined ? 0 : startedAt + (index * 1_000) / order.rate;
          if (dueAt > performance.now()) await delay(dueAt - performance.now());
          const askedAt = dueAt || performance.now();
          if (askedAt > endsAt) break;
          if (askedAt > giveUpAt) throw new Error(`not done within ${order.secondsMax} s`);
          if (performance.now() - askedAt > (order.patienceMs ?? Number.POSITIVE_INFINITY)) {
            unsent++;
            continue;
          }
          const connection = connections[lane] ?? (await openConnection(order.port));
          const request = requests[index % requests.length] ?? Buffer.alloc(0);
          const answer =
            order.contains === undefined ? await askAnyway(connection, request) : await connection.ask(request);
          if (askedAt >= countedFrom) latencies.push(performance.now() - askedAt);
          if (order.reconnect === true) connection.close();
          if (answer === undefined) connections[lane] = await openConnection(order.port);
          const kind = kindOf(answer);
          statuses[kind] = (statuses[kind] ?? 0) + 1;
          if (answer !== undefined) check(answer, order);
          if (answer?.status === 202) unfinished.push(idOf(answer.body));
        }
      }),
    );
    const seconds = (performance.now() - countedFrom) / 1000;
    const { user, system } = process.cpuUsage();
    latencies.sort((a, b) => a - b);
    return { answers: latencies.length, seconds, latencies, statuses, unfinished, unsent, cpuUs: user + system };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Every request in turn: as many as there are paths, tokens or bodies, whichever are most. */
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

/** Undefined when the connection ended instead of an answer. */
const askAnyway = (connection: Connection, request: Buffer): Promise<Answer | undefined> =>
  connection.ask(request).catch(() => undefined);

function kindOf(answer: Answer | undefined): string {
  if (answer === undefined) return "connection lost";
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
