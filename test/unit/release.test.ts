import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
/** Newest first. */
const headings = [...readFileSync("CHANGELOG.md", "utf8").matchAll(/^## (\S+)/gm)].map(([, heading]) => heading);
const [previous, commit, ...rest] = readFileSync("deploy/previous-release", "utf8").trim().split(" ");

test("the changelog begins with the unreleased changes, or with the release whose version is in package.json", () => {
  expect(["Unreleased", version]).toContain(headings[0]);
});

test("deploy/previous-release names the release of the changelog's second section, and its commit", () => {
  expect(previous).toBe(headings[1] ?? "none");
  expect(commit).toMatch(/^[0-9a-f]{40}$/);
  expect(rest).toEqual([]);
});
