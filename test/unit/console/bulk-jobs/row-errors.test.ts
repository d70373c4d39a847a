import { expect, test } from "vitest";
import german from "../../../../console/texts/de.json" with { type: "json" };
import english from "../../../../console/texts/en.json" with { type: "json" };
import { rowErrors } from "../../../../domain/bulk-job/row-errors.ts";

// `invalid_row` shows the text of the faulty cell, `duplicate_row` a text of the kind of job.
const wordedElsewhere = ["invalid_row", "duplicate_row"];
const codes = Object.keys(rowErrors).filter((code) => !wordedElsewhere.includes(code));

test.each([
  ["English", english],
  ["German", german],
])("every reason why a row fails has a text in %s", (_language, { jobs }) => {
  const worded: Record<string, string> = jobs.rowErrors;
  expect(codes.filter((code) => !/\S/.test(worded[code] ?? ""))).toEqual([]);
});
