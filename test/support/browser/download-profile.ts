import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/**
 * Taps Download on a page of self-service with `tap`. If a profile takes too long, the page shows a link instead, which
 * is clicked.
 */
export async function downloadProfile(
  page: Page,
  tap = (): Promise<void> => page.click("button.large"),
): Promise<{ name: string; bytes: Buffer }> {
  const arriving = page.waitForEvent("download", { timeout: 60_000 });
  await tap();
  const link = page.waitForSelector("a.large", { timeout: 60_000 }).then(
    () => true,
    () => false,
  );
  const isLate = await Promise.race([arriving.then(() => false), link]);
  if (isLate) await page.click("a.large");
  const file = await arriving;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}
