import { expect, test } from "vitest";
import { ConfigError, loadConfig } from "../../../runtime/config.ts";
import { areNetworks, isWithin, parseNetworks } from "../../../runtime/networks.ts";

test("addresses and ranges of both families, separated by commas", () => {
  const networks = parseNetworks("192.0.2.7, 10.1.0.0/16,\n2001:db8::/32, ::1");
  const inside = ["192.0.2.7", "10.1.255.255", "2001:db8:ffff::1", "::1", "0:0:0:0:0:0:0:1"];
  const outside = ["192.0.2.8", "10.2.0.0", "2001:db9::1", "::2", "localhost", "", "10.1.0.0/16"];
  expect([...inside, ...outside].filter((address) => isWithin(networks, address))).toEqual(inside);
});

test("nothing is within none", () => {
  expect(isWithin(parseNetworks(""), "127.0.0.1")).toBe(false);
});

test.each(["localhost", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0", "fe80::1%eth0"])(
  "%s is none",
  (text) => {
    expect(areNetworks(text)).toBe(false);
    expect(areNetworks(`192.0.2.7,${text}`)).toBe(false);
  },
);

test("a configuration that names something else is refused before anything starts", () => {
  const load = (REALMPASS_LOGO_NETWORKS: string) =>
    loadConfig(["REALMPASS_LOGO_NETWORKS"], { REALMPASS_LOGO_NETWORKS });
  expect(() => load("10.0.0.0/8, campus")).toThrow(ConfigError);
  expect(load("10.0.0.0/8, ::1")).toEqual({ REALMPASS_LOGO_NETWORKS: "10.0.0.0/8, ::1" });
});
