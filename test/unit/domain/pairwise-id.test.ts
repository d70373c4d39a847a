import { expect, test } from "vitest";
import { readRow } from "../../../domain/bulk-job/input/row.ts";
import { foldId, PairwiseID } from "../../../domain/people/pairwise-id.ts";
import { withoutEnds } from "../../../domain/text.ts";
import { differentIds, sameIds } from "../../support/given/spellings.ts";

test.each(sameIds)("%s and %s are one id: %s", (one, other) => {
  expect(foldId(one)).toBe(foldId(other));
});

test.each(differentIds)("%s and %s are two ids: %s", (one, other) => {
  expect(foldId(one)).not.toBe(foldId(other));
});

test("blanks and invisible characters around an id are ignored", () => {
  expect(withoutEnds("\ufeff\u00a0 j doe\u200b\u200e\n")).toBe("j doe");
  expect(withoutEnds("j\u200bdoe")).toBe("j\u200bdoe");
});

test.each(["j\u200bdoe", "j\u00addoe", "j\u200edoe", "j\u202edoe"])(
  "a new id must not contain an invisible character: %j",
  (id) => {
    expect(PairwiseID.safeParse(id).error?.issues[0]?.message).toBe("must not contain an invisible character, as at 2");
    expect(PairwiseID.safeParse(id.replace(/\p{Cf}/u, "")).success).toBe(true);
  },
);

test("a row that creates a person reports the position of an invisible character; a row for a leaver keeps the character for the look-up", () => {
  const cells = new Map([["pairwiseID", "\u200ej\u{20000}\u200bdoe\u200b"]] as const);
  expect(readRow("onboarding", cells).message).toBe("pairwiseID: must not contain an invisible character, as at 3");
  for (const kind of ["offboarding", "reactivation"] as const) {
    expect(readRow(kind, cells)).toMatchObject({ message: null, values: { pairwiseID: "j\u{20000}\u200bdoe" } });
  }
  expect(readRow("onboarding", new Map([["pairwiseID", "\ufeffjdoe\u200b"]])).values.pairwiseID).toBe("jdoe");
});
