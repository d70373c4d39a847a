import { describe, expect, test } from "vitest";
import { kindTexts } from "../../../../console/pages/bulk-jobs/kind-texts.ts";
import { kindsOnPage } from "../../../../console/pages/bulk-jobs/kinds.ts";
import german from "../../../../console/texts/de.json" with { type: "json" };
import english from "../../../../console/texts/en.json" with { type: "json" };
import { jobKinds, kindsOfJob, type JobKind } from "../../../../domain/bulk-job/job.ts";

const texts = { en: english, de: german };
type Texts = typeof english | typeof german;

/** Returns the text of a key, in its plural form if there is one. */
function textAt(key: string, language: Texts): string {
  const at = (name: string): unknown =>
    name
      .split(".")
      .reduce<unknown>((branch, part) => (branch as Record<string, unknown> | undefined)?.[part], language);
  const found = at(key) ?? at(`${key}_other`);
  if (typeof found !== "string") throw new Error(`${key} is no text`);
  return found;
}

/** Returns all texts of one kind, as its pages show them from the choice of a file to the result. */
function textsOf(kind: JobKind, language: Texts): Record<string, string> {
  const { outcome, share, ...plain } = kindTexts(kind);
  const buttonLeavingOut = kindTexts(kind, { leavesOut: true }).button;
  const row = outcome.changed;
  const keys = { ...plain, buttonLeavingOut, row, share: share[kindsOfJob[kind].of] };
  return Object.fromEntries(Object.entries(keys).map(([place, key]) => [place, textAt(key, language)]));
}

/** Words that occur only in the texts of one kind. */
const ownWords: Record<keyof typeof texts, Record<JobKind, RegExp>> = {
  en: {
    onboarding: /onboard|add|^start for|update|^changed$/i,
    offboarding: /offboard(?!ed again)|los(?:es?|t) access/i,
    reactivation: /can sign in|reactivat(?:e|ed|ion)\b/i,
    revocation: /^revo|, revoke|\d?}} profiles are revoked|will be revoked/i,
  },
  de: {
    onboarding: /^für .* starten|aufnehmen|aufnahme|anlegen oder ändern|angelegt oder geändert|ändern|geändert/i,
    offboarding: /zug[aä]ng.* beende|verlier/i,
    reactivation: /wieder anmelden|zug[aä]ng.* wiederher(?:stell|gestell)/i,
    revocation: /^.*profile (?:werden endgültig )?widerrufen|wird widerrufen|widerrufen werden|^widerruf/i,
  },
};

const people = { en: /people|person|everybody|nobody/i, de: /person|alle wurden|niemand/i };
const profiles = { en: /profile/i, de: /profil/i };

describe.each(jobKinds)("a job of the kind %s", (kind) => {
  const { of, takesAway } = kindsOfJob[kind];

  describe.each(["en", "de"] as const)("in %s", (language) => {
    const own = textsOf(kind, texts[language]);
    const words = ownWords[language];

    test("has its own words for questions, buttons, counts and lists", () => {
      for (const place of ["title", "begin", "happens", "button", "buttonLeavingOut", "willChange", "changed", "row"]) {
        expect(own[place], place).toMatch(
          place === "happens" && kind === "offboarding" ? /lose access|Zugang/ : words[kind],
        );
      }
    });

    test("shows no text of another kind", () => {
      for (const other of jobKinds.filter((each) => each !== kind)) {
        const others = textsOf(other, texts[language]);
        for (const place of [
          "title",
          "begin",
          "lead",
          "happens",
          "takenBack",
          "button",
          "buttonLeavingOut",
          "list",
          "willChange",
          "changed",
          "row",
        ])
          expect(own[place], `${place} of ${other}`).not.toBe(others[place]);
        expect(own["button"], `button of ${other}`).not.toMatch(words[other]);
      }
    });

    test("counts people if it changes people, otherwise profiles", () => {
      const [its, others] = of === "people" ? [people, profiles] : [profiles, people];
      for (const place of ["button", "share", "many", "empty", "allLeftOut"]) {
        if (kind === "onboarding" && place === "button") continue;
        expect(own[place], place).toMatch(its[language]);
        expect(own[place], place).not.toMatch(others[language]);
      }
    });

    test("states whether it can be undone", () => {
      const forGood = { en: /cannot be (?:undone|restored)/, de: /nicht (?:rückgängig machen|wiederherstellen)/ }[
        language
      ];
      expect(forGood.test(own["takenBack"] ?? "")).toBe(takesAway);
      if (kind === "revocation") expect(own["takenBack"]).toMatch(/cannot be undone|nicht rückgängig/);
    });
  });

  test("shows the share of the people or profiles that it changes, and for an offboarding the share of the devices", () => {
    expect(kindsOnPage[kind].touches).toEqual(
      { onboarding: [], offboarding: ["people", "profiles"], reactivation: ["people"], revocation: ["profiles"] }[kind],
    );
    if (takesAway) expect(kindsOnPage[kind].touches).toContain(of);
  });

  test("is red if it removes access, and green only if it does not", () => {
    expect(kindsOnPage[kind].color).toBe(takesAway ? "red" : "teal");
    expect(kindsOnPage[kind].bar.startsWith("teal")).toBe(!takesAway);
  });
});

test("a kind that removes access needs its number confirmed", () => {
  for (const { takesAway, confirmed } of Object.values(kindsOfJob)) expect(confirmed || !takesAway).toBe(true);
});

describe.each(["en", "de"] as const)("days of grace in %s", (language) => {
  const written = (kind: JobKind, place: "happens" | "takenBack", later: boolean): string =>
    textAt(kindTexts(kind, { later })[place], texts[language]);

  test("change only the texts of an offboarding: what it does and whether it can be undone", () => {
    for (const place of ["happens", "takenBack"] as const) {
      expect(written("offboarding", place, true)).not.toBe(written("offboarding", place, false));
      for (const kind of jobKinds.filter((each) => each !== "offboarding"))
        expect(written(kind, place, true)).toBe(written(kind, place, false));
    }
    expect(written("offboarding", "takenBack", true)).toMatch(/^(?:Until then|Bis dahin)/);
  });

  test("are counted: one day has a separate text", () => {
    const { afterDays_one: one, afterDays_other: more } = texts[language].jobs.start;
    expect([one, more]).toEqual(
      language === "en" ? ["{{count}} day", "{{count}} days"] : ["{{count}} Tag", "{{count}} Tagen"],
    );
  });
});
