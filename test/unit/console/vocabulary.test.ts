import { expect, test } from "vitest";
import consoleEnglish from "../../../console/texts/en.json" with { type: "json" };
import consoleGerman from "../../../console/texts/de.json" with { type: "json" };
import { english as pagesEnglish } from "../../../api/pages/texts/english.ts";
import { german as pagesGerman } from "../../../api/pages/texts/german.ts";
import { english as selfServiceEnglish } from "../../../api/browser/self-service/texts/english.ts";
import { german as selfServiceGerman } from "../../../api/browser/self-service/texts/german.ts";

/** One word for each concept: the words to avoid, with their replacements. The API's names stay. */
const otherWords = {
  english: [
    [/(?<!")\busers?\b(?! name|[:"])/i, "person, people"],
    [/blacklist/i, "offboard"],
    [/infrastructure profile/i, "server certificate"],
    [/certificate authorit/i, "certification authority"],
    [/redirect address/i, "redirect URI"],
    [/^State$/, "Status"],
    [/^(?:Expires|Ends)$/, "Valid until"],
    [/\bto go on: |how to go on/i, "to continue, next steps"],
  ],
  german: [
    [/\b(?:Be)?[Nn]utzer(?!name|oberfläche)/, "Person"],
    [/blacklist/i, "Zugang beenden"],
    [/Infrastruktur-?[Pp]rofil/, "Serverzertifikat"],
    [/[Aa]usstellende[nr]? Stelle/, "Zertifizierungsstelle"],
    [/Arbeitsprozess/, "Worker"],
    [/Rücksprungadresse|Rückkehradresse/, "Redirect-URI"],
    [/Kennzeichen/, "Vorgangsnummer"],
    [/Massenvorg/, "Sammelauftrag"],
    [/^(?:Stand|Zustand)$/, "Status"],
    [/^(?:Läuft ab|Endet)$/, "Gültig bis"],
    [/^Nummer$/, "Interne Nummer"],
  ],
} as const;

/** Returns `place: text` of each text below; a function's are in its source. */
function textsOf(value: unknown, place = ""): [place: string, text: string][] {
  if (typeof value === "string") return [[place, value]];
  if (typeof value === "function") return [[place, String(value)]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => textsOf(inner, place === "" ? key : `${place}.${key}`));
}

const faultsIn = (language: keyof typeof otherWords, texts: unknown): string[] =>
  textsOf(texts).flatMap(([place, text]) =>
    otherWords[language].flatMap(([word, instead]) =>
      word.test(text) ? [`${place}: ${text} (${word.source}: say ${instead})`] : [],
    ),
  );

test.each([
  ["english", "console", consoleEnglish],
  ["english", "pages", pagesEnglish],
  ["english", "self-service", selfServiceEnglish],
  ["german", "console", consoleGerman],
  ["german", "pages", pagesGerman],
  ["german", "self-service", selfServiceGerman],
] as const)("each thing has one word, and no other, in the %s texts of the %s", (language, _where, texts) => {
  expect(textsOf(texts).length).toBeGreaterThan(50);
  expect(faultsIn(language, texts)).toEqual([]);
});

test.each([
  ["english", { a: { b: "Users of the realm" } }, "a.b: Users of the realm"],
  ["english", { a: (n: number) => `${n} infrastructure profiles` }, "a: "],
  ["german", { a: "Zustand" }, "a: Zustand"],
  ["german", { a: "Der Benutzer" }, "a: Der Benutzer"],
] as const)("another word is found in %s: %j", (language, texts, found) => {
  const faults = faultsIn(language, texts);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(found);
});
