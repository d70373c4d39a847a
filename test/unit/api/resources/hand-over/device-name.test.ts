import { expect, test } from "vitest";
import { givenName, nameFor, suggestedName } from "../../../../../api/resources/hand-over/device-name.ts";
import { selfServiceTexts } from "../../../../../api/browser/self-service/texts/self-service-texts.ts";
import { deviceTypes } from "../../../../../domain/certificate/device.ts";
import { ProfileName } from "../../../../../domain/certificate/profile.ts";

test.each([
  ["Mia Keller", "Mia"],
  ["Keller, Mia Sophie", "Mia"],
  ["  Mia  ", "Mia"],
  ["Mia", "Mia"],
  ["Keller,", undefined],
  ["", undefined],
  [null, undefined],
])("%j is called %j", (displayName, name) => {
  expect(givenName(displayName)).toBe(name);
});

test("every suggested name is valid for a profile", () => {
  for (const displayName of [null, "Mia Keller", "x".repeat(300), "a\u0007b\nc", "電話".repeat(40)]) {
    for (const deviceType of deviceTypes) {
      for (const texts of [selfServiceTexts("en"), selfServiceTexts("de")]) {
        expect(ProfileName.safeParse(suggestedName(deviceType, displayName, texts)).success).toBe(true);
      }
    }
  }
  expect(suggestedName("iOS", "Mia Keller", selfServiceTexts("de"))).toBe("iPhone von Mia");
});

test("a suggested name changes with the device and keeps its language; a chosen name stays", () => {
  expect(nameFor("iOS", "Laptop of Mia", "Mia Keller")).toBe("iPhone of Mia");
  expect(nameFor("iOS", "Laptop von Mia", "Mia Keller")).toBe("iPhone von Mia");
  expect(nameFor("iOS", "Laptop of Ben", "Mia Keller")).toBe("Laptop of Ben");
  expect(nameFor("iOS", "iPhone of Mia", "Mia Keller")).toBe("iPhone of Mia");
});
