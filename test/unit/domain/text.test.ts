import { expect, test } from "vitest";
import { ProfileName } from "../../../domain/certificate/profile.ts";
import { GuestAccountName } from "../../../domain/people/guest-account.ts";
import { RealmDisplayName } from "../../../domain/realm.ts";
import { recognisableName } from "../../../domain/text.ts";

const schemas = {
  "any name": recognisableName(1, 200),
  "a realm": RealmDisplayName,
  "a guest account": GuestAccountName,
};

test.each(Object.entries(schemas))(
  "%s loses invisible characters and blanks at both ends, and is refused with an invisible character elsewhere",
  (_, name) => {
    for (const invisible of ["\u200b", "\u00ad", "\u200e", "\u202e"]) {
      expect(name.safeParse(`Sum${invisible}mer`).error?.issues.map(({ message }) => message)).toEqual([
        "must not contain an invisible character, as at 4",
      ]);
      expect(name.parse(`${invisible}\u00a0Summer \ufeff${invisible}`)).toBe("Summer");
    }
    expect(name.parse("Jürgens „Gerät“ – 网络")).toBe("Jürgens „Gerät“ – 网络");
    expect(name.safeParse("\u200b \u00a0").success).toBe(false);
  },
);

test.each(["\u200b", "\u00ad", "\u202e", "\ufeff", "\u2060"])(
  "a device's name must not contain the invisible character %j, and keeps its blanks",
  (invisible) => {
    expect(ProfileName.safeParse(`Lap${invisible}top`).error?.issues.map(({ message }) => message)).toEqual([
      "must not contain an invisible character, as at 4",
    ]);
    expect(ProfileName.parse(`${invisible} Laptop${invisible}`)).toBe(" Laptop");
    expect(ProfileName.safeParse(invisible).success).toBe(false);
  },
);

test.each([
  ["an emoji of several", "Laptop 👩\u200d💻"],
  ["a Persian word", "گوشی\u200cها"],
  ["a Sinhala word", "ශ\u200dරී"],
])("a device's name can contain the joiners of %s", (_, name) => {
  expect(ProfileName.parse(name)).toBe(name);
});
