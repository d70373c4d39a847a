import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { expectFocus, pressAt, tabTo } from "./console-keyboard.ts";
import type { WatchedPage } from "./browser.ts";

/**
 * Counts what a person does, as the browser receives it: each press of a pointer, and each key except text typed into a
 * field. Scrolling is not counted.
 */
const counting = `(() => {
  const add = () => sessionStorage.setItem("actions", String(Number(sessionStorage.getItem("actions") ?? 0) + 1));
  const takesText = (at) => at instanceof Element && at.matches("input:not([type=checkbox], [type=radio]), textarea");
  addEventListener("keydown", ({ isTrusted, key, target }) => {
    if (isTrusted && (key.length > 1 || !takesText(target))) add();
  }, true);
  addEventListener("pointerdown", ({ isTrusted }) => { if (isTrusted) add(); }, true);
})()`;

/** A person at the console, by keyboard alone or with a finger. */
export interface Hands {
  readonly page: Page;
  /** Opens the search and types a text; returns once the results are there. */
  search(text: string): Promise<void>;
  /** Opens the search, types a text, and opens the first hit. */
  find(text: string): Promise<void>;
  press(target: Locator): Promise<void>;
  /** Types into a field, moving the focus only if the field does not have it. */
  type(field: Locator, text: string): Promise<void>;
  /** Submits the form that the field belongs to, or presses its button. */
  send(button: Locator): Promise<void>;
  tick(box: Locator): Promise<void>;
  /** Returns the number of actions so far. */
  actions(): Promise<number>;
}

export type Way = "keyboard" | "finger";

/** Reloads the page, and counts from then on. */
export async function countedHands({ page, context }: WatchedPage, way: Way): Promise<Hands> {
  await context.addInitScript(counting);
  await page.evaluate(`sessionStorage.removeItem("actions")`);
  await page.reload();
  await page.waitForSelector("main h1");
  const isFinger = way === "finger";
  const field = page.getByRole("combobox", { name: /^(?:Search|Suche)/ });
  const list = page.locator(".palette-list");
  const hits = list.getByRole("option");
  const hands: Hands = {
    page,
    async search(text) {
      if (isFinger) await page.locator("header").getByRole("button", { name: "Search" }).click();
      else await page.keyboard.press("/");
      await expectFocus(field);
      await page.keyboard.type(text);
      await hits.first().waitFor();
    },
    async find(text) {
      await hands.search(text);
      if (isFinger) await hits.first().click();
      else await page.keyboard.press("Enter");
      await list.waitFor({ state: "detached" });
    },
    press: (target) => (isFinger ? target.click() : pressAt(target)),
    async type(target, text) {
      await target.waitFor();
      if (isFinger) {
        if (!(await target.evaluate((at) => at.matches(":focus")))) await target.click();
      } else await tabTo(target);
      await page.keyboard.type(text);
    },
    send: (button) => (isFinger ? button.click() : page.keyboard.press("Enter")),
    async tick(box) {
      if (isFinger) return box.click();
      // Waits for the focus: the dialog takes it a moment after appearing, and a person presses Tab only once the
      // dialog is visible.
      const isReady = () => box.evaluate((at) => at.closest("[role=dialog]")?.matches(":focus-within") ?? true);
      await expect.poll(isReady, { message: String(box) }).toBe(true);
      await pressAt(box, "Space");
    },
    actions: async () => Number(await page.evaluate(`sessionStorage.getItem("actions") ?? 0`)),
  };
  return hands;
}
