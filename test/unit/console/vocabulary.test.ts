import { expect, test } from "vitest";
import consoleEnglish from "../../../console/texts/en.json" with { type: "json" };
import consoleGerman from "../../../console/texts/de.json" with { type: "json" };
import { english as pagesEnglish } from "../../../api/pages/texts/english.ts";
import { german as pagesGerman } from "../../../api/pages/texts/german.ts";
import { english as selfServiceEnglish } from "../../../api/browser/self-service/texts/english.ts";
import { rowWords } from "../../../domain/bulk-job/results/row-words.ts";
import { german as selfServiceGerman } from "../../../api/browser/self-service/texts/german.ts";

/** One word for each concept: the words to avoid, with their replacements. Names in the API stay. */
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
    [/\blet\b.*\b(?:(?<!sign )in again|back in)\b/i, "reactivate"],
    [/\btaken on\b|[Ww]ill change\b/, "added or updated"],
    [/\bSay of\b/, "Choose"],
    [/\bis so already|already so\b|\balready applies\b/i, "already in this state"],
    [/\byou can have all\b/i, "you can download everything"],
    [/, another (?:\d|\$\{|\{\{)/, ", for another"],
    [/^By these\b|stand in for|pose as/i, "identify, impersonate"],
    [/\bgoes alone\b|learn what was\b/i, "read, cannot be combined"],
    [/\brecorded with it|entries of what\b/i, "Details, Actions by"],
    [/\btime is up\b/i, "This took too long"],
    [/\bguest-link\b/i, "guest link"],
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
    [
      /(?:wieder|erneut) (?:herein|zu(?:ge)?lassen|auf(?:zu)?(?:nehmen|genommen))|herein(?:zu)?(?:ge)?lass/i,
      "Zugang wiederherstellen",
    ],
    [/reaktivier/i, "Zugang wiederherstellen"],
    [/\bAlle, die sich ändern|niemand angerührt/, "Personen, die angelegt oder geändert werden"],
    [/\bBeratung\b/, "Helpdesk"],
    [/„Verwaltung“|: Verwaltung\b|\b[Dd](?:ie|er) Verwaltung (?:darf|kann|muss|soll|hat|gibt)\b/, "Administrator:in"],
    [/\bKonsolen?\b/, "Verwaltung"],
    [/(?!^Betrieb$)\bBetriebs?\b/, "Betreiber"],
    [/\bAm längsten wartet\b/i, "Längste Wartezeit"],
    [/\bDomänen?\b/, "Domain"],
    [/\bKennw[oö]rt/, "Passwort"],
    [/\bGast-Link/, "Gastlink"],
    [/\b(?:Grenzen?|Limits?)\b(?! Sie)/, "Obergrenze"],
    [/\bje (?:Person|Gerät|Zeile|Profil|ein|höchstens)/, "pro"],
    [/\bIhre Zeit ist um\b/, "Das hat zu lange gedauert"],
  ],
} as const;

/** Returns `place: text` for each text below; the texts of a function are in its source. */
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
  ["german", "results of jobs", rowWords.de],
] as const)("each thing has only one word in the %s texts of the %s", (language, _where, texts) => {
  expect(textsOf(texts).length).toBeGreaterThan(30);
  expect(faultsIn(language, texts)).toEqual([]);
});

test.each([
  ["english", { a: { b: "Users of the realm" } }, "a.b: Users of the realm"],
  ["english", { a: (n: number) => `${n} infrastructure profiles` }, "a: "],
  ["english", { a: "Let 3 people in again" }, "a: Let"],
  ["english", { a: "until 22:47 UTC, another 59 minutes" }, "a: until"],
  ["english", { a: (rest: string) => `22:47, another ${rest}` }, "a: "],
  ["german", { a: "Zustand" }, "a: Zustand"],
  ["german", { a: "3 Personen wieder hereinlassen" }, "a: 3"],
  ["german", { a: "Personen reaktivieren" }, "a: Personen"],
  ["german", { a: "Rolle: Verwaltung" }, "a: Rolle"],
  ["german", { a: "Die Verwaltung darf mehr" }, "a: Die"],
  ["german", { a: "Listen dieser Konsole" }, "a: Listen"],
  ["german", { a: "Fragen Sie den Betrieb." }, "a: Fragen"],
  ["german", { a: "eine je Zeile" }, "a: eine"],
  ["german", { a: "Eine eigene Grenze" }, "a: Eine"],
  ["german", { a: "Der Benutzer" }, "a: Der Benutzer"],
] as const)("a word to avoid is found in %s: %j", (language, texts, found) => {
  const faults = faultsIn(language, texts);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(found);
});

test.each([
  ["german", { a: "Grenzen Sie die Suche ein." }],
  ["german", { a: "In der Verwaltung angemeldet" }],
  ["german", { a: "Die Verwaltung ist für Personen mit einer Rolle." }],
  ["german", { a: "Betrieb" }],
  ["german", { a: "Personen aufnehmen" }],
  ["english", { a: "Add another 3 devices" }],
  ["english", { a: "Let people sign in again." }],
] as const)("words that only resemble a word to avoid are allowed in %s: %j", (language, texts) => {
  expect(faultsIn(language, texts)).toEqual([]);
});

/** The words in the plural after a number that are wrong for 1. */
const plurals = {
  english:
    /\}\} (?:[a-z]+ )?(?:people|persons|profiles|devices|rows|accounts|entries|jobs|keys|steps|were|are|have|do)\b/,
  german:
    /\}\} (?:[a-zäöüß]+ )?(?:Personen|Profilen?|Geräten?|Zeilen|Konten|Gastkonten|Einträgen?|Schritten?|sind|wurden|waren|haben)\b/,
} as const;

/** Numbers that are never 1: constants, and parts of a whole. */
const neverOne: Readonly<Record<string, string>> = {
  "users.understood.moreDigits": "a fixed number",
  "guests.event.limitBound": "the realm's bound",
  "confirm.total": "more than the realm's share",
  "setup.progress": "all steps",
};

const countFaults = (language: keyof typeof plurals, texts: unknown): string[] =>
  textsOf(texts)
    .filter(
      ([place, text]) =>
        (place.endsWith("_one") || !/_(?:other|zero)$/.test(place)) &&
        !(place in neverOne) &&
        plurals[language].test(text),
    )
    .map(([place, text]) => `${place}: ${text}`);

test.each([
  ["english", consoleEnglish],
  ["german", consoleGerman],
] as const)("every text with a number is grammatical for 1: %s", (language, texts) => {
  expect(countFaults(language, texts)).toEqual([]);
  const keys = textsOf(texts).map(([place]) => place);
  const lonely = keys
    .filter((key) => /_(?:one|other)$/.test(key))
    .map((key) => key.replace(/_(?:one|other)$/, ""))
    .filter((key) => !keys.includes(`${key}_one`) || !keys.includes(`${key}_other`));
  expect(lonely).toEqual([]);
});

test.each([
  ["english", { a: "{{issued}} were issued" }],
  ["english", { a_one: "{{count}} people" }],
  ["german", { a: "{{count}} Profile prüfen" }],
  ["german", { a_one: "{{formatted}} neue Geräte" }],
] as const)("control: a text that is wrong for 1 is found in %s: %j", (language, texts) => {
  expect(countFaults(language, texts)).toHaveLength(1);
});
