import type { ProfileKind } from "../../../domain/certificate/profile.ts";
import { GuestAccountID, UserID } from "../../../domain/ids.ts";
import type { SearchText } from "../../../domain/people/search-text.ts";
import { all, beginningWith, containsWord, serialContains } from "../../page.ts";
import { join, sql, type Sql } from "../../sql.ts";

/**
 * Conditions for the matches of a text, one for each table. Lists and the search over everything share these
 * conditions.
 */

export const anyOf = (alternatives: readonly Sql[]): Sql =>
  alternatives.length === 0 ? sql`false` : sql`(${join(alternatives, sql` or `)})`;

const hasWords = (folded: Sql, words: readonly string[]): Sql =>
  words.length === 0 ? sql`false` : sql`(${all(words.map((word) => containsWord(folded, word)))})`;

/**
 * Returns the condition that each of the words is in the pairwise id, the e-mail address or the name of user `u`. Each
 * column has an index.
 */
export const mentionsPerson = (words: readonly string[]): Sql =>
  all(
    words.map((word) =>
      anyOf(
        [sql`u.pairwise_id_folded`, sql`u.email_folded`, sql`lower(u.display_name)`].map((place) =>
          containsWord(place, word),
        ),
      ),
    ),
  );

/**
 * Returns the condition that the whole text is a spelling of the id of user `u`; returns no condition for an ASCII
 * text. Only beyond ASCII has an id several spellings that a search for a part of the id may miss.
 */
export const spellsPerson = (text: string): Sql[] =>
  /\P{ASCII}/u.test(text) ? [sql`folded_id(u.pairwise_id) = folded_id(${text})`] : [];

/** Returns the alternative conditions by which a text finds user `u`; each has an index. */
export const ofPerson = ({ whole, words }: SearchText): Sql[] => [
  ...(words.length === 0 ? [] : [mentionsPerson(words)]),
  ...spellsPerson(whole),
  ...(UserID.safeParse(whole).success ? [sql`u.id = ${whole}`] : []),
];

/** Returns the condition that a text finds guest account `g`. */
export const ofGuestAccount = ({ whole, words }: SearchText): Sql =>
  anyOf([
    hasWords(sql`lower(g.name)`, words),
    ...(GuestAccountID.safeParse(whole).success ? [sql`g.id = ${whole}`] : []),
  ]);

/** Returns the condition that a text finds application `a`. */
export const ofApplication = ({ whole, words }: SearchText): Sql =>
  anyOf([hasWords(sql`lower(a.name)`, words), sql`a.client_id = ${whole}`]);

/** Returns the condition that a text finds job `j` by its name or id. */
export const ofJob = ({ whole, words }: SearchText): Sql =>
  anyOf([hasWords(sql`lower(j.name)`, words), sql`j.id::text = ${whole.toLowerCase()}`]);

/**
 * Returns the condition that a text finds profile `c` among few profiles: those of one owner, or the infrastructure
 * profiles of a realm.
 */
export const ofFewProfiles = ({ whole, words, serials, identity }: SearchText): Sql =>
  anyOf([
    hasWords(sql`lower(c.name)`, words),
    serialContains(sql`c.serial_number`, whole),
    sql`c.serial_number = any(${serials}::text[])`,
    ...(identity === undefined ? [] : [identityBeginsWith(identity)]),
  ]);

interface SoughtProfiles {
  realmId: string;
  searched: SearchText;
  kinds: readonly ProfileKind[];
  at: Date;
  /** Fewer digits do not count as a part of a serial number. */
  digitsMin: number;
}

/**
 * Returns the statements that together select the profiles `c` that a text finds, active or not: by the serial number
 * or its beginning or end (any part of it for users' active profiles), by the beginning of the identity, and by the
 * words of the name. Each statement uses an index; a single statement for all conditions would not use them.
 */
export function selectProfiles(columns: Sql, { realmId, searched, kinds, at, digitsMin }: SoughtProfiles): Sql[] {
  const { serials, identity, words } = searched;
  const digits = (searched.digits?.length ?? 0) >= digitsMin ? searched.digits : undefined;
  const found = (matching: Sql): Sql => sql`
    select ${columns}
      from certificates c
     where c.realm_id = ${realmId} and c.kind = any(${kinds}::text[]) and ${matching}`;
  return [
    ...(serials.length === 0 ? [] : [found(sql`c.serial_number = any(${serials}::text[])`)]),
    ...(digits === undefined
      ? []
      : [
          found(sql`c.serial_number like ${beginningWith(digits)}`),
          found(sql`reverse(c.serial_number) like ${beginningWith(Array.from(digits).reverse().join(""))}`),
          sql`select ${columns}
                from active_profiles a
                join certificates c on c.id = a.id
               where a.realm_id = ${realmId} and a.not_after > ${at} and ${serialContains(sql`a.serial_number`, digits)}
                 and c.kind = any(${kinds}::text[])`,
        ]),
    ...(identity === undefined ? [] : [found(identityBeginsWith(identity))]),
    ...(words.length === 0
      ? []
      : [
          found(sql`c.revoked_at is null and not c.lapsed and ${all(words.map(isInName))}`),
          found(sql`(c.revoked_at is not null or c.lapsed) and ${all(words.map(isInName))}`),
        ]),
  ];
}

/**
 * Returns the condition that a profile's name contains the word. A word of one or two characters matches only the
 * beginning of a word in the name: the trigram index finds no other matches, and reading every name would take too
 * long.
 */
function isInName(word: string): Sql {
  const name = sql`lower(c.name)`;
  if (Array.from(word).length > 2) return containsWord(name, word);
  const beginning = beginningWith(word.toLowerCase());
  return anyOf([beginning, `% ${beginning}`, `%-${beginning}`].map((pattern) => sql`${name} like ${pattern}`));
}

/**
 * Returns the condition that an identity begins with this text. Identities are in lower case, except names of servers,
 * for which people choose the letter case.
 */
const identityBeginsWith = (beginning: string): Sql =>
  anyOf(
    [...new Set([beginning, beginning.toLowerCase()])].map(
      (spelling) => sql`c.identity like ${beginningWith(spelling)}`,
    ),
  );
