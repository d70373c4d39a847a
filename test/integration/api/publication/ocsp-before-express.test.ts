import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { givenProcess } from "../../../support/given/process.ts";
import { askOverHttp } from "../../../support/pki/ocsp.ts";
import { eventually } from "../../../support/run/eventually.ts";
import { useApi } from "../../../support/service/api.ts";

const registry = new Registry();
const api = useApi({ registry, settings: { trustedProxies: "127.0.0.1, 10.0.0.0/8" } });
const body = Buffer.from("a request");

/** The headers of each request to the test's responder, which responds after `answersAfterMs`. */
const asked: IncomingHttpHeaders[] = [];
let answersAfterMs = 0;
let responder: Server;
beforeAll(async () => {
  responder = createServer((request, response) => {
    asked.push(request.headers);
    request.resume();
    setTimeout(() => {
      response.writeHead(200, { "content-type": "application/ocsp-response", "x-of-responder": "1" }).end("answer");
    }, answersAfterMs);
  }).listen(0, "127.0.0.1");
  await once(responder, "listening");
  const { port } = responder.address() as AddressInfo;
  // The responder is registered as alive for an hour, so a slow machine does not matter.
  const ocspUrl = `http://127.0.0.1:${port}`;
  await givenProcess(api.database.owner, { kind: "responder", ocspUrl });
  await eventually(async () => {
    expect((await askOverHttp(`${api.url}/ocsp/1`, { body })).status).toBe(200);
  });
});
afterAll(() => responder.close());
beforeEach(() => {
  asked.length = 0;
});

test("a response has a request id, the address's limit and the API's common headers, and no CORS header", async () => {
  const { headers } = await askOverHttp(`${api.url}/ocsp/1`, { body, headers: { origin: "https://other.example" } });
  const everywhere = await askOverHttp(`${api.url}/crl/999999.crl`);
  expect(Object.keys(headers).toSorted()).toEqual(
    Object.keys(everywhere.headers)
      .filter((name) => name !== "retry-after")
      .toSorted(),
  );
  expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers["x-rate-limit-limit"]).toBe("10000");
  expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers["content-length"]).toBe("6");
});

test.each([
  [undefined, "127.0.0.1"],
  ["203.0.113.5", "203.0.113.5"],
  ["198.51.100.1, 203.0.113.5, 10.1.1.1", "203.0.113.5"],
  ["10.9.9.9,10.1.1.1", "10.9.9.9"],
])("the responder receives the client's address that trusted proxies report: %s", async (forwardedFor, address) => {
  const headers: Record<string, string> = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
  expect((await askOverHttp(`${api.url}/ocsp/1`, { body, headers })).status).toBe(200);
  expect(asked.map((each) => each["x-forwarded-for"])).toEqual([address]);
});

test("each address has its own limit", async () => {
  const remaining = async (address: string): Promise<number> => {
    const { headers } = await askOverHttp(`${api.url}/ocsp/1`, { body, headers: { "x-forwarded-for": address } });
    return Number(headers["x-rate-limit-remaining"]);
  };
  expect(await remaining("192.0.2.1")).toBe(9_999);
  expect(await remaining("192.0.2.2")).toBe(9_999);
});

test("a request that is not plain OCSP is refused as everywhere in the API", async () => {
  for (const [path, status] of [
    ["/ocsp/1?x=1", 404],
    ["/ocsp/1/MEI=?x", 404],
    ["/ocsp/0", 404],
    ["/ocsp/12345678901234567890", 404],
    ["/OCSP/1", 404],
  ] as const) {
    const answer = await askOverHttp(`${api.url}${path}`, { body });
    expect(answer.status, path).toBe(status);
    expect(JSON.parse(answer.body.toString()), path).toMatchObject({ error: "not_found" });
  }
  const preflight = await askOverHttp(`${api.url}/ocsp/1`, {
    method: "OPTIONS",
    headers: { origin: "https://other.example", "access-control-request-method": "POST" },
  });
  expect([preflight.status, preflight.headers.allow]).toEqual([405, "GET, HEAD, POST, OPTIONS"]);
  expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  expect(asked).toEqual([]);
});

test("a client that disconnects during its request is counted as 499, and others still get responses", async () => {
  const sent = fetch(`${api.url}/ocsp/1`, {
    method: "POST",
    body: new ReadableStream({
      async pull(controller) {
        controller.enqueue(Buffer.from("half"));
        await delay(50);
        controller.error(new Error("away"));
      },
    }),
    duplex: "half",
  });
  await expect(sent).rejects.toThrow();
  await eventually(async () => {
    expect(await registry.metrics()).toContain('method="POST",route="/ocsp/:issuer",status="499"');
  });
  expect((await askOverHttp(`${api.url}/ocsp/1`, { body })).status).toBe(200);
});

test("a request that is in progress when the API stops gets its response", async () => {
  answersAfterMs = 300;
  const waiting = askOverHttp(`${api.url}/ocsp/1`, { body });
  await eventually(() => {
    expect(asked).toHaveLength(1);
  });
  const stopped = api.stop();
  expect(await waiting).toMatchObject({ status: 200, body: Buffer.from("answer") });
  await stopped;
});
