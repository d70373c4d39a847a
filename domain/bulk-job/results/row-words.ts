import { cellFaults, hiddenRowFault, type CellFault } from "../input/cell-faults.ts";
import type { RowStatus } from "../job.ts";
import { rowErrors, type RowErrorCode } from "../row-errors.ts";
import type { Language } from "../../words/language.ts";

/** The words for the rows of a job in a file for people. */
export interface RowWords {
  statuses: Readonly<Record<RowStatus, string>>;
  errors: Readonly<Record<RowErrorCode, string>>;
  /** Joins the names of columns if a row needs only one of them. */
  or: string;
  sameAs: (row: number) => string;
  severalPeople: (ids: string) => string;
  severalSpellings: (ids: string) => string;
  /** Patterns of the API's English messages about unusable cells and rows, each with its translation. */
  reasons: readonly (readonly [told: RegExp, said: string])[];
}

/** Returns a pattern and a translation for each fault of a cell. */
const faultReasons = (words: Readonly<Record<CellFault, string>>): [RegExp, string][] =>
  Object.entries(words).map(([fault, said]) => [new RegExp(`^${cellFaults[fault as CellFault]}$`), said]);

const english: RowWords = {
  statuses: {
    pending: "Pending",
    working: "In progress",
    changed: "Changed",
    unchanged: "Unchanged",
    failed: "Failed",
    skipped: "Skipped",
  },
  errors: rowErrors,
  or: " or ",
  sameAs: (row) => `The same as in row ${row}.`,
  severalPeople: (ids) => `Several people have this e-mail address: ${ids}.`,
  severalSpellings: (ids) => `Several people have this ID in other spellings: ${ids}.`,
  reasons: [],
};

const german: RowWords = {
  statuses: {
    pending: "Ausstehend",
    working: "In Arbeit",
    changed: "Geändert",
    unchanged: "Unverändert",
    failed: "Fehlgeschlagen",
    skipped: "Übersprungen",
  },
  errors: {
    invalid_row: "Die Zeile ist nicht verwendbar.",
    duplicate_row: "Eine frühere Zeile betrifft dieselbe Person oder dasselbe Profil.",
    user_not_found: "Diese Person gibt es in diesem Realm nicht.",
    ambiguous_email: "Mehrere Personen haben diese E-Mail-Adresse; nennen Sie die Person mit ihrer Kennung.",
    ambiguous_user:
      "Mehrere Personen haben diese Kennung in anderer Schreibweise; nennen Sie die Person genau so, wie sie in der Liste steht.",
    profile_not_found: "Kein Profil einer Person dieses Realms hat diese Seriennummer.",
    user_offboarded: "Der Zugang der Person wurde beendet; bitte zuerst wiederherstellen.",
    last_administrator: "Niemand sonst verwaltet diesen Realm; geben Sie die Rolle zuerst einer anderen Person.",
    user_locked: "Die Person ist gesperrt und erhält kein Profil.",
    profile_limit_reached: "Die Person hat so viele aktive Profile, wie erlaubt sind.",
    no_issuer: "Der Realm hat noch keine Zertifizierungsstelle. Der Betreiber muss zuerst eine anlegen.",
    issuer_expiring:
      "Die Zertifizierungsstelle endet früher als das Profil. Der Betreiber muss zuerst eine neue anlegen.",
    issuance_failed: "Das Zertifikat konnte nicht ausgestellt werden.",
    internal_error: "Bei uns ist etwas schiefgegangen; bitte versuchen Sie es mit dieser Zeile noch einmal.",
    taken_out: "Wurde vor der Durchführung herausgenommen.",
    user_forgotten: "Die Person wurde nach dem Auftrag vergessen; die Angaben der Zeile sind gelöscht.",
    changed_since:
      "Die Person wurde seitdem angelegt, oder ihr Zugang wurde wiederhergestellt oder anderweitig beendet. Dieser Auftrag hat daran nichts geändert.",
    undone: "Das Beenden wurde rückgängig gemacht, bevor die Profile widerrufen waren. Nichts wurde widerrufen.",
    cancelled: "Der Auftrag wurde vor dieser Zeile abgebrochen.",
  },
  or: " oder ",
  sameAs: (row) => `Dasselbe wie in Zeile ${row}.`,
  severalPeople: (ids) => `Mehrere Personen haben diese E-Mail-Adresse: ${ids}.`,
  severalSpellings: (ids) => `Mehrere Personen haben diese Kennung in anderer Schreibweise: ${ids}.`,
  reasons: [
    [/^must be a whole number from (\d+) to (\d+)$/, "muss eine ganze Zahl von $1 bis $2 sein"],
    [/^must be one of (.+)$/s, "möglich sind $1"],
    [/^must (?:have|be) (\d+) to (\d+) characters$/, "muss $1 bis $2 Zeichen haben"],
    [/^must not contain control characters$/, "enthält Zeichen, die sich nicht anzeigen lassen"],
    [/^must not contain an invisible character, as at (\d+)$/, "enthält an Stelle $1 ein unsichtbares Zeichen"],
    [/^must be a decimal identifier$/, "ist keine Nummer einer Person"],
    [/^must be text$/, "muss Text sein"],
    [
      /^must be a serial number, decimal or in hexadecimal octets$/,
      "ist keine Seriennummer, weder dezimal noch in hexadezimalen Oktetten",
    ],
    [/^is no address$/, "ist keine E-Mail-Adresse"],
    [/^is missing$/, "fehlt"],
    [/^holds (\d+) line breaks?$/, "enthält Zeilenumbrüche ($1); fehlt ein Anführungszeichen?"],
    [/^A cell holds (\d+) line breaks?\.$/, "Eine Zelle enthält Zeilenumbrüche ($1); fehlt ein Anführungszeichen?"],
    ...faultReasons({
      date: "ist ein Datum, das die Tabellenkalkulation aus der Eingabe gemacht hat",
      rounded: "ist eine Zahl, die die Tabellenkalkulation gerundet hat",
      shown: "zeigt einen anderen Wert, als die Zelle enthält",
      error: "ist ein Fehlerwert der Tabellenkalkulation",
      truth: "ist WAHR oder FALSCH",
      formula: "ist eine Formel ohne Ergebnis",
      blank: "verweist auf eine leere Zelle",
      shortened: "ist eine Zahl, die die Tabellenkalkulation verkürzt hat",
      decimals: "ist eine Zahl mit Nachkommastellen",
      count: "ist die Anzahl der Zeilen, die ein Programm darunter geschrieben hat",
    }),
    [/^occurs twice$/, "kommt zweimal vor"],
    [/^The row has more cells than the header\.$/, "Die Zeile hat mehr Zellen, als es Spalten gibt."],
    [new RegExp(`^${hiddenRowFault}$`), "Die Zeile ist in der Tabelle ausgeblendet und wurde weggelassen."],
    [/^The row has more than one cell\.$/, "Die Zeile hat mehr als eine Zelle."],
    [/^The row is no JSON object\.$/, "Die Zeile ist kein JSON-Objekt."],
    [/^The line is not valid JSON\.$/, "Die Zeile ist kein gültiges JSON."],
    [/^The line is nested deeper than (\d+) levels\.$/, "Die Zeile ist tiefer als $1 Ebenen verschachtelt."],
    [/^The line is longer than (\d+) (?:bytes|characters)\.$/, "Die Zeile ist länger als $1 Zeichen."],
    [/^A property occurs twice in one object\.$/, "Eine Eigenschaft kommt in einem Objekt zweimal vor."],
    [/^A string contains NUL or half a surrogate pair\.$/, "Ein Text enthält NUL oder ein halbes Zeichen."],
  ],
};

export const rowWords: Readonly<Record<Language, RowWords>> = { en: english, de: german };
