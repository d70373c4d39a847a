import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
/** The newest first. */
const headings = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## (\S+)/gm)].map(([, heading]) => heading);
const [previous, commit, ...rest] = readFileSync("deploy/previous-release", "utf8").trim().split(" ");

test("the changelog begins with what is not released yet, or is a release: then package.json has its version", () => {
  expect(["Unreleased", version]).toContain(headings[0]);
});

test("deploy/previous-release names the release that the second section of the changelog is about, and its commit", () => {
  expect(previous).toBe(headings[1] ?? "none");
  expect(commit).toMatch(/^[0-9a-f]{40}$/);
  expect(rest).toEqual([]);
});
