import { describe, expect, test } from "vitest";
import {
  commonNameLengthMax,
  identityLabelOf,
  isDnsName,
  isIdentity,
  isWithinDomains,
  organizationName,
  realmDomainLengthMax,
} from "../../../domain/certificate/certificate-profile.ts";
import { dnsNames, notDnsNames } from "../../support/given/dns-names.ts";

const random = Uint8Array.from({ length: 20 }, (_, index) => index);

test("an identity's label is 20 base32 characters of the randomness given, and nothing else", () => {
  expect(identityLabelOf(random)).toBe("abcdefghijklmnopqrst");
  expect(identityLabelOf(new Uint8Array(32).fill(0xff))).toBe("7".repeat(20));
  expect(() => identityLabelOf(random.subarray(1))).toThrow(RangeError);
});

test("every identity fits in a common name", () => {
  const label = identityLabelOf(random);
  const longest = `${"a".repeat(realmDomainLengthMax - 4)}.org`;

  expect(`${label}@${longest}`).toHaveLength(commonNameLengthMax);
  expect(isIdentity(`${label}@${longest}`)).toBe(true);
  expect(isIdentity(`${label}@a${longest}`)).toBe(false);
});

describe("DNS names", () => {
  test.each(dnsNames)("include %s", (name) => {
    expect(isDnsName(name)).toBe(true);
  });

  test.each(notDnsNames)("do not include %j", (name) => {
    expect(isDnsName(name)).toBe(false);
  });
});

test.each([
  "abc@example.org",
  `${"A".repeat(20)}@example.org`,
  `${"a".repeat(20)}@`,
  `${"a".repeat(20)}@a@b.org`,
  `${"1".repeat(20)}@example.org`,
])("%j is not an identity", (text) => {
  expect(isIdentity(text)).toBe(false);
});

test.each([
  ["  Example University ", "Example University"],
  ["a\u0000b\nc", "a b c"],
  ["é".repeat(70), "é".repeat(64)],
  ["🛰".repeat(70), "🛰".repeat(64)],
])("an organization name fits a certificate: %j", (displayName, name) => {
  expect(organizationName(displayName)).toBe(name);
});

describe("the DNS names within example.org and wifi.example.net", () => {
  const domains = ["example.org", "wifi.example.net"];
  test.each(["example.org", "EXAMPLE.org", "a.example.org", "a.b.example.org", "x.wifi.example.net"])(
    "include %s",
    (name) => {
      expect(isWithinDomains(name, domains)).toBe(true);
    },
  );

  test.each(["org", "notexample.org", "example.org.evil.net", "example.net", "xwifi.example.net", "example.organic"])(
    "do not include %s",
    (name) => {
      expect(isWithinDomains(name, domains)).toBe(false);
    },
  );

  test("without domains no name is permitted", () => {
    expect(isWithinDomains("example.org", [])).toBe(false);
  });
});
