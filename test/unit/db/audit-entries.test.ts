import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** All statements are in this folder: npm run boundaries refuses them elsewhere. */
const sources = readdirSync("db", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => `db/${name}`);

/** Returns the sources that match a pattern; db/operations/ stands for all its files. */
const placesOf = (pattern: RegExp): Set<string> =>
  new Set(
    sources
      .filter((name) => pattern.test(readFileSync(name, "utf8")))
      .map((name) => (name.startsWith("db/operations/") ? "db/operations/" : name)),
  );

test("only operations and audit-entries.ts insert audit entries", () => {
  expect(placesOf(/insert\s+into\s+(?:\w+\.)?"?audit_entries\b/i)).toEqual(
    new Set(["db/operations/", "db/queries/audit/audit-entries.ts"]),
  );
});

test("query functions record no audit entries", () => {
  expect(placesOf(/\.record\(/)).toEqual(new Set(["db/operations/"]));
});
