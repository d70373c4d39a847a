import type { Page } from "playwright-core";
import { expect } from "vitest";
import english from "../../../console/texts/en.json" with { type: "json" };

/** The areas of the console: each name of a text begins with one. */
const areas = Object.keys(english);

/**
 * Expects every text on the page, code aside, to be translated: no key instead of a text, and no unfilled placeholder.
 */
export async function expectTranslated(page: Page): Promise<void> {
  const text = await page.evaluate<string>(`(() => {
    const copy = document.body.cloneNode(true);
    for (const code of copy.querySelectorAll("code, script, style")) code.remove();
    const attributes = [...copy.querySelectorAll("[aria-label], [placeholder], [title]")].flatMap((element) =>
      ["aria-label", "placeholder", "title"].map((name) => element.getAttribute(name) ?? ""));
    return [copy.textContent, ...attributes].join(" ");
  })()`);
  const names = new RegExp(String.raw`\b(?:${areas.join("|")})\.[a-z]\w*(?:\.\w+)*`, "gu");
  expect(text.match(names) ?? [], page.url()).toEqual([]);
  expect(text.match(/\{\{\w+\}\}/gu) ?? [], page.url()).toEqual([]);
}
