import { expect, test } from "vitest";
import { isEmailAddress } from "../../../domain/people/email.ts";

test.each([
  "mia@x.example",
  "m.keller+realm@mail.uni-ulm.example",
  "o'brien@x.example",
  "j\u00e4ger@b\u00fccher.example",
  "a@1.example",
  `${"a".repeat(244)}@x.example`,
])("%s is an address", (text) => {
  expect(isEmailAddress(text)).toBe(true);
});

test.each([
  "",
  "mia",
  "mia@",
  "@x.example",
  "mia@localhost",
  "mia@x..example",
  "mia@-x.example",
  "mia@x.example.",
  ".mia@x.example",
  "mia.@x.example",
  "m..k@x.example",
  "mia@x@y.example",
  "mia keller@x.example",
  '"mia"@x.example',
  "<mia@x.example>",
  "Mia <mia@x.example>",
  "mia@x.example,ida@x.example",
  "mia@x.example;ida@x.example",
  "mia@[192.0.2.1]",
  " mia@x.example",
  "mia@x.example\n",
  `${"a".repeat(245)}@x.example`,
])("%j is refused", (text) => {
  expect(isEmailAddress(text)).toBe(false);
});

test("a long text that is almost an address is refused without delay", () => {
  expect(isEmailAddress(`${"a-".repeat(10_000)}@${"a-".repeat(10_000)}`)).toBe(false);
  expect(isEmailAddress(`a@${"a-".repeat(120)}`)).toBe(false);
});
