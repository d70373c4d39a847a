import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { pagesMs, settled } from "../../support/browser/console-views.ts";
import { contrastFunctions } from "../../support/browser/contrast.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

/**
 * Returns the controls with a border, each with the contrast between its border and the page around it, by WCAG 2.2.
 * Leaves out checked boxes, buttons in colour and controls in error, which have different borders.
 */
const measured = `(() => {
  ${contrastFunctions}
  const controls = document.querySelectorAll(
    "input:not(:checked), textarea, select, button[data-variant=default], a[data-variant=default], " +
      "[role=radio], [role=radio] .mantine-RadioIndicator-indicator:not([data-checked])",
  );
  return [...controls]
    .filter((element) => {
      const { borderTopWidth, borderTopStyle, opacity } = getComputedStyle(element);
      return element.checkVisibility() && parseFloat(borderTopWidth) > 0 && borderTopStyle !== "none" && opacity !== "0";
    })
    .filter((element) => !element.matches(":disabled, [data-disabled], :focus, [data-error]"))
    .map((element) => {
      const contrast = contrastOf(parts(getComputedStyle(element).borderTopColor), around(element.parentElement));
      const isOver = element.closest("[role=dialog]") !== null;
      return { what: element.outerHTML.slice(0, 160), contrast, isOver };
    });
})()`;

interface Measured {
  what: string;
  contrast: number;
  /** True: the control is in a dialog, a drawer or a menu over the page. */
  isOver: boolean;
}

describeWithTool("chromium-headless-shell", "borders in the console", () => {
  const subject = useConsole();
  let userId = "";
  let serial = "";

  beforeAll(async () => {
    const user = await subject.api.given.user({ realmId: subject.realm.realmId, displayName: "Ada Lovelace" });
    userId = user.id;
    serial = await subject.api.given.profile(user, { name: "Analytical engine" });
  });

  const drawer = (): string => `/profiles?open=${serial}`;
  const measure = async (page: Page): Promise<Measured[]> => {
    await settled(page);
    return page.evaluate<Measured[]>(measured);
  };
  /** Places with controls: pages, their dialogs and menus, and functions that open them. */
  const places = (): readonly { path: string; open?: (page: Page) => Promise<Locator> }[] => [
    { path: "/users" },
    { path: "/settings" },
    { path: "/applications/new" },
    {
      path: "/audit",
      async open(page) {
        await page.getByRole("button", { name: "Filter", exact: true }).click();
        return page.getByRole("dialog", { name: "Filter" });
      },
    },
    {
      path: `/users/${userId}`,
      async open(page) {
        await page.getByRole("main").getByRole("button", { name: "Change roles" }).click();
        return page.getByRole("dialog");
      },
    },
    { path: drawer(), open: (page) => Promise.resolve(page.getByRole("dialog")) },
  ];

  test.each(["light", "dark"] as const)(
    "borders of controls have a contrast of at least 3:1 (%s)",
    { timeout: pagesMs },
    async (theme) => {
      let count = 0;
      for (const { path, open } of places()) {
        const { page, context } = await subject.open(`/console${path}`, { theme });
        await page.getByRole("main").getByRole("button").first().waitFor();
        const over = await open?.(page);
        await over?.locator("input, button").first().waitFor();
        await settled(page);
        const controls = await page.evaluate<Measured[]>(measured);
        count += controls.length;
        if (over !== undefined) expect(controls.filter(({ isOver }) => isOver).length, path).toBeGreaterThan(0);
        expect(
          controls.filter(({ contrast }) => contrast < 3),
          path,
        ).toEqual([]);
        await context.close();
      }
      expect(count).toBeGreaterThan(10);
    },
  );

  test.each(["light", "dark"] as const)(
    "control: the check finds a border in a drawer that is as faint as its surroundings (%s)",
    async (theme) => {
      const { page, context } = await subject.open(`/console${drawer()}`, { theme });
      await page.getByRole("dialog").locator("button[data-variant=default]").first().waitFor();
      await page.evaluate(`for (const { style } of document.querySelectorAll("[role=dialog] button[data-variant=default]"))
      style.borderColor = getComputedStyle(document.body).backgroundColor`);
      const faint = (await measure(page)).filter(({ isOver, contrast }) => isOver && contrast < 3);
      expect(faint.length).toBeGreaterThan(0);
      await context.close();
    },
  );

  test.each<[what: string, path: string, chosen: string, other: string]>([
    ["the current page", "/", 'nav a[aria-current="page"]', "nav a:not([aria-current])"],
    ["the chosen period", "/", "main button[aria-pressed=true]", "main button[aria-pressed=false]"],
    ["the current step", "/jobs/new/onboarding", 'main li[aria-current="step"]', "main li:not([aria-current])"],
  ])("in forced colours, %s has an outline and its neighbours have none", async (_, path, current, other) => {
    const { page, context } = await subject.open(`/console${path}`);
    const lines = async (selector: string): Promise<string[]> =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => getComputedStyle(one).outlineStyle)`,
      );
    await page.locator(current).first().waitFor();
    expect(new Set(await lines(current))).toEqual(new Set(["none"]));
    await page.emulateMedia({ forcedColors: "active" });
    expect(new Set(await lines(current))).toEqual(new Set(["solid"]));
    expect(new Set(await lines(other))).toEqual(new Set(["none"]));
    await context.close();
  });
});
