import { only, type Database } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";

/** Pairs of ids that name one person, with the reason. */
export const sameIds = [
  ["JDoe@uni.example", "jdoe@UNI.example", "letter case"],
  ["J\u00e4ger", "JA\u0308GER", "a letter with its dots in one and in two characters"],
  ["\u01f0oe", "J\u030cOE", "a letter that has no capital in one character"],
  ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2", "the small sigma at the end of a word"],
  ["\u212aim", "kim", "the sign of Kelvin"],
  ["\u212bke", "\u00e5ke", "the sign of Angstrom"],
  ["\u0416\u0443\u043a", "\u0436\u0423\u041a", "Cyrillic"],
  ["\u{10400}a", "\u{10428}A", "letters beyond the first plane"],
  ["STRA\u1e9eE", "stra\u00dfe", "the capital sharp s"],
  ["jd\u200boe", "jdoe", "a character that nobody sees"],
  ["a\u200b\u0308", "\u00c4", "a character that nobody sees between a letter and its dots"],
] as const;

/** Pairs of ids that name two people, with the reason. */
export const differentIds = [
  ["stra\u00dfe", "strasse", "a letter is one letter"],
  ["\u0130lker", "ilker", "the capital i with a dot"],
  ["\u0131lker", "ilker", "the small i without a dot"],
  ["j\u00e4ger", "jager", "dots count"],
  ["jdoe", "jdoe1", "another id"],
  ["\uff4aim", "jim", "a letter of full width, which is no matter of NFC"],
] as const;

/**
 * Makes people with these ids. If the ids are spellings of one id, the service would create only the first person
 * today.
 */
export async function givenTwins(
  owner: Database,
  { realmId, ids, offboardedAt = null }: { realmId: string; ids: readonly string[]; offboardedAt?: Date | null },
): Promise<{ id: string; realmId: string }[]> {
  const made: { id: string; realmId: string }[] = [];
  for (const [twin, pairwiseId] of ids.entries()) {
    const { id } = only(
      await owner.query<{ id: string }>(sql`
        insert into users (realm_id, pairwise_id, created_at, offboarded_at, twin)
        values (${realmId}, ${pairwiseId}, now(), ${offboardedAt}, ${twin})
        returning id
      `),
    );
    made.push({ id, realmId });
  }
  return made;
}
