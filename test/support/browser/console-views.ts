import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { expectFaultless, type WatchedPage } from "./browser.ts";
import { expectTranslated } from "./untranslated.ts";

const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/**
 * Expects that axe, the browser and a reader find nothing wrong with the console's page in its present state, down to
 * 320 px.
 */
export async function expectGoodConsole(watched: WatchedPage): Promise<void> {
  const { page } = watched;
  await settled(page);
  await expectFaultless(watched);
  await expectTranslated(page);
  const width = page.viewportSize()?.width ?? 1440;
  await page.setViewportSize({ width: 320, height: 640 });
  await expect.poll(() => page.evaluate(overflow)).toBe(0); // WCAG 2.2, 1.4.10
  await page.setViewportSize({ width, height: 900 });
}

/**
 * Waits until elements have slid in or out: until then they are transparent or beside the page. Loading indicators
 * never end.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(100); // Until the transition just caused has begun.
  await page.evaluate(`Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished),
  ).then(() => undefined)`);
}

/** Returns the file that a button saves. */
export async function downloadBy(page: Page, button: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** For a test that visits several pages, or has axe look at many states of one. */
export const pagesMs = 180_000;
