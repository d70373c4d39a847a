import { expect, test } from "vitest";
import { radiusClients, readNetworks } from "../../../domain/radius-clients.ts";

test("addresses and networks are read, between commas and white space", () => {
  expect(readNetworks(" 192.168.1.7, 10.0.0.0/8\n2001:db8::/32 fe80::1 ")).toEqual([
    "192.168.1.7",
    "10.0.0.0/8",
    "2001:db8::/32",
    "fe80::1",
  ]);
});

test.each([
  "",
  " , ",
  "access-point.example.org",
  "192.168.1",
  "192.168.1.256",
  "192.168.1.0/33",
  "2001:db8::/129",
  "2001::db8::1",
  "10.0.0.0/8/8",
  '10.0.0.1"\nsecret = "x',
  "10.0.0.1 }",
  Array.from({ length: 51 }, () => "10.0.0.1").join(" "),
])("%j is not a list of networks", (text) => {
  expect(readNetworks(text)).toBeUndefined();
});

test("each network is a client with the secret, and this machine is a client with its own secret", () => {
  const text = radiusClients({ networks: ["10.0.0.0/8", "2001:db8::/32"], secret: "abc", testSecret: "def" });
  expect(text.match(/ipaddr = 127\.0\.0\.1\n[^}]*secret = "def"/g)).toHaveLength(1);
  expect(text.match(/ipaddr = 10\.0\.0\.0\/8\n\tsecret = "abc"/g)).toHaveLength(1);
  expect(text.match(/ipv6addr = 2001:db8::\/32\n\tsecret = "abc"/g)).toHaveLength(1);
  expect(text.match(/require_message_authenticator = yes/g)).toHaveLength(3);
});
