import { once } from "node:events";
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { beginRequest, contextOf, traceOf } from "../../../../api/http/request-context.ts";
import { atEnd } from "../../../support/run/at-end.ts";
import { silentLog } from "../../../support/service/worker.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const parent = "00f067aa0ba902b7";

test.each([
  ["as version 00 has it", `00-${trace}-${parent}-01`],
  ["not sampled", `00-${trace}-${parent}-00`],
  ["of a later version", `01-${trace}-${parent}-01`],
  ["of a later version that says more", `cc-${trace}-${parent}-01-what-comes-later`],
])("a traceparent %s names its trace", (_, header) => {
  expect(traceOf(header)).toBe(trace);
});

test.each([
  ["no header", undefined],
  ["an empty one", ""],
  ["one of version ff", `ff-${trace}-${parent}-01`],
  ["one without a trace", `00-${"0".repeat(32)}-${parent}-01`],
  ["one without a parent", `00-${trace}-${"0".repeat(16)}-01`],
  ["one in capitals", `00-${trace.toUpperCase()}-${parent}-01`],
  ["one that is too short", `00-${trace}-${parent}`],
  ["version 00 with something more", `00-${trace}-${parent}-01-more`],
  ["a later version that goes on without a hyphen", `01-${trace}-${parent}-01more`],
  ["something else", "Robert'); DROP TABLE"],
  ["a list", [`00-${trace}-${parent}-01`]],
])("%s names no trace", (_, header) => {
  expect(traceOf(header)).toBeUndefined();
});

test.each([
  ["before anybody asks whether it is there", false],
  ["after somebody asked", true],
])("a client that goes away %s aborts the request's signal", async (_, asksFirst) => {
  const begin = beginRequest({
    log: silentLog,
    metrics: { request: () => undefined },
    requestCounts: { note: () => undefined },
  });
  const server = createServer((request, response) => {
    begin(request, response);
    if (asksFirst) contextOf(response).signal();
  });
  atEnd(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const client = ask({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  client.on("error", () => undefined);
  client.end();
  const [, response] = await asked;
  const closed = once(response, "close");

  client.destroy();
  await closed;

  expect(contextOf(response).signal().aborted).toBe(true);
});
