import { expect, test } from "vitest";
import { isLoopbackHost, isOpenIssuer } from "../../../domain/uris.ts";

const microsoft = "https://login.microsoftonline.com";

test.each([
  "https://accounts.google.com",
  "https://accounts.google.com/",
  "HTTPS://Accounts.Google.com:443",
  "https://appleid.apple.com",
  `${microsoft}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0`,
  `${microsoft}/9188040D-6C67-4C5B-B112-36A304B66DAD`,
  `${microsoft}/common/v2.0`,
  `${microsoft}/consumers/v2.0`,
  `${microsoft}/organizations/v2.0/`,
])("%s lets anyone sign in", (issuer) => {
  expect(isOpenIssuer(issuer)).toBe(true);
});

test.each([
  "https://idp.uni.example",
  "https://accounts.google.com.uni.example",
  "https://uni.example/accounts.google.com",
  `${microsoft}/0f3c1d4e-0000-4000-8000-000000000000/v2.0`,
  "no address",
])("%s does not let everybody sign in", (issuer) => {
  expect(isOpenIssuer(issuer)).toBe(false);
});

test.each([
  ["localhost", true],
  ["wifi.localhost", true],
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["[::1]", true],
  ["127.example.org", false],
  ["localhost.example.org", false],
  ["128.0.0.1", false],
  ["[::2]", false],
])("whether %s is the machine itself: %s", (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
