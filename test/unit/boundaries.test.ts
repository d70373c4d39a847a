import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { describe, expect, test } from "vitest";

// Each rule has a small tree of files that breaks it, in a folder with the rule's name.
const trees = "test/fixtures/boundaries";
const options = await extractDepcruiseOptions("./.dependency-cruiser.cjs");
const rules = (options.ruleSet?.forbidden ?? []).map(({ name }) => name ?? "");

/** The package to install in each tree that imports a package; the installed package is empty. */
const installed: Readonly<Record<string, { name: string; listedAs?: "dependencies" | "devDependencies" }>> = {
  "domain-packages": { name: "pg", listedAs: "dependencies" },
  "db-without-queue": { name: "bullmq", listedAs: "dependencies" },
  "worker-without-http-framework": { name: "express", listedAs: "dependencies" },
  "no-development-package": { name: "vitest", listedAs: "devDependencies" },
  "no-unlisted-package": { name: "accepts" },
};

/** Returns the rules that a tree breaks, each once. */
async function brokenBy(tree: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "realmpass-boundaries-"));
  try {
    cpSync(join(trees, tree), folder, { recursive: true });
    const { name, listedAs } = installed[tree] ?? {};
    const listed = name === undefined || listedAs === undefined ? {} : { [listedAs]: { [name]: "1.0.0" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "tree", ...listed }));
    if (name !== undefined) {
      mkdirSync(join(folder, "node_modules", name), { recursive: true });
      writeFileSync(join(folder, "node_modules", name, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
      writeFileSync(join(folder, "node_modules", name, "index.js"), "");
    }
    const { output } = await cruise(["."], { ...options, baseDir: folder });
    return [...new Set((output as ICruiseResult).summary.violations.map(({ rule }) => rule.name))].sort();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Further rules that the tree of a chain breaks, because its first link must not import the second. */
const brokenBesides: Readonly<Record<string, readonly string[]>> = {
  "no-way-to-the-worker": ["db-imports"],
  "no-way-to-pki": ["db-imports"],
  "operator-is-a-program": ["worker-imports"],
  "test-is-not-imported": ["db-imports"],
};

describe("a tree of files is refused by the rule", () => {
  test.each(rules)("%s", async (rule) => {
    expect(existsSync(`${trees}/${rule}`), `${trees}/${rule} has files that break the rule`).toBe(true);
    expect(await brokenBy(rule)).toEqual([rule, ...(brokenBesides[rule] ?? [])].sort());
  });
});

test("every tree has a rule", () => {
  expect(readdirSync(trees).sort()).toEqual([...rules].sort());
});

test("the report shows every link of the chain from the api to the worker", async () => {
  const { output } = await cruise(["."], { ...options, baseDir: `${trees}/no-way-to-the-worker` });
  const found = (output as ICruiseResult).summary.violations.find(({ rule }) => rule.name === "no-way-to-the-worker");
  expect(found).toMatchObject({ from: "api/resources/get-profile.ts", to: "worker/signer.ts" });
  expect(found?.via?.map(({ name }) => name)).toEqual(["db/certificates.ts", "worker/signer.ts"]);
});
