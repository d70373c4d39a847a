import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Saves a screenshot of the page in the folder named by TEST_PICTURES, if it is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env["TEST_PICTURES"];
  if (directory === undefined) return;
  await mkdir(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name.replaceAll(/\W+/g, "-")}.png`), fullPage: true });
}
