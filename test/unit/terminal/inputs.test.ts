import { expect, test } from "vitest";
import { wholeNumber } from "../../../terminal/inputs.ts";

test("a number is accepted only in digits and within its bounds", () => {
  expect(wholeNumber(0, 10).parse("10")).toBe(10);
  for (const given of ["-1", "11", "1.0", "1e1", "0x1", " 1", ""]) {
    expect(wholeNumber(0, 10).safeParse(given).success, given).toBe(false);
  }
});
