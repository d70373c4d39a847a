import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { describe, expect, test } from "vitest";

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
  ...readdirSync("test/conformance/interpretations").map((name) => `test/conformance/interpretations/${name}`),
].filter((name) => name.endsWith(".md"));
const folders = new Set(
  readdirSync(".", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
);

/** Returns the paths of this repository that are between backticks in a text. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]+)*\/?)`/g)]
    .map(([, path]) => path ?? "")
    .filter((path) => path.includes("/") && folders.has(path.slice(0, path.indexOf("/"))));

/** Returns the paths between backticks that are missing; built programs are not in the repository. */
const missingPathsIn = (text: string): string[] =>
  pathsIn(text).filter((path) => !path.startsWith("dist/") && !existsSync(path) && !existsSync(`${path}.ts`));

describe("a path between backticks exists", () => {
  test.each(documents)("%s", (name) => {
    expect(missingPathsIn(readFileSync(name, "utf8"))).toEqual([]);
  });

  test("control: a missing path is found", () => {
    const text = "`docs/nothing.md`, `docs/upgrade.md`, `domain/limits`, `dist/cli/main.js`, `text/csv`";
    expect(missingPathsIn(text)).toEqual(["docs/nothing.md"]);
  });
});

/** Returns the anchor that GitHub and the service's own pages make from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const withoutCode = (text: string): string => text.replace(/^```.*?^```$/gms, "");
const anchorsIn = (name: string): string[] =>
  [...withoutCode(readFileSync(name, "utf8")).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));

/** Returns the dead links of a document: to a missing file, or to a missing heading of a document. */
const deadLinksIn = (name: string, text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? name : posix.join(posix.dirname(name), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsIn(file).includes(anchor));
    });

describe("a link leads to an existing file, and to an existing heading in it", () => {
  test.each(documents)("%s", (name) => {
    expect(deadLinksIn(name, readFileSync(name, "utf8"))).toEqual([]);
  });

  test("control: a dead link is found", () => {
    const text =
      "[a](docs/nothing.md) [b](docs/upgrade.md#nowhere) [c](docs/upgrade.md#1-back-up) [d](https://example.org/)";
    expect(deadLinksIn("README.md", text)).toEqual(["docs/nothing.md", "docs/upgrade.md#nowhere"]);
  });
});

test("docs/architecture.md contains the table of imports that is enforced", async () => {
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

test("the versions of Node that README and production name as tested are the lowest one and those of .ci/other-nodes", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  const lowest = /\d+/.exec(engines.node)?.[0];
  const others = /^for version in (.*);/m.exec(readFileSync(".ci/other-nodes", "utf8"))?.[1]?.split(" ") ?? [];
  for (const name of ["README.md", "docs/production.md"]) {
    const [, named = ""] = /\((.*) are tested\)/.exec(readFileSync(name, "utf8")) ?? [];
    expect(named.split(/, | and /), name).toEqual([lowest, ...others]);
  }
});
