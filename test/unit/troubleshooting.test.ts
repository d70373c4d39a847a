import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const page = readFileSync("docs/troubleshooting.md", "utf8");
const rooms = ["api", "worker", "responder", "operator", "process", "runtime", "db", "embedded-postgres", "start.ts"];

const filesOf = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesOf(join(path, name))) : [path];

test("the page has a row for every event of the log, and no other rows", () => {
  const sources = rooms.flatMap(filesOf).filter((file) => /\.tsx?$/.test(file));
  // Log calls always name events literally, because people search for them by name.
  const logged = sources.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bevent: "([a-z_]+\.[a-z_.]+)"/g)].map(([, name]) => name),
  );
  const tables = page
    .split("\n\n")
    .map((part) => [...part.matchAll(/^\| `([a-z_]+\.[a-z_.]+)` +\|/gm)].map(([, name]) => name));
  for (const table of tables) expect(table).toEqual(table.toSorted());
  expect(tables.flat().sort()).toEqual([...new Set(logged)].sort());
});
