import { describe, expect, test } from "vitest";
import { groupSerial } from "../../../../domain/serial-digits.ts";
import { text } from "../../../../domain/text.ts";
import { RedirectUri, UpstreamIssuer, WebUri } from "../../../../domain/uris.ts";
import { Instant, SerialNumber } from "../../../../operator/commands/inputs.ts";

describe("an instant", () => {
  test.each([
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31T12:00:00Z", "2027-01-31T12:00:00.000Z"],
    ["2027-01-31T12:00:00.5+02:00", "2027-01-31T10:00:00.500Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
  ])("%s is %s", (given, expected) => {
    expect(Instant.parse(given).toISOString()).toBe(expected);
  });

  test.each(["", "tomorrow", "2027", "2027-02-29", "2027-13-01", "2027-01-31T12:00:00", "31.01.2027", "1800000000"])(
    "%j is refused",
    (given) => {
      expect(Instant.safeParse(given).success).toBe(false);
    },
  );
});

test.each(["https://a.example", "http://a.example:8080/x?y=z"])("%s is a web address", (uri) => {
  expect(WebUri.safeParse(uri).success).toBe(true);
});

test.each([
  "",
  "a.example",
  "//a.example",
  "https:a.example",
  "https://u:p@a.example",
  "https://a.example/\n",
  "https:\\\\a.example",
])("%j is not a web address", (uri) => {
  expect(WebUri.safeParse(uri).success).toBe(false);
});

test.each([
  "https://a.example/?a=%20#f",
  "http://localhost.example/",
  "http://127.0.0.1.example/",
  "data:text/html,x",
  "com.example.app:/#f",
  "myapp://x",
  "/cb",
])("%j is not a redirect URI", (uri) => {
  expect(RedirectUri.safeParse(uri).success).toBe(false);
});

test("an identity provider's address uses https, or http on this machine, and has no query or fragment", () => {
  const accepted = ["https://idp.example/realms/x", "http://localhost:8080/realms/x"];
  const refused = ["http://idp.example", "https://idp.example/?a", "https://idp.example/#a"];
  expect(accepted.filter((uri) => !UpstreamIssuer.safeParse(uri).success)).toEqual([]);
  expect(refused.filter((uri) => UpstreamIssuer.safeParse(uri).success)).toEqual([]);
});

test("an emoji counts as one character, and an empty text and control characters are refused", () => {
  expect(text(1, 2).safeParse("😀😀").success).toBe(true);
  expect(text(1, 2).safeParse("").success).toBe(false);
  expect(text(1, 9).safeParse("a\nb").success).toBe(false);
});

describe("a serial number", () => {
  const octets = "1a:2b:3c:4d:5e:6f:70:81:92:a3:b4:c5";
  const decimal = BigInt(`0x${octets.replaceAll(":", "")}`).toString();

  test.each([
    decimal,
    groupSerial(decimal),
    octets,
    octets.toUpperCase().replaceAll(":", ""),
    `0x${octets.replaceAll(":", "")}`,
    `serial=${octets.toUpperCase().replaceAll(":", "")}`,
    octets.replaceAll(":", " "),
    octets.replaceAll(":", "-"),
  ])("is read from %s", (written) => {
    expect(SerialNumber.parse(written)).toBe(decimal);
  });

  test("with only digits is read as decimal, as everywhere, even in groups of two", () => {
    for (const written of ["12345678", "12 34 56 78", "0012345678"])
      expect(SerialNumber.parse(written)).toBe("12345678");
    expect(SerialNumber.parse("12:34:56:78")).toBe(String(0x12345678));
  });

  test("has at most 20 octets", () => {
    expect(SerialNumber.parse(`0x${"f".repeat(40)}`)).toBe(String((1n << 160n) - 1n));
    for (const written of [`0x1${"0".repeat(40)}`, "0", "0x00", "9".repeat(49), "phone", "", "-5"])
      expect(SerialNumber.safeParse(written).success).toBe(false);
  });
});
