import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Keeps what a page looks like in the folder that TEST_PICTURES names, if it does. */
export async function picture(page: Page, name: string): Promise<void> {
  const directory = process.env["TEST_PICTURES"];
  if (directory === undefined) return;
  await mkdir(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name.replaceAll(/\W+/g, "-")}.png`), fullPage: true });
}
