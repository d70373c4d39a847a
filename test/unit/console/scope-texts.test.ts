import { expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import english from "../../../console/texts/en.json" with { type: "json" };
import { Scope } from "../../../domain/people/scopes.ts";

test.each([
  ["English", english],
  ["German", german],
])("every scope has a text, and every text a scope: %s", (_, { applications: { scopes } }) => {
  expect(Object.keys(scopes).sort()).toEqual(Scope.options.map((scope) => scope.replace(".", "_")).sort());
  expect(Object.values(scopes).every((words) => words !== "")).toBe(true);
});
