import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as lifetimes from "../../../domain/lifetimes.ts";
import * as limits from "../../../domain/limits.ts";

const page = readFileSync("docs/reference.md", "utf8");

/** Returns the rows of a section's table by the name in their last cell, with this many cells after the first. */
function rowsOf(section: string, values = 1): Record<string, string[]> {
  const [, text = ""] = page.split(`\n## ${section}\n`);
  const rows = (text.split("\n## ")[0] ?? "").split("\n").filter((line) => /^\|.*` *\|$/.test(line));
  return Object.fromEntries(
    rows.slice(1).map((row) => {
      const [, ...cells] = row.split("|").map((cell) => cell.trim());
      const name = (cells.at(-2) ?? "").replaceAll("`", "");
      return [name, cells.slice(1, 1 + values)];
    }),
  );
}

const unitSeconds = { Seconds: 1, Minutes: 60, Hours: 3_600, Days: 86_400 };
type Unit = keyof typeof unitSeconds;

/** Formats a duration in the largest unit that gives a whole number; in hours up to three days. */
function duration(seconds: number): string {
  const [unit, size]: [string, number] =
    seconds % 86_400 === 0 && seconds > 3 * 86_400
      ? ["day", 86_400]
      : seconds % 3_600 === 0
        ? ["hour", 3_600]
        : seconds % 60 === 0
          ? ["minute", 60]
          : ["second", 1];
  const count = seconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const lasting = (name: string, value: number): string => {
  if (name.endsWith("Share")) return `${value * 100} %`;
  const [, unit] = /(Seconds|Minutes|Hours|Days)(?:Min|Max)?$/.exec(name) ?? [];
  if (unit === undefined) throw new Error(`${name} names no unit`);
  return duration(value * unitSeconds[unit as Unit]);
};

const grouped = (value: number): string => value.toLocaleString("en");

function amount(name: string, value: number | Readonly<Record<string, number>>): string {
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([of, count]) => `\`${of}\` ${grouped(count)}`)
      .join(", ");
  }
  if (name.includes("Share")) return `${value * 100} %`;
  if (!name.includes("Bytes")) return grouped(value);
  return value % 1_048_576 === 0 ? `${value / 1_048_576} MiB` : `${value / 1_024} KiB`;
}

describe("docs/reference.md lists", () => {
  test("every lifetime", () => {
    const expected = Object.entries(lifetimes).map(([name, value]) => [name, [lasting(name, value)]]);
    expect(rowsOf("Lifetimes")).toEqual(Object.fromEntries(expected));
  });

  test("every limit", () => {
    const { attemptLimitsByDefault, ...others } = limits;
    const expected = Object.entries(others).map(([name, value]) => [name, [amount(name, value)]]);
    expect(rowsOf("Limits")).toEqual(Object.fromEntries(expected));

    const attempts = Object.entries(attemptLimitsByDefault).map(([name, { points, seconds }]) => [
      name,
      [grouped(points), duration(seconds)],
    ]);
    expect(rowsOf("Wrong attempts", 2)).toEqual(Object.fromEntries(attempts));
  });
});

test("a browser that claimed a hand-over is recognised until its file is erased", () => {
  const { recipientSeconds, handOverClaimMinutes, handOverFileMinutes } = lifetimes;
  expect(recipientSeconds).toBeGreaterThan((handOverClaimMinutes + 2 * handOverFileMinutes) * 60);
});
