import type { Page } from "playwright-core";
import { expect } from "vitest";
import english from "../../../console/texts/en.json" with { type: "json" };

/** The areas that the console's texts are named by. */
const areas = Object.keys(english);

/** Every text on the page is in words, code aside: nothing shows the name of a text, or a gap in one. */
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
