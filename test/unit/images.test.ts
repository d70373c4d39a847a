import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { pictures } from "../screenshots/pictures.ts";

const pages = ["README.md", "docs/console.md", "docs/self-service.md"];
const shown = new Set(
  pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, address = ""]) =>
      normalize(join(dirname(page), address)),
    ),
  ),
);
const taken = pictures.flatMap(({ name }) => ["light", "dark"].map((theme) => `${name}-${theme}.png`)).sort();

test("the script takes every picture that the documentation shows, and no others", () => {
  expect([...shown].map((file) => basename(file)).sort()).toEqual(taken);
  expect(readdirSync("docs/images").sort()).toEqual(taken);
});
