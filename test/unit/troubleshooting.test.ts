import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const page = readFileSync("docs/troubleshooting.md", "utf8");
const rooms = ["api", "worker", "responder", "operator", "process", "runtime", "db", "embedded-postgres", "start.ts"];

const filesOf = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesOf(join(path, name))) : [path];

test("the page names every event of the log once, and no others", () => {
  const sources = rooms.flatMap(filesOf).filter((file) => /\.tsx?$/.test(file));
  // Log calls always name events literally, because people search for them by name.
  const logged = sources.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bevent: "([a-z_]+\.[a-z_.]+)"/g)].map(([, name]) => name),
  );
  // A group of events is either a list with a remedy for each event, or only names separated by commas.
  const groups = page.split("\n\n").map((part) => {
    const found = /^`[a-z_.]+`(?:, `[a-z_.]+`)*\n?$/.test(part) ? /`([a-z_.]+)`/g : /^- `([a-z_]+\.[a-z_.]+)`: /gm;
    return [...part.matchAll(found)].map(([, name]) => name);
  });
  for (const group of groups) expect(group).toEqual(group.toSorted());
  expect(groups.flat().sort()).toEqual([...new Set(logged)].sort());
});
