import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { expectFaultless, expectFaultlessElsewhere, redrawn, type WatchedPage } from "./browser.ts";
import { expectTranslated } from "./untranslated.ts";

/**
 * Expects that axe, the browser and a reader find nothing wrong with the console's page in its present state, in either
 * theme and at any tested width.
 */
export async function expectGoodConsole(watched: WatchedPage): Promise<void> {
  const { page } = watched;
  await settled(page);
  await expectFaultless(watched);
  await expectTranslated(page);
  await expectFaultlessElsewhere(watched);
}

/**
 * Waits until elements have slid in or out: until then they are transparent or beside the page. Loading indicators
 * never end.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(100); // Gives a transition that the caller has caused time to begin.
  await redrawn(page);
}

/** Returns the file that a button saves. */
export async function downloadBy(page: Page, button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** The time limit, in milliseconds, of a test that visits several pages or runs axe on many states of one page. */
export const pagesMs = 180_000;
