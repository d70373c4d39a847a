import { connect, type Socket } from "node:net";
import { Registry } from "prom-client";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { serveMetrics } from "../../../../process/metrics.ts";
import { useApi } from "../../../support/service/api.ts";
import { atEndOfFile } from "../../../support/run/at-end.ts";
import { startTestResponder } from "../../../support/service/responder.ts";
import { silentLog } from "../../../support/service/worker.ts";

const api = useApi();
let token: string;
const urls = {} as Record<"api" | "responder" | "metrics", string>;

beforeAll(async () => {
  const { clientId } = await api.given.application({ realmId: api.realmId, type: "service" });
  token = await api.given.token({ realmId: api.realmId, clientId });
  urls.api = api.url;
  urls.responder = (await startTestResponder({ databaseUrl: api.database.url })).url;
  const readiness = () => Promise.resolve({ lacks: [], warnings: [] });
  const here = { registry: new Registry(), readiness, host: "127.0.0.1", port: 0, log: silentLog };
  const metrics = await serveMetrics(here as unknown as Parameters<typeof serveMetrics>[0]);
  urls.metrics = `http://127.0.0.1:${metrics.port}`;
  atEndOfFile(() => metrics.close());
});

interface Heard {
  /** Each response's status, and whether it keeps the connection open. */
  answers: { status: number; keeps: boolean }[];
  /** How the connection ended, if it has. */
  end: "none" | "ended" | "reset";
}

/** Reads responses from a connection, each by its length. */
function hear(socket: Socket): { heard: Heard; until: (isSo: (heard: Heard) => boolean) => Promise<Heard> } {
  const heard: Heard = { answers: [], end: "none" };
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    for (;;) {
      const [head] = /^HTTP\/1\.1 .*?\r\n\r\n/s.exec(text) ?? [];
      if (head === undefined) break;
      const status = Number(head.slice(9, 12));
      const length = status < 200 ? 0 : Number(/^content-length: (\d+)/im.exec(head)?.[1]);
      const ends = /^transfer-encoding: chunked/im.test(head) ? text.indexOf("0\r\n\r\n") + 5 : head.length + length;
      if (text.length < ends) break;
      text = text.slice(ends);
      if (status >= 200) heard.answers.push({ status, keeps: !/^connection: close/im.test(head) });
    }
    notify();
  });
  socket.on("end", () => {
    heard.end = "ended";
    notify();
  });
  socket.on("error", () => {
    if (heard.end === "none") heard.end = "reset";
    notify();
  });
  return {
    heard,
    until: (isSo) =>
      new Promise((resolve) => {
        const listener = (): void => {
          if (isSo(heard) || heard.end !== "none") {
            listeners.delete(listener);
            resolve(heard);
          }
        };
        listeners.add(listener);
        listener();
      }),
  };
}

function speakTo(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return { socket, ...hear(socket) };
}

interface Refused {
  server: keyof typeof urls;
  line: string;
  headers?: string;
  /** The part of the body that is sent. */
  begin?: string;
  status: number;
}

const csv = "Content-Type: text/csv";
const refused: [string, Refused][] = [
  [
    "an upload that is not text",
    { server: "api", line: "POST /api/jobs/onboarding?dryRun=true", headers: csv, begin: "\xff", status: 400 },
  ],
  [
    "an upload of a wrong type",
    { server: "api", line: "POST /api/jobs/onboarding", headers: "Content-Type: image/png", status: 415 },
  ],
  [
    "JSON that is too long",
    { server: "api", line: "POST /api/user", headers: "Content-Type: application/json", status: 413 },
  ],
  ["an unknown path", { server: "api", line: "POST /api/nothing", headers: csv, status: 404 }],
  [
    "a form for tokens that is too long",
    {
      server: "api",
      line: "POST /oauth/token",
      headers: "Content-Type: application/x-www-form-urlencoded",
      status: 400,
    },
  ],
  ["a page without POST", { server: "api", line: "POST /me", status: 405 }],
  [
    "an OCSP request that is too long",
    { server: "api", line: "POST /ocsp/1", headers: "Content-Type: application/ocsp-request", status: 413 },
  ],
  [
    "an OCSP request that is too long, to a responder",
    { server: "responder", line: "POST /ocsp/1", headers: "Content-Type: application/ocsp-request", status: 413 },
  ],
  ["a body for metrics", { server: "metrics", line: "POST /nothing", status: 404 }],
];

const head = ({ line, headers }: Refused, length: number): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
  `${headers === undefined ? "" : `${headers}\r\n`}Content-Length: ${length}\r\n\r\n`;

const next = { api: "/healthz", responder: "/ocsp/x", metrics: "/healthz" };

describe.each(refused)("%s", (_, wrong) => {
  test.each([200_000, 5_000_000])(
    "with %i octets gets a response, and a connection that stays open serves the next request",
    async (length) => {
      const { socket, until } = speakTo(urls[wrong.server]);
      socket.write(head(wrong, length), "latin1");
      socket.write(
        Buffer.concat([Buffer.from(wrong.begin ?? "", "latin1"), Buffer.alloc(length, "x")]).subarray(0, length),
      );
      const { answers, end } = await until(({ answers: received }) => received.length > 0);
      expect(answers).toMatchObject([{ status: wrong.status }]);
      if (answers[0]!.keeps) {
        expect(end).toBe("none");
        socket.write(`GET ${next[wrong.server]} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        expect((await until(({ answers: received }) => received.length > 1)).answers).toHaveLength(2);
      } else {
        expect((await until(({ end: how }) => how !== "none")).end).toBe("ended");
      }
    },
  );

  test("with a missing body gets a response with Connection: close", async () => {
    const { socket, until } = speakTo(urls[wrong.server]);
    socket.write(head(wrong, 1_000_000), "latin1");
    socket.write(Buffer.from((wrong.begin ?? "x").repeat(100_000), "latin1"));
    const { answers, end } = await until(({ end: how }) => how !== "none");
    expect({ answers, end }).toEqual({ answers: [{ status: wrong.status, keeps: false }], end: "ended" });

    // Later bytes are not read as a request: the second request gets no response.
    socket.write(Buffer.alloc(900_000, "x"));
    socket.write(`GET ${next[wrong.server]} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    socket.end();
    await new Promise((resolve) => socket.once("close", resolve));
    expect(answers).toHaveLength(1);
  });
});

test("a request that is refused while it waits for 100 Continue gets Connection: close", async () => {
  const { socket, until } = speakTo(urls.api);
  const wrong = {
    server: "api",
    line: "POST /api/jobs/onboarding",
    headers: "Content-Type: image/png",
    status: 415,
  } as const;
  socket.write(head(wrong, 1_000_000).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"), "latin1");
  const { answers, end } = await until(({ end: how }) => how !== "none");
  expect({ answers, end }).toEqual({ answers: [{ status: 415, keeps: false }], end: "ended" });
});

test("a request whose body was read keeps its connection", async () => {
  const { socket, until } = speakTo(urls.api);
  const body = JSON.stringify({ filter: {} });
  const wanted = {
    server: "api",
    line: "POST /api/user?limit=1",
    headers: "Content-Type: application/json",
    status: 200,
  } as const;
  socket.write(head(wanted, body.length) + body);
  expect((await until(({ answers }) => answers.length > 0)).answers).toEqual([{ status: 200, keeps: true }]);
});
