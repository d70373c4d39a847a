import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const rules = readFileSync("deploy/prometheus/rules.yml", "utf8");
const page = readFileSync("docs/troubleshooting.md", "utf8");
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!);

test("each alert names the problem, the effect on people, and the page to read", () => {
  const alerts = rules.split("- alert: ").slice(1);
  expect(alerts.length).toBeGreaterThan(20);
  for (const alert of alerts)
    for (const field of ["summary", "meaning", "runbook"])
      expect(alert).toMatch(new RegExp(`^ {10}${field}: \\S`, "m"));
  expect(all(rules, /severity: (\w+)/g)).toHaveLength(alerts.length);
});

test("each alert has its paragraph in docs/troubleshooting.md, and links to it", () => {
  const alerts = all(rules, /- alert: (\w+)/g);
  expect(alerts).toEqual(all(page, /^### (Realmpass\w+)/gm));
  expect(all(rules, /runbook: docs\/troubleshooting\.md#(\w+)/g)).toEqual(alerts.map((name) => name.toLowerCase()));
});
