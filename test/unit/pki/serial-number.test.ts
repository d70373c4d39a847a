import { expect, test } from "vitest";
import { SerialNumber } from "../../../domain/ids.ts";
import { unsignedInteger } from "../../../pki/der.ts";
import { drawSerialNumber, magnitudeToSerialNumber, serialNumberToMagnitude } from "../../../pki/serial-number.ts";

test("a thousand serial numbers are all different, and each is a positive INTEGER of at most 16 octets", () => {
  const drawn = Array.from({ length: 1000 }, () => drawSerialNumber());

  expect(new Set(drawn).size).toBe(1000);
  for (const serialNumber of drawn) {
    expect(SerialNumber.parse(serialNumber)).toBe(serialNumber);
    const integer = unsignedInteger(serialNumberToMagnitude(serialNumber));
    expect(integer[2]).toBeLessThan(0x80);
    expect(integer.length).toBeLessThanOrEqual(2 + 16);
  }
});

test("the highest bit of the random octets is never used", () => {
  expect(drawSerialNumber((length) => Buffer.alloc(length, 0xff))).toBe(String(2n ** 127n - 1n));
});

test("a draw of zero is repeated", () => {
  const draws = [
    Buffer.alloc(16),
    Buffer.concat([Buffer.from([0x80]), Buffer.alloc(15)]),
    Buffer.concat([Buffer.alloc(15), Buffer.from([7])]),
  ];
  expect(drawSerialNumber(() => draws.shift() ?? Buffer.alloc(0))).toBe("7");
  expect(draws).toHaveLength(0);
});

test.each([
  ["1", "01"],
  ["127", "7f"],
  ["128", "80"],
  ["255", "ff"],
  ["256", "0100"],
  [String(2n ** 127n - 1n), "7fffffffffffffffffffffffffffffff"],
])("%s becomes the octets %s, which become the same number again", (decimal, hex) => {
  const serialNumber = SerialNumber.parse(decimal);
  expect(serialNumberToMagnitude(serialNumber).toString("hex")).toBe(hex);
  expect(magnitudeToSerialNumber(Buffer.from(`00${hex}`, "hex"))).toBe(decimal);
});

test("a serial number that begins with a one bit stays positive in DER", () => {
  expect(unsignedInteger(serialNumberToMagnitude(SerialNumber.parse("128"))).toString("hex")).toBe("02020080");
});

test("zero is not a serial number", () => {
  expect(() => magnitudeToSerialNumber(Buffer.alloc(3))).toThrow(RangeError);
});
