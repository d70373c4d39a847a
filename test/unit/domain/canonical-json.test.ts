import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../../domain/canonical-json.ts";

describe("canonical JSON", () => {
  test.each([
    ["white space", ' {\n "a" : [ 1 ,\t2 ] } ', '{"a":[1,2]}'],
    ["the order of names", '{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
    ["names by UTF-16 units, not by code points", '{"\\ufb33":1,"😀":2,"é":3}', '{"é":3,"😀":2,"\ufb33":1}'],
    ["escapes", '"\\u0041\\/\\u000a\\u001f\\u20ac\\""', '"A/\\n\\u001f€\\""'],
    ["every digit of a number", "[1.0,1e3,12345678901234567890,-0]", "[1.0,1e3,12345678901234567890,-0]"],
    ["empty things", '{"a":{},"b":[],"":""}', '{"":"","a":{},"b":[]}'],
    ["words", "[true,false,null]", "[true,false,null]"],
    ["brackets and commas in strings", '{"a":"},{","b":"]["}', '{"a":"},{","b":"]["}'],
    ["a name that objects have of their own", '{"__proto__":1,"a":2}', '{"__proto__":1,"a":2}'],
    ["what is canonical already", '{"a":[{"b":"c"}]}', '{"a":[{"b":"c"}]}'],
  ])("%s", (_, text, expected) => {
    expect(canonicalJson(text)).toBe(expected);
  });

  test.each(["", "{", '{"a":1,}', "{} {}", "NaN", "'a'", "[".repeat(501) + "]".repeat(501)])(
    "%j is refused",
    (text) => {
      expect(() => canonicalJson(text)).toThrow(SyntaxError);
    },
  );
});
