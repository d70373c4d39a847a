import { columnMeanings, foldHeading, type ColumnMeaning } from "../../../../../domain/bulk-job/input/columns.ts";
import type { JobKind } from "../../../../../domain/bulk-job/job.ts";
import { isEmailAddress } from "../../../../../domain/people/email.ts";
import type { Choice } from "./column-choice.ts";

/** The methods of the browser's storage that this module uses. */
export interface Shelf {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
}

const key = "realmpass-columns";

/** If there are more sets of headings, the oldest ones are forgotten. */
const setsMax = 50;

/** The meanings of the columns with one set of headings. Only headings are stored, never data. */
interface Remembered {
  kind: JobKind;
  choices: Readonly<Record<string, ColumnMeaning>>;
}

/**
 * Stores the choices for a set of headings in any order. Does not store a set with equal headings, or with a heading
 * that may name a person.
 */
export function rememberChoices(
  shelf: Shelf,
  { kind, headings, choices }: { kind: JobKind; headings: readonly string[]; choices: readonly Choice[] },
): void {
  const names = setOf(headings);
  if (names === undefined || headings.some(mayNamePerson)) return;
  const chosen = Object.fromEntries(
    headings.flatMap((heading, index): [string, ColumnMeaning][] =>
      heading === "" ? [] : [[foldHeading(heading), choices[index] ?? "ignore"]],
    ),
  );
  const others = read(shelf).filter((set) => !isSet(set, kind, names));
  try {
    shelf.setItem(key, JSON.stringify([{ kind, choices: chosen }, ...others].slice(0, setsMax)));
  } catch {
    // The browser's storage is full, so the user chooses again next time.
  }
}

/**
 * Returns the choices for the last file with the same headings, in the order of `headings`; undefined if there are
 * none.
 */
export function rememberedChoices(shelf: Shelf, kind: JobKind, headings: readonly string[]): Choice[] | undefined {
  const names = setOf(headings);
  const found = names && read(shelf).find((set) => isSet(set, kind, names));
  return found && headings.map((heading) => (heading === "" ? "ignore" : found.choices[foldHeading(heading)]));
}

/**
 * Returns the headings that identify a set of choices; undefined if two headings are equal or there are no headings.
 */
function setOf(headings: readonly string[]): string[] | undefined {
  const names = headings.filter((heading) => heading !== "").map(foldHeading);
  return names.length === 0 || new Set(names).size < names.length ? undefined : names;
}

const isSet = ({ kind, choices }: Remembered, of: JobKind, names: readonly string[]): boolean =>
  kind === of && Object.keys(choices).length === names.length && names.every((name) => Object.hasOwn(choices, name));

/**
 * Returns true if a heading may be data, such as an address or a number: the first row of a file without headings is
 * data.
 */
const mayNamePerson = (heading: string): boolean => isEmailAddress(heading) || /\d{4}/.test(heading);

const meanings: ReadonlySet<unknown> = new Set(columnMeanings);

function read(shelf: Shelf): Remembered[] {
  try {
    const sets = JSON.parse(shelf.getItem(key) ?? "[]") as Remembered[];
    return sets.filter(({ choices }) => Object.values(choices).every((choice) => meanings.has(choice)));
  } catch {
    // The stored value has another form, so this page did not write it.
    return [];
  }
}
