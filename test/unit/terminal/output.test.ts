import { expect, test } from "vitest";
import { plain, plainJson } from "../../../terminal/output.ts";

test.each(["\u0000", "\u001b", "\r", "\n", "\t", "\u007f", "\u009b", "\u202e", "\u2066", "\u2028"])(
  "%j cannot control a terminal",
  (character) => {
    expect(plain(`a${character}b`)).toBe("a\ufffdb");
    const json = plainJson({ text: `a${character}b` });
    expect(json).not.toContain(character);
    expect(JSON.parse(json)).toEqual({ text: `a${character}b` });
  },
);

test("letters of any language are kept", () => {
  expect(plain("Zoë Müller 王 👩‍💻")).toBe("Zoë Müller 王 👩‍💻");
});
