import { foldedCharacters } from "../../domain/people/letter-case.ts";
import type { Migration } from "./migration.ts";

/** `translate` looks through its list for each character: what ids have most, and what stays as it is, comes first. */
const frequent = new Set([
  ...Array.from("abcdefghijklmnopqrstuvwxyz0123456789@.-_"),
  ...[...foldedCharacters.values()].filter((letter) => letter !== "" && letter < "\u0500"),
]);
/** Characters that have none in the second text, which are the last, are dropped. */
const from = [...frequent, ...foldedCharacters.keys()].join("");
const to = [...frequent, ...foldedCharacters.values()].join("");

/**
 * Ids of people are compared without letter case, in NFC. Of a function with two bodies Postgres takes the plain one into
 * the statement that calls it; only an id beyond ASCII costs a call.
 */
export const foldedIds: Migration = {
  name: "20261128-1400-folded-ids",
  up: `
create function folded_id_beyond_ascii(id text) returns text
language plpgsql immutable strict parallel safe as $body$
begin
  return normalize(translate(lower(normalize(id, nfc) collate "C"), '${from}', '${to}'), nfc);
end
$body$;
comment on function folded_id_beyond_ascii is 'The part of folded_id for ids that are not all ASCII.';

create function folded_id(id text) returns text
language sql immutable parallel safe
return case when octet_length(id) = char_length(id) then lower(id collate "C") else folded_id_beyond_ascii(id) end;
comment on function folded_id is 'What all spellings of a person''s id have in common: without letter case (simple case folding) and format characters, in Unicode NFC. The same whatever the locale of the database, and the same as foldId in domain/people/pairwise-id.ts.';

alter table users add column twin smallint not null default 0;
comment on column users.twin is 'Counts the people whose ids differ in letter case or in Unicode form alone, the first 0: there are others only from before such ids were refused.';
`,
};
