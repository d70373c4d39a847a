import { expect } from "vitest";
import {
  expectFaultless,
  expectFaultlessElsewhere,
  expectLargeTargets,
  type View,
  type WatchedPage,
} from "./browser.ts";
import { picture } from "./picture.ts";

/**
 * Expects that a page for people has one heading, is in their language, and has large targets and no faults, in either
 * theme and at any tested width.
 */
export async function expectGoodPage(watched: WatchedPage, name: string, view: View): Promise<void> {
  const { page } = watched;
  expect(await page.locator("h1").count(), name).toBe(1);
  expect(await page.locator("html").getAttribute("lang")).toBe(view.language);
  await expectFaultless(watched);
  await expectLargeTargets(page);
  await picture(page, `${name} ${view.theme} ${view.width} ${view.language}`);
  await expectFaultlessElsewhere(watched);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectLargeTargets(page);
  await page.setViewportSize({ width: view.width, height: 900 });
}
