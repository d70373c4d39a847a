import { expect, test } from "vitest";
import * as localCredentials from "../../../db/queries/sign-in/local-credentials.ts";
import { sql } from "../../../db/sql.ts";
import { foldsAlike } from "../../../domain/people/user-name.ts";
import { useDatabase } from "../../support/run/database.ts";
import { givenRows } from "../../support/given/given.ts";

const database = useDatabase();
const given = givenRows(() => database.owner);

/**
 * Returns every character that the code or the database changes or produces in folding, with the database's folded
 * form.
 */
async function cased(): Promise<{ character: string; folded: string }[]> {
  const changedHere = Array.from({ length: 0x10ffff }, (_, index) => index + 1)
    .filter((point) => point < 0xd800 || point > 0xdfff)
    .map((point) => String.fromCodePoint(point))
    .filter((character) => character !== character.toLowerCase())
    .flatMap((character) => [character, ...Array.from(character.toLowerCase())]);
  return database.owner.query(sql`
    with every as (
      select chr(n) as character, lower(chr(n)) as folded
        from generate_series(1, x'10ffff'::integer) as n
       where n not between x'd800'::integer and x'dfff'::integer
    ), cased as (
      select unnest(array[character, folded]) as character from every where character <> folded
      union
      select unnest(${changedHere}::text[])
    )
    select character, lower(character) as folded from cased
  `);
}

test("a new username can only have characters that database and code fold alike", async () => {
  const characters = await cased();
  expect(characters.length).toBeGreaterThan(2_000);

  const accepted = characters.filter(({ character, folded }) => foldsAlike(`a${character}`, `a${folded}`));
  for (const { character, folded } of accepted) {
    expect(folded).toBe(character.toLowerCase());
    expect(character.normalize("NFKC")).toBe(character);
  }
  const refused = characters.filter((each) => !accepted.includes(each)).map(({ character }) => character);
  for (const letter of "azAZäÄßéÉσжЖ") expect(refused).not.toContain(letter);
  // The capital I with a dot, the Kelvin and Angstrom signs, and the capital sigma, which has two small forms.
  for (const letter of "\u0130\u212a\u212bΣ") expect(refused).toContain(letter);
});

test("every spelling of a name leads to the same account, or to the same unknown name", async () => {
  const realmId = await given.realm();
  const characters = await cased();
  const names = [...new Set(characters.map(({ folded }) => folded))];
  const taken = names.filter((_, index) => index % 2 === 0);
  await database.owner.query(sql`
    with made as (
      insert into users (realm_id, pairwise_id, email, created_at)
      select ${realmId}, 'p' || n, '', now() from generate_series(1, ${taken.length}::integer) as n
      returning id, pairwise_id
    )
    insert into local_credentials (user_id, realm_id, username)
    select id, ${realmId}, 'a' || (${taken}::text[])[substr(pairwise_id, 2)::integer] from made
  `);

  const rows = await database.owner.query<{ username: string; userId: string }>(sql`
    select username, user_id as "userId" from local_credentials where realm_id = ${realmId}
  `);
  const accounts = new Map(rows.map(({ username, userId }) => [username, userId]));
  expect(accounts.size).toBe(taken.length);

  for (const { character, folded } of characters.filter((each) => each.character !== each.folded)) {
    const found = await localCredentials.find(database.owner, { realmId, username: `A${character}` });
    expect(found).toMatchObject({ folded: `a${folded}` });
    expect(found.credential?.userId).toBe(accounts.get(`a${folded}`));
  }
});
