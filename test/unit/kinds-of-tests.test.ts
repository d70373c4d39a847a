import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Calls that start a compiled process of the service, the launcher of Postgres, or a reverse proxy. */
const starters =
  /\b(?:startService|startWhole|startBuilt|startAs|startEmbeddedPostgres|startTlsNginx)\(|\brequireTool\("nginx"\)/;
const otherCommands = /^(?:bench|deploy|e2e|fault|process|screenshots|support)\/|^conformance\/radius\//;

const testFiles = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".test.ts"),
);

test("npm test starts no process of the service and no proxy: tests that start them are below test/process", () => {
  const files = testFiles.filter((name) => !otherCommands.test(name));
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((name) => starters.test(readFileSync(`test/${name}`, "utf8")))).toEqual([]);
});

test("control: each of these calls occurs in tests of other commands", () => {
  const calls = testFiles
    .filter((name) => otherCommands.test(name))
    .flatMap((name) => readFileSync(`test/${name}`, "utf8").match(new RegExp(starters, "g")) ?? []);
  expect(new Set(calls).size).toBe(7);
});
