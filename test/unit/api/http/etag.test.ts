import { expect, test } from "vitest";
import { entityTag, hasRepresentation, matchesStrongly } from "../../../../api/http/etag.ts";

const tag = entityTag(Buffer.from("content"));
const other = entityTag(Buffer.from("other content"));

test("equal bytes have one strong tag, and different bytes have different tags", () => {
  expect(entityTag(Buffer.from("content"))).toBe(tag);
  expect(other).not.toBe(tag);
  for (const each of [tag, other]) expect(each).toMatch(/^"[\w-]{22}"$/);
});

test("If-Match compares strongly: a weak tag never matches", () => {
  for (const weak of [`W/${tag}`, `${other}, W/${tag}`]) expect(matchesStrongly(weak, tag)).toBe(false);
  for (const strong of [tag, `${other}, ${tag}`, `W/${other},${tag}`, "*"])
    expect(matchesStrongly(strong, tag)).toBe(true);
  for (const none of [other, "", tag.slice(1, -1)]) expect(matchesStrongly(none, tag)).toBe(false);
});

test("If-None-Match compares weakly: a weak tag can match", () => {
  for (const known of [tag, `W/${tag}`, `${other}, W/${tag}`, "*"]) expect(hasRepresentation(known, tag)).toBe(true);
  for (const unknown of [undefined, other, `W/${other}`, ""]) expect(hasRepresentation(unknown, tag)).toBe(false);
});
