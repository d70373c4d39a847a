import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";

/** A folder with more files mixes subjects: its files belong in folders by subject. */
const filesMax = 25;

/**
 * Folders whose files are found by a list: migrations by their time, pages by docs/README.md, pictures and results by
 * name.
 */
const series = ["db/migrations", "docs", "docs/images", "test/bench/results"];

/** Folders at the top that do not contain source. */
const notSource = new Set(["node_modules", "dist", "data"]);

/** Returns the folders with more files than a reader can take in, except series. */
function drawersOf(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > filesMax && !series.includes(folder))
    .map(([folder]) => folder);
}

const sourceFiles = (): string[] =>
  readdirSync(".", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !notSource.has(entry.name))
    .flatMap(({ name }) =>
      readdirSync(name, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => `${entry.parentPath}/${entry.name}`),
    );

test("no folder contains more than 25 files", () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(1_000);
  expect(drawersOf(files)).toEqual([]);
});

test("control: a folder of 26 files is found, except a series", () => {
  const filled = (folder: string, count: number) => Array.from({ length: count }, (_, n) => `${folder}/${n}.ts`);
  expect(drawersOf([...filled("domain", 25), ...filled("domain/people", 26), ...filled("db/migrations", 26)])).toEqual([
    "domain/people",
  ]);
});
