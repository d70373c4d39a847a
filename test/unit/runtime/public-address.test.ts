import { expect, test } from "vitest";
import { isPublicAddress } from "../../../runtime/public-address.ts";

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "193.0.0.1",
  "223.255.255.255",
  "2a00:1450:4001::1",
  "2606:4700::1111",
  "2003::1",
  "2001:200::1",
])("%s is on the public Internet", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["this machine", ["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::"]],
  ["private networks", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"]],
  ["shared behind a carrier", ["100.64.0.1", "100.127.255.255"]],
  ["link-local", ["169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1"]],
  ["metadata of clouds", ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"]],
  ["multicast and broadcast", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1"]],
  [
    "reserved and documentation",
    ["240.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.9", "198.18.0.1", "2001:db8::1"],
  ],
  ["IPv4 within IPv6", ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1"]],
  ["IPv4 carried on by IPv6", ["2002:7f00:1::", "2001:0:7f00:1::", "2001::1", "3fff::1"]],
  ["site-local and never given out", ["fec0::1", "4000::1", "8000::1", "5f00::1"]],
  ["other ways to write an address", ["0177.0.0.1", "0x7f.0.0.1", "2130706433", "127.1", "8.8.8.8 ", "08.8.8.8", ""]],
  ["names", ["localhost", "example.org"]],
])("%s is not on the public Internet", (_, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});
