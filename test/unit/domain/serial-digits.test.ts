import { expect, test } from "vitest";
import { SerialNumber, WrittenSerialNumber } from "../../../domain/ids.ts";
import { readSearch } from "../../../domain/people/search-text.ts";
import { groupSerial, joinSerial, readSerial, serialDigits } from "../../../domain/serial-digits.ts";

test.each([
  ["1", "1"],
  ["1234", "1234"],
  ["12345", "1 2345"],
  ["12345678", "1234 5678"],
  ["123456789012345678901234567890123456789012345678", "1234 5678 9012 3456 7890 1234 5678 9012 3456 7890 1234 5678"],
  ["", ""],
])("%j in groups is %j, and the groups join to the same number", (serial, grouped) => {
  expect(groupSerial(serial)).toBe(grouped);
  expect(joinSerial(grouped)).toBe(serial);
});

test.each([
  ["  12 3456\u00a07890\u202f1234\t", "12345678901234"],
  ["iPad 2", "iPad 2"],
  ["12-34", "12-34"],
  ["", ""],
])("%j is joined to %j", (text, joined) => {
  expect(joinSerial(text)).toBe(joined);
});

test("a serial number in groups is accepted as that serial number, and its last groups find it", () => {
  expect(SerialNumber.parse("12 3456 7890")).toBe("1234567890");
  expect(SerialNumber.safeParse("012 3456").success).toBe(false);
  expect(serialDigits("3456 7890")).toBe("34567890");
});

const serial = 0x1a2b3c4d5e6f708192a3b4c5n.toString();

test.each([
  "1A2B3C4D5E6F708192A3B4C5",
  "1a2b3c4d5e6f708192a3b4c5",
  "0x1a2b3c4d5e6f708192a3b4c5",
  "serial=1A2B3C4D5E6F708192A3B4C5",
  "Serial Number: 1a:2b:3c:4d:5e:6f:70:81:92:a3:b4:c5",
  "1A-2B-3C-4D-5E-6F-70-81-92-A3-B4-C5",
  "1a 2b 3c 4d 5e 6f 70 81 92 a3 b4 c5",
  serial,
  groupSerial(serial),
])("%j is one serial number in a row, in an address of the API and in a list's search", (written) => {
  expect(readSerial(written)).toBe(serial);
  expect(SerialNumber.parse(written)).toBe(serial);
  expect(WrittenSerialNumber.parse(written)).toBe(serial);
  expect(serialDigits(written)).toBe(serial);
  expect(readSearch(written)?.serials).toContain(serial);
});

test("digits are read as decimal, even in groups; only a colon or a prefix marks them as hexadecimal", () => {
  expect(readSerial("1234567890123456")).toBe("1234567890123456");
  expect(readSerial("1.234.567.890")).toBe("1234567890");
  expect(readSerial("12 34 56 78")).toBe("12345678");
  expect(readSerial("12:34:56:78")).toBe(String(0x12345678));
  expect(readSerial("serial=0ADA")).toBe(String(0xada));
});

test.each(["laptop", "2.0", "4711.5", "1.23457E+11", "0x", "", "deadbeef and more", "ada"])(
  "%j is not a serial number",
  (text) => {
    expect(readSerial(text)).toBeUndefined();
    expect(SerialNumber.safeParse(text).success).toBe(false);
  },
);

test("a word of hexadecimal letters is searched as a word", () => {
  expect(serialDigits("deadbeef")).toBeUndefined();
});
