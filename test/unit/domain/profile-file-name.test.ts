import { describe, expect, test } from "vitest";
import { certificateFormats } from "../../../domain/certificate/format.ts";
import { fileStem, profileFileName, radiusCaFileName } from "../../../domain/certificate/profile-file-name.ts";

test.each([
  ["Linux computer", "linux-computer"],
  ["laptop", "laptop"],
  ["Büro Ümlaut Å", "buro-umlaut-a"],
  ["../etc/passwd", "etc-passwd"],
  ["C:\\Users\\Mia", "c-users-mia"],
  ["-rf", "rf"],
  [".profile", "profile"],
  ['a"b`c$(d);e|f', "a-b-c-d-e-f"],
  ["exe\u202Efdp.pem", "exe-fdp-pem"],
  ["nul\u0000l\nline", "nul-l-line"],
  ["con", "profile-con"],
  ["Com1", "profile-com1"],
  ["LPT\u00B9", "profile-lpt1"],
  ["console", "console"],
  ["RADIUS CA", "profile-radius-ca"],
  ["radius\u00A0ca", "profile-radius-ca"],
  ["RADIUS CA 2", "radius-ca-2"],
  ["電話", "profile"],
  ["", "profile"],
  ["...", "profile"],
])("%j is stored as %j", (name, stem) => {
  expect(fileStem(name)).toBe(stem);
});

test("a very long name is cut, and the cut leaves no dash at the end", () => {
  expect(fileStem("a".repeat(300))).toHaveLength(100);
  expect(fileStem(`${"a".repeat(99)} b`)).toBe("a".repeat(99));
  // One character that is transliterated as three.
  expect(fileStem("\u33D5".repeat(64)).length).toBeLessThanOrEqual(100);
});

test("a name that is already plain is unchanged", () => {
  for (const name of ["Linux computer", "RADIUS CA", "con", "電話", "a".repeat(300)])
    expect(fileStem(fileStem(name))).toBe(fileStem(name));
});

describe.each(certificateFormats)("the file of the format %s", (format) => {
  test("needs no quotes in a shell, a header or a URL", () => {
    for (const name of ['Mia\'s "laptop" $HOME', "../a b", "ä%20;"])
      expect(profileFileName({ name, format })).toMatch(/^[a-z0-9][a-z0-9-]*\.[a-z0-9-]+$/);
  });

  test("never has the name of the CA's file, which is stored next to it", () => {
    for (const name of ["RADIUS CA", "radius-ca", "Radius/CA!", "radius-ca.pem"])
      expect(profileFileName({ name, format })).not.toBe(radiusCaFileName);
  });
});
