import { expect, test } from "vitest";
import { createAddressLimits } from "../../../responder/address-limits.ts";
import { createClientAddress } from "../../../responder/client-address.ts";

const clientAddress = createClientAddress("10.1.0.0/16, 2001:db8::/32, 192.0.2.7, uniquelocal");

test.each<[string, string, string | undefined, string]>([
  ["who asks directly", "198.51.100.1", undefined, "198.51.100.1"],
  ["who asks directly and makes up others", "198.51.100.1", "203.0.113.5", "198.51.100.1"],
  ["who an api on this machine names", "127.0.0.1", "203.0.113.5", "203.0.113.5"],
  ["who an api on this machine names, seen by way of IPv6", "::ffff:127.0.0.1", "203.0.113.5", "203.0.113.5"],
  ["who a trusted proxy names", "10.1.2.3", "203.0.113.5", "203.0.113.5"],
  ["who a trusted IPv6 proxy names", "2001:db8::5", "2001:4860::1", "2001:4860::1"],
  ["the last that is no proxy's", "10.1.2.3", "6.6.6.6, 203.0.113.5, 192.0.2.7, 172.16.0.1", "203.0.113.5"],
  ["the proxy when it names nobody", "10.1.2.3", "", "10.1.2.3"],
  ["the proxy when it names rubbish", "10.1.2.3", "<script>", "10.1.2.3"],
  ["the proxy when it names far too many", "10.1.2.3", "1.1.1.1,".repeat(500), "10.1.2.3"],
])("%s is counted as the client", (_, remote, forwardedFor, expected) => {
  expect(clientAddress(remote, forwardedFor)).toBe(expected);
});

test("each address has its own limit in each second, and a flood of addresses takes no more room than its share", () => {
  let nowMs = 5_000;
  const within = createAddressLimits(3, () => nowMs);
  expect([within("a"), within("a"), within("a"), within("a")]).toEqual([true, true, true, false]);
  expect(within("b")).toBe(true);
  nowMs += 1_000;
  expect(within("a")).toBe(true);

  const flooded = createAddressLimits(2, () => nowMs);
  const letIn = Array.from({ length: 30_000 }, (_, index) => flooded(`address ${index}`)).filter(Boolean).length;
  expect(letIn).toBe(20_000 + 2);
});
