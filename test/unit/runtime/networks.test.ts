import { expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../../runtime/config/config.ts";
import { isWithin, parseNetworks, parseTrustedProxies } from "../../../runtime/config/networks.ts";

test("addresses and ranges of both families are read, separated by commas", () => {
  const networks = parseNetworks("192.0.2.7, 10.1.0.0/16,\n2001:db8::/32, ::1");
  const inside = ["192.0.2.7", "10.1.255.255", "2001:db8:ffff::1", "::1", "0:0:0:0:0:0:0:1"];
  const outside = ["192.0.2.8", "10.2.0.0", "2001:db9::1", "::2", "localhost", "", "10.1.0.0/16"];
  expect([...inside, ...outside].filter((address) => isWithin(networks, address))).toEqual(inside);
});

test("an empty list of networks contains no address", () => {
  expect(isWithin(parseNetworks(""), "127.0.0.1")).toBe(false);
});

test("IPv4-mapped addresses count as the IPv4 addresses in them, and are not in any other IPv6 range", () => {
  expect(isWithin(parseNetworks("10.0.0.0/8"), "::ffff:a01:203")).toBe(true);
  expect(isWithin(parseNetworks("::ffff:10.0.0.0/104"), "10.1.2.3")).toBe(true);
  for (const address of ["10.1.2.3", "::ffff:10.1.2.3"]) expect(isWithin(parseNetworks("::/0"), address)).toBe(false);
});

const noNetwork = "must be an IP address, a range in CIDR notation, loopback, linklocal or uniquelocal";
const ofPrefix = (min: number, max: number) => `the length of its prefix must be from ${min} to ${max}`;
const faulty: readonly (readonly [string, string])[] = [
  ["localhost", noNetwork],
  ["loopbak", noNetwork],
  ["Loopback", noNetwork],
  ["loopback/8", noNetwork],
  ["constructor", noNetwork],
  ["10.0.0", noNetwork],
  ["10.0.0.256", noNetwork],
  ["010.0.0.1", noNetwork],
  ["10.0.0.1 10.0.0.2", noNetwork],
  ["10.0.0.1;10.0.0.2", noNetwork],
  ["10.0.0.1:443", noNetwork],
  ["10.0.0.*", noNetwork],
  ["10.0.0.1-10.0.0.9", noNetwork],
  ["[::1]", noNetwork],
  ["2001:db8:::1", noNetwork],
  ["https://10.0.0.1", noNetwork],
  ["/8", noNetwork],
  ["true", noNetwork],
  ["1", noNetwork],
  ["fe80::1%eth0", "must be without a zone"],
  ["10.0.0.0/33", ofPrefix(0, 32)],
  ["10.0.0.0/", ofPrefix(0, 32)],
  ["10.0.0.0/-1", ofPrefix(0, 32)],
  ["10.0.0.0/8.0", ofPrefix(0, 32)],
  ["10.0.0.0/8/8", ofPrefix(0, 32)],
  ["10.0.0.0 /8x", noNetwork],
  ["10.0.0.0/255.0.255.0", ofPrefix(0, 32)],
  ["10.0.0.0/ffff::", ofPrefix(0, 32)],
  ["::/129", ofPrefix(0, 128)],
  ["2001:db8::/255.0.0.0", ofPrefix(0, 128)],
  ["::ffff:10.0.0.0/8", ofPrefix(96, 128)],
];

test.each(faulty)("%s is reported as not being a network", (part, fault) => {
  for (const parse of [parseNetworks, parseTrustedProxies]) {
    expect(() => parse(part)).toThrow(new Error(`"${part}": ${fault}`));
    expect(() => parse(`192.0.2.7, ${part} ,::1`)).toThrow(new Error(`"${part}": ${fault}`));
  }
});

test.each(["REALMPASS_TRUSTED_PROXIES", "REALMPASS_LOGO_NETWORKS", "REALMPASS_UPSTREAM_NETWORKS"] as const)(
  "%s is refused before anything starts, with each part that is not a network",
  (name) => {
    const load = (text: string) => loadConfig([name], { [name]: text });
    expect(() => load("10.0.0.0/8, campus, ::/129")).toThrow(
      new ConfigError([`${name}: "campus": ${noNetwork}; "::/129": ${ofPrefix(0, 128)}`]),
    );
    expect(load("10.0.0.0/8, ::1,uniquelocal")).toEqual({ [name]: "10.0.0.0/8, ::1,uniquelocal" });
  },
);
