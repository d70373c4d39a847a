import { describe, expect, test } from "vitest";
import { skeletonOf } from "../../../domain/look-alikes.ts";

const name = "Administration console";

describe("names that look alike have one skeleton", () => {
  test.each([
    ["letter case", "ADMINISTRATION CONSOLE"],
    ["blanks", " Administration\u00a0 console "],
    ["wide letters", "\uff21dministration console"],
    ["Cyrillic letters", "\u0410dministrati\u043en c\u043ens\u043ele"],
    ["Cyrillic capitals", "\u0410DM\u0406N\u0406S\u0422R\u0410\u0422\u0406\u041eN \u0421\u041eN\u0405\u041eL\u0415"],
    ["Greek letters", "Administrati\u03bfn c\u03bfns\u03bfle"],
    ["digits", "Admin1stration c0nsole"],
    ["a small l for a capital I", "ADMlNlSTRATlON CONSOLE"],
    ["two letters that look like one", "Adrninistration console"],
    ["mathematical letters", "\u{1d400}dministration console"],
    ["a zero width space", "Administration\u200b console"],
    ["a soft hyphen", "Admini\u00adstration console"],
    ["a right-to-left override", "\u202eAdministration console"],
    ["a variation selector", "Administration\ufe0f console"],
    ["a Hangul filler", "Administration\u3164console"],
  ])("by %s", (_, other) => {
    expect(skeletonOf(other)).toBe(skeletonOf(name));
  });
});

test.each(["Administration consoles", "Administrator console", "Ädministration console", "Verwaltung", "管理"])(
  "%s looks different",
  (other) => {
    expect(skeletonOf(other)).not.toBe(skeletonOf(name));
    expect(skeletonOf(other)).not.toBe("");
  },
);
