import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** The limit on key presses: more than any page has tab stops before its target. */
const pressesMax = 90;

/** Finds faults of the visible focus: WCAG 2.2, 2.4.7 and 2.4.11, with a ring of 3 px. */
const badlySeen = `(() => {
  const at = document.activeElement;
  if (at === null || at === document.body || at.matches("h1, main")) return null;
  // A box that the browser would draw itself is hidden below the one that is seen.
  const ringed = [at, at.nextElementSibling, ...(at.labels ?? [])].some((element) => {
    if (element === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 3;
  });
  const { left, top, right, bottom } = at.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const covered = seen === null || (seen.closest("header") !== null && at.closest("header") === null);
  if (ringed && !covered) return null;
  return (ringed ? "out of sight: " : "no ring around: ") + at.outerHTML.slice(0, 300);
})()`;

/** Presses Tab until the target has the focus, and expects the focus to be visible at every stop on the way. */
export async function tabTo(target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const page = target.page();
  let element = await target.elementHandle();
  for (let presses = 0; presses < pressesMax; presses++) {
    const place = await element.evaluate((at) => (at.matches(":focus") ? "here" : at.isConnected ? "away" : "gone"));
    if (place === "here") return;
    if (place === "gone") element = await target.elementHandle();
    await page.keyboard.press(key);
    await expectWellSeen(page);
  }
  throw new Error(`${key} does not lead to ${String(target)}`);
}

/** Expects the focus to be visible. An element that slides in is visible only once it has arrived. */
async function expectWellSeen(page: Page): Promise<void> {
  if ((await page.evaluate(badlySeen)) === null) return;
  await expect.poll(() => page.evaluate(badlySeen), { message: page.url() }).toBeNull();
}

/** Tabs to a target and presses a key there. */
export async function pressAt(target: Locator, key = "Enter"): Promise<void> {
  await tabTo(target);
  await target.page().keyboard.press(key);
}

/** Tabs to a field and replaces its text with this one. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await tabTo(field);
  await field.page().keyboard.press("Control+A");
  await field.page().keyboard.type(text);
}

/** Waits until the console has moved the focus to the target. */
export async function expectFocus(target: Locator): Promise<void> {
  await expect
    .poll(() => isFocused(target), { message: `the focus is on ${String(target)}`, timeout: 60_000 })
    .toBe(true);
}

/** Chooses from the open list of the field that has the focus. */
export async function chooseOption(page: Page, name: string): Promise<void> {
  const option = page.getByRole("option", { name });
  await option.waitFor();
  for (let presses = 0; presses < pressesMax; presses++) {
    if ((await option.getAttribute("data-combobox-selected")) !== null) break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}

const isFocused = async (target: Locator): Promise<boolean> =>
  (await target.count()) === 1 && target.evaluate((element) => element.matches(":focus"));
