import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/** Every test file, as a path below `test/` without its extension. */
const testFiles = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => name.slice(0, -".test.ts".length));

/** Returns whether a name matches the end of exactly one test file's path, or is a folder with a slash at its end. */
const isHeld = (name: string): boolean =>
  name.endsWith("/")
    ? testFiles.some((file) => file.startsWith(name))
    : testFiles.filter((file) => file === name || file.endsWith(`/${name}`)).length === 1;

/** Returns the lines that name no test file, or that contain a name which matches no file or several files. */
const notHeld = (text: string): string[] =>
  text.split("\n").filter((line) => {
    if (!line.startsWith("- ")) return false;
    const names = [...(line.split(" → ")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    return names.length === 0 || !names.every(isHeld);
  });

const folder = "test/conformance/interpretations";
const pages = readdirSync(folder);

describe("each interpretation names the test file that verifies it", () => {
  test.each(pages)("%s", (page) => {
    const text = readFileSync(`${folder}/${page}`, "utf8");
    expect(text.match(/^- \*\*/gm)?.length).toBeGreaterThan(20);
    expect(notHeld(text)).toEqual([]);
  });

  test("control: a line that names no test file is found", () => {
    const wrong = [
      "- **a**: without a file",
      "- **b**: with one that is not there → `no-such-file`",
      "- **c**: with a name of several → `list`, `revocation`",
    ];
    const right = ["- **d**: with one → `list-users`", "- **e**: with a folder → `integration/responder/`"];
    expect(notHeld([...wrong, ...right].join("\n"))).toEqual(wrong);
  });
});

test("docs/interpretations.md links to every page", () => {
  const index = readFileSync("docs/interpretations.md", "utf8");
  for (const page of pages) expect(index).toContain(`../${folder}/${page}`);
});
