import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage, type Server } from "node:http";
import { expect, test, vi } from "vitest";
import { closeWhenIdle, listenOn, listenOnAnyway, listenOnSet } from "../../../runtime/http-listener.ts";
import { Unstartable } from "../../../runtime/config/unstartable.ts";
import { atEnd } from "../../support/run/at-end.ts";

const loopback = (port: number) => ({ host: "127.0.0.1", port });

function serving(answer: Parameters<typeof createServer>[1] = (_, response) => response.end("here")): Server {
  const server = createServer(answer);
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** Sends a request over a kept-alive connection. */
async function ask(port: number): Promise<IncomingMessage> {
  const agent = new Agent({ keepAlive: true });
  atEnd(() => {
    agent.destroy();
  });
  const [response] = (await once(request({ ...loopback(port), agent }).end(), "response")) as [IncomingMessage];
  return response;
}

test("a server listens on any free port when none is named", async () => {
  const port = await listenOn(serving(), loopback(0));
  expect((await ask(port)).statusCode).toBe(200);
});

test("a port that another server uses is refused", async () => {
  const port = await listenOn(serving(), loopback(0));
  await expect(listenOn(serving(), loopback(port))).rejects.toThrow("EADDRINUSE");
});

test("a server uses another port if the usual one is in use, and only then", async () => {
  const variable = "REALMPASS_METRICS_PORT";
  const first = await listenOnAnyway(serving(), loopback(0), { usual: 9464, variable });
  const second = await listenOnAnyway(serving(), loopback(first.port), { usual: first.port, variable });

  expect(first.wasTaken).toBe(false);
  expect(second.wasTaken).toBe(true);
  expect(second.port).not.toBe(first.port);
  expect((await ask(second.port)).statusCode).toBe(200);
});

test("an error about a configured port in use names the port's variable, and is not an error that a restart can fix", async () => {
  const port = await listenOn(serving(), loopback(0));
  const variable = "REALMPASS_METRICS_PORT";
  for (const tried of [
    listenOnAnyway(serving(), loopback(port), { usual: 9464, variable }),
    listenOnSet(serving(), loopback(port), variable),
  ]) {
    const refusal = await tried.catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Unstartable);
    expect((refusal as Error).message).toBe(`${variable}: another process has port ${port}`);
  }
});

test("an address on which the machine cannot listen is refused, whatever the port", async () => {
  await expect(listenOnAnyway(serving(), { host: "192.0.2.1", port: 0 }, { usual: 0, variable: "X" })).rejects.toThrow(
    "EADDRNOTAVAIL",
  );
});

test("closing waits for answers under way, but not for idle connections", async () => {
  const answers: (() => void)[] = [];
  const server = serving((asked, response) => {
    if (asked.url === "/slow") answers.push(() => response.end("late"));
    else response.end("here");
  });
  // By itself, an idle connection never closes.
  server.keepAliveTimeout = 0;
  const port = await listenOn(server, loopback(0));
  (await ask(port)).resume();
  const slow = once(request({ ...loopback(port), path: "/slow" }).end(), "response");
  await expect.poll(() => answers.length).toBe(1);

  let closed = false;
  const closing = closeWhenIdle(server).then(() => (closed = true));
  await vi.waitFor(async () => {
    await expect(connect(port)).rejects.toThrow("ECONNREFUSED");
  });
  expect(closed).toBe(false);
  for (const answer of answers) answer();
  const [response] = (await slow) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  await closing;
});

test("a request that a proxy sends while the server begins to stop is answered, and its connection closes after the answer", async () => {
  const server = serving((_, response) => response.end("here"));
  const port = await listenOn(server, loopback(0));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const next = async () => {
    const [response] = (await once(request({ ...loopback(port), agent }).end(), "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return [response.statusCode, response.headers.connection];
  };
  expect(await next()).toEqual([200, "keep-alive"]);

  const closing = closeWhenIdle(server, { farewell: 60_000 });
  // A new connection is either answered or refused, never reset, so the proxy can try another process.
  const tries: unknown[] = [];
  while (tries.at(-1) !== "ECONNREFUSED") {
    tries.push(await connect(port).then(([response]) => (response as IncomingMessage).resume().statusCode, codeOf));
  }
  expect(new Set([200, ...tries])).toEqual(new Set([200, "ECONNREFUSED"]));
  await expect(next()).resolves.toEqual([200, "close"]);
  await closing;
  await expect(next()).rejects.toThrow("ECONNREFUSED");
});

const connect = (port: number) => once(request(loopback(port)).end(), "response");
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
