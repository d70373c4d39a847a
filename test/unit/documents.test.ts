import { existsSync, readdirSync, readFileSync } from "node:fs";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { describe, expect, test } from "vitest";

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));
const folders = new Set(
  readdirSync(".", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
);

/** Paths of this repository that a text has between backticks. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g)]
    .map(([, path]) => path ?? "")
    .filter((path) => path.includes("/") && folders.has(path.slice(0, path.indexOf("/"))));

describe("a path between backticks exists", () => {
  test.each(documents)("%s", (name) => {
    // A built program is not in the repository.
    const named = pathsIn(readFileSync(name, "utf8")).filter((path) => !path.startsWith("dist/"));
    expect(named.filter((path) => !existsSync(path) && !existsSync(`${path}.ts`))).toEqual([]);
  });
});

test("docs/architecture.md has the table of imports that is enforced", async () => {
  const { ruleSet } = await extractDepcruiseOptions("./.dependency-cruiser.cjs");
  const enforced = (ruleSet?.forbidden ?? []).flatMap(({ comment = "" }) => {
    const [, of, place = "", others = ""] =
      /^Of (our own files|api\/), (\S+) may import (.+) and nothing else\.$/.exec(comment) ?? [];
    if (of === undefined) return [];
    const path = (name: string): string => (of === "api/" ? `api/${name}/` : name);
    const imported = others.split(", ").filter((name) => name !== place);
    return [[path(place), imported.map(path)] as const];
  });

  const text = readFileSync("docs/architecture.md", "utf8");
  const table = text.slice(text.indexOf("## Imports"), text.indexOf("And three rules"));
  const written = [...table.matchAll(/^\| `([^`]+)` +\| (.*?) *\|$/gm)].map(
    ([, place = "", others = ""]) => [place, [...others.matchAll(/`([^`]+)`/g)].map(([, name]) => name)] as const,
  );
  expect(enforced.length).toBeGreaterThan(20);
  expect(written).toEqual(enforced);
});
