import { describe, expect, test } from "vitest";
import { kindsOnPage } from "../../../../console/pages/bulk-jobs/kinds.ts";
import german from "../../../../console/texts/de.json" with { type: "json" };
import english from "../../../../console/texts/en.json" with { type: "json" };
import { jobKinds, kindsOfJob, type JobKind } from "../../../../domain/bulk-job/job.ts";

const texts = { en: english.jobs, de: german.jobs };
type Texts = typeof english.jobs | typeof german.jobs;

/** Returns all texts of one kind, as its pages show them from the choice of a file to the result. */
const textsOf = (kind: JobKind, jobs: Texts): Record<string, string> => {
  const { counts } = kindsOnPage[kind];
  const about = jobs.about[kindsOfJob[kind].of];
  return {
    title: jobs.kinds[kind],
    begin: jobs.new[kind],
    lead: jobs.new.lead[kind],
    question: jobs.start.text[`${kind}_other`],
    takenBack: jobs.start.takenBack[kind],
    tick: jobs.start.sure[`${kind}_other`],
    button: jobs.start.button[`${kind}_other`],
    buttonLeavingOut: jobs.start.button[`${kind}LeaveOut_other`],
    list: jobs.people.title[kind],
    willChange: jobs.counts[counts.willChange],
    changed: jobs.counts[counts.changed],
    row: jobs.people.outcomes[kind].changed,
    share: about.share_other,
    many: about.many_other,
    empty: about.empty,
    leftOut: about.allLeftOut,
  };
};

/** Words for texts of one kind only. */
const ownWords: Record<keyof typeof texts, Record<JobKind, RegExp>> = {
  en: {
    onboarding: /onboard|add|^start for|update|will change|^changed$/i,
    offboarding: /offboard(?!ed again)|los(?:es?|t) access/i,
    reactivation: /let.* in again|can sign in|reactivat(?:e people|ion)/i,
    revocation: /^revo|, revoke|\d?}} profiles are revoked|will be revoked/i,
  },
  de: {
    onboarding: /^für .* starten|aufnehmen|aufnahme|anlegen oder ändern|angelegt oder geändert|ändern|geändert/i,
    offboarding: /zug[aä]ng.* beende|verlier/i,
    reactivation: /wieder herein|hereinlassen|wieder anmelden|reaktivierung|personen reaktivieren/i,
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

    test("has its own words for questions, checkboxes, buttons, counts and lists", () => {
      for (const place of [
        "title",
        "begin",
        "question",
        "tick",
        "button",
        "buttonLeavingOut",
        "willChange",
        "changed",
        "row",
      ]) {
        expect(own[place], place).toMatch(
          place === "question" && kind === "offboarding" ? /lose access|Zugang/ : words[kind],
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
          "question",
          "takenBack",
          "tick",
          "button",
          "buttonLeavingOut",
          "list",
          "willChange",
          "changed",
          "row",
        ])
          expect(own[place], `${place} of ${other}`).not.toBe(others[place]);
        for (const place of ["tick", "button"]) expect(own[place], `${place} of ${other}`).not.toMatch(words[other]);
      }
    });

    test("counts people or profiles, whichever it changes", () => {
      const [its, others] = of === "people" ? [people, profiles] : [profiles, people];
      for (const place of ["tick", "button", "share", "many", "empty", "leftOut"]) {
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

  test("is red if it takes something away, and green only if it does not", () => {
    expect(kindsOnPage[kind].color).toBe(takesAway ? "red" : "teal");
    expect(kindsOnPage[kind].bar.startsWith("teal")).toBe(!takesAway);
  });
});

test("a kind that takes something away needs its number confirmed", () => {
  for (const { takesAway, confirmed } of Object.values(kindsOfJob)) expect(confirmed || !takesAway).toBe(true);
});
