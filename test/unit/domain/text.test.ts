import { expect, test } from "vitest";
import { GuestAccountName } from "../../../domain/people/guest-account.ts";
import { RealmDisplayName } from "../../../domain/realm.ts";
import { recognisableName } from "../../../domain/text.ts";

const schemas = {
  "any name": recognisableName(1, 200),
  "a realm": RealmDisplayName,
  "a guest account": GuestAccountName,
};

test.each(Object.entries(schemas))(
  "%s is named without invisible characters, and without blanks around it",
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
