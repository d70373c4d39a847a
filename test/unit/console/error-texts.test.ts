import { describe, expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import english from "../../../console/texts/en.json" with { type: "json" };
import { errorCatalogue } from "../../../domain/errors.ts";

describe.each([
  ["English", english.errors.codes],
  ["German", german.errors.codes],
])("failures of the API in %s", (_, codes: Record<string, string>) => {
  test.each(Object.keys(errorCatalogue))("%s has a sentence", (code) => {
    expect(codes[code]).toMatch(/\S\.$/);
  });
});
