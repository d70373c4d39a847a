import { expect, test } from "vitest";
import { SerialNumber } from "../../../domain/ids.ts";
import { groupSerial, joinSerial, serialDigits } from "../../../domain/serial-digits.ts";

test.each([
  ["1", "1"],
  ["1234", "1234"],
  ["12345", "1 2345"],
  ["12345678", "1234 5678"],
  ["123456789012345678901234567890123456789012345678", "1234 5678 9012 3456 7890 1234 5678 9012 3456 7890 1234 5678"],
  ["", ""],
])("%j in groups is %j, and is joined again", (serial, grouped) => {
  expect(groupSerial(serial)).toBe(grouped);
  expect(joinSerial(grouped)).toBe(serial);
});

test.each([
  ["  12 3456\u00a07890\u202f1234\t", "12345678901234"],
  ["iPad 2", "iPad 2"],
  ["12-34", "12-34"],
  ["", ""],
])("of %j joining makes %j", (text, joined) => {
  expect(joinSerial(text)).toBe(joined);
});

test("a serial number in groups is that serial number, and its end in groups finds it", () => {
  expect(SerialNumber.parse("12 3456 7890")).toBe("1234567890");
  expect(SerialNumber.safeParse("012 3456").success).toBe(false);
  expect(serialDigits("3456 7890")).toBe("34567890");
});
