import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/**
 * Runs the build in a directory where nothing can be built: the build reports this and ends as soon as it has the lock.
 * `left` contains the lock files that the build finds; `$$` in them is the build's own process ID.
 */
function build(left: Record<string, string>, timeout: number): { stderr: string; locks: string[] } {
  const root = mkdtempSync(join(tmpdir(), "realmpass-build-"));
  onTestFinished(() => {
    rmSync(root, { recursive: true });
  });
  for (const name of ["build.mjs", "tsconfig.json", "package-lock.json"]) copyFileSync(name, join(root, name));
  mkdirSync(join(root, "dist"));
  const locks = Object.entries(left).map(([name, pid]) => `printf ${pid} > dist/${name}; `);
  const script = `${locks.join("")}exec "${process.execPath}" build.mjs`;
  const { stderr } = spawnSync("sh", ["-c", script], { cwd: root, encoding: "utf8", timeout });
  return { stderr, locks: readdirSync(join(root, "dist")) };
}

const own = String(process.pid);
const dead = String(spawnSync(process.execPath, ["-e", ""]).pid);
const hasLock = "Nothing has been built";

test.each([
  ["no lock", {}],
  ["the lock of a dead build", { ".lock": dead }],
  ["the lock of a dead build that had its process number", { ".lock": "$$" }],
  ["the lock of a dead build and another that died while it removed it", { ".lock": dead, ".lock.turn": dead }],
])("with %s a build takes the lock, and leaves no lock file", (_, left) => {
  const { stderr, locks } = build(left, 20_000);
  expect(stderr).toContain(hasLock);
  expect(locks).toEqual([]);
});

test("with the lock of a running build, a build waits", () => {
  const { stderr, locks } = build({ ".lock": own }, 2_000);
  expect(stderr).toBe("");
  expect(locks).toContain(".lock");
});
