import { once } from "node:events";
import { request, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseTrustedProxies } from "../../../runtime/config/networks.ts";
import { createClientAddress } from "../../../responder/client-address.ts";

// The sender is this machine, which every list trusts, so the first hop decides.
const app = express();
app.get("/", (incoming, response) => {
  response.send(incoming.ip);
});
let server: Server;
beforeAll(async () => {
  server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

/** Returns the client's address as Express determines it. */
async function ipInExpress(proxies: string, forwardedFor: string): Promise<string> {
  app.set("trust proxy", parseTrustedProxies(proxies));
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: "127.0.0.1", agent: false, headers: { "x-forwarded-for": forwardedFor } }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return text(answer);
}

const client = "203.0.113.5";

test.each<[string, { trusted: readonly string[]; others: readonly string[] }]>([
  ["192.0.2.7", { trusted: ["192.0.2.7"], others: ["192.0.2.8", "::c000:207"] }],
  ["10.1.0.0/16", { trusted: ["10.1.0.0", "10.1.255.255", "::ffff:10.1.2.3", "::ffff:a01:203"], others: ["10.2.0.1"] }],
  ["10.1.2.3/16", { trusted: ["10.1.9.9"], others: ["10.2.0.1"] }],
  ["10.1.0.0/255.255.0.0", { trusted: ["10.1.9.9"], others: ["10.2.0.1"] }],
  ["192.0.2.7/255.255.255.255", { trusted: ["192.0.2.7"], others: ["192.0.2.8"] }],
  ["2001:db8::5", { trusted: ["2001:db8::5", "2001:DB8:0::5"], others: ["2001:db8::6"] }],
  ["2001:db8::/32", { trusted: ["2001:db8:ffff::1"], others: ["2001:db9::1", "10.1.2.3"] }],
  ["::ffff:192.0.2.7", { trusted: ["192.0.2.7", "::ffff:192.0.2.7"], others: ["192.0.2.8"] }],
  ["::ffff:c000:207", { trusted: ["192.0.2.7"], others: ["192.0.2.8"] }],
  ["::ffff:10.1.0.0/112", { trusted: ["10.1.2.3", "::ffff:10.1.2.3"], others: ["10.2.0.1", "::1:0:0"] }],
  ["::/1", { trusted: ["2001:db8::5"], others: ["10.1.2.3", "fe80::1"] }],
  ["loopback", { trusted: ["127.0.0.1", "127.9.9.9", "::1"], others: ["128.0.0.1", "::2"] }],
  ["linklocal", { trusted: ["169.254.1.1", "fe80::1", "fe80::1%eth0"], others: ["169.255.1.1", "fec0::1"] }],
  [
    "uniquelocal",
    {
      trusted: ["10.9.9.9", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"],
      others: ["11.0.0.1", "172.32.0.1", "192.169.0.1", "fe00::1"],
    },
  ],
  [
    " 192.0.2.7 ,\n uniquelocal,, 2001:db8::/32,",
    { trusted: ["192.0.2.7", "10.0.0.1", "2001:db8::1"], others: ["192.0.2.8"] },
  ],
])("api and responder read the same proxies from %j", async (list, { trusted, others }) => {
  const proxies = `127.0.0.1,${list}`;
  const inOcsp = createClientAddress(proxies);
  for (const hop of [...trusted, ...others]) {
    const forwardedFor = `${client}, ${hop}`;
    const expected = trusted.includes(hop) ? client : hop;
    expect([hop, await ipInExpress(proxies, forwardedFor)]).toEqual([hop, expected]);
    expect([hop, inOcsp("127.0.0.1", forwardedFor)]).toEqual([hop, expected]);
  }
});

test("without a list, the api trusts no proxy, and a responder trusts only this machine", async () => {
  for (const empty of ["", " , "]) {
    expect(await ipInExpress(empty, client)).toBe("127.0.0.1");
    expect(createClientAddress(empty)("127.0.0.1", client)).toBe(client);
    expect(createClientAddress(empty)("10.0.0.1", client)).toBe("10.0.0.1");
  }
});

test.each(["0.0.0.0/0", "::/0", "10.0.0.0/0.0.0.0", "::ffff:0:0/96"])(
  "%s would trust everyone and is refused",
  (list) => {
    expect(() => parseTrustedProxies(`192.0.2.7,${list}`)).toThrow(`"${list}": every address would be a proxy's`);
  },
);
