import { queryOptions } from "@tanstack/react-query";
import { foldText } from "../../../domain/people/search-text.ts";
import { readSerial } from "../../../domain/serial-digits.ts";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { besideName, personName } from "../../ui/value/person.tsx";

/** The log's filters that accept any text with which the search over everything finds their subject. */
export const meantFilters = ["user", "about", "job"] as const;
export type MeantFilter = (typeof meantFilters)[number];

/** A possible meaning of a filter's text. */
export interface Meaning {
  /** The subject in the API's form: `user:64`; `job:ID` for a bulk job. */
  subject: string;
  name: string;
  /** Further names and numbers, to show after the name. */
  beside: readonly string[];
}

/** The possible meanings of a text, the best match first, and whether there are more. */
export interface Meanings {
  found: readonly Meaning[];
  isMore: boolean;
}

/** A meaning, with its exact spellings. A text that is a spelling of only one meaning has that meaning. */
type Spelled = Meaning & { spellings: readonly string[] };

type Result = Schemas["SearchResult"];

/** The groups of search results that each filter can refer to. */
const kindsOf: Readonly<Record<MeantFilter, readonly Result["groups"][number]["kind"][]>> = {
  user: ["user", "profile"],
  about: ["user", "profile", "guestAccount", "application"],
  job: ["job"],
};

/** The search returns at most this many results of each kind. */
const limit = 20;

const serialTail = 8;

/** User IDs have at most 19 digits. */
const idDigitsMax = 19;

/** Returns the ID in a meaning's subject. */
export const idOf = ({ subject }: Meaning): string => subject.slice(subject.indexOf(":") + 1);

export const meaningsQuery = (filter: MeantFilter, text: string) => {
  const written = text.trim();
  return queryOptions({
    queryKey: ["meanings", filter, written],
    queryFn: async ({ signal }): Promise<Meanings> => {
      const subject = spelledOut(filter, written);
      return subject === undefined
        ? findMeanings(filter, written, signal)
        : { found: [{ subject, name: subject, beside: [] }], isMore: false };
    },
    staleTime: 60_000,
  });
};

/**
 * Returns the subject of a text with only one possible meaning: the API's form, a job's ID, a single digit or a whole
 * serial number. Returns undefined for any other text.
 */
function spelledOut(filter: MeantFilter, written: string): string | undefined {
  const form = {
    user: /^user:[1-9]\d*$/,
    about: /^(?:user|profile|guest|application):/,
    job: /^job:/,
  }[filter];
  if (form.test(written)) return written;
  if (filter === "job")
    return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(written) ? `job:${written}` : undefined;
  // A single digit is too short for a search.
  if (/^[1-9]$/.test(written)) return `user:${written}`;
  const digits = filter === "about" ? readSerial(written) : undefined;
  return digits !== undefined && /^[1-9]\d*$/.test(digits) && digits.length > idDigitsMax
    ? `profile:${digits}`
    : undefined;
}

async function findMeanings(filter: MeantFilter, written: string, signal: AbortSignal): Promise<Meanings> {
  const { groups, people } = await dataOf(
    api.POST("/api/search", { body: { q: written, limit, include: "jobs" }, signal }),
  );
  const meant = groups.map((group) => ({ group, found: meaningsIn(group, { filter, people }) }));
  const all = meant.flatMap(({ found }) => found);
  const each = [...new Map(all.toReversed().map((one) => [one.subject, one])).values()].toReversed();
  const isMore = meant.some(({ group, found }) => group.more && found.length > 0);
  for (const isSame of [
    (spelling: string) => spelling === written,
    (spelling: string) => foldText(spelling) === foldText(written),
  ]) {
    const exact = each.filter(({ spellings }) => spellings.some(isSame));
    if (exact.length === 1) return { found: exact, isMore: false };
  }
  return { found: each, isMore };
}

/**
 * Returns the possible meanings of a filter's text in one group of results. If the filter needs a person, a device
 * means its owner.
 */
function meaningsIn(
  group: Result["groups"][number],
  { filter, people }: { filter: MeantFilter; people: Result["people"] },
): Spelled[] {
  if (!kindsOf[filter].includes(group.kind)) return [];
  switch (group.kind) {
    case "user":
      return group.items.map((person) => ({
        ...meaningOfPerson(person),
        spellings: [person.userID, person.pairwiseID, person.email, person.displayName ?? ""],
      }));
    case "profile":
      return group.items.flatMap(({ serial, name, owner }) => {
        const person = owner === null ? undefined : people[owner];
        const known =
          owner !== null && person !== undefined ? meaningOfPerson({ userID: owner, ...person }) : undefined;
        const spellings = [serial, name];
        if (filter === "user") return known === undefined ? [] : [{ ...known, spellings }];
        const beside = [...(known === undefined ? [] : [known.name]), `…${serial.slice(-serialTail)}`];
        return [{ subject: `profile:${serial}`, name, beside, spellings }];
      });
    case "guestAccount":
      return group.items.map(({ id, name }) => named(`guest:${id}`, { id, name }));
    case "application":
      return group.items.map(({ client_id: id, name }) => named(`application:${id}`, { id, name }));
    case "job":
      return group.items.map(({ id, name }) => named(`job:${id}`, { id, name: name ?? id }));
  }
}

const meaningOfPerson = (person: Parameters<typeof besideName>[0]): Meaning => ({
  subject: `user:${person.userID}`,
  name: personName(person),
  beside: besideName(person),
});

const named = (subject: string, { id, name }: { id: string; name: string }): Spelled => ({
  subject,
  name,
  beside: [],
  spellings: [id, name],
});
