import { expect, test } from "vitest";
import { guides } from "../../api/browser/docs/guides.ts";
import { useApi } from "../support/service/api.ts";
import { expectFaultless, useBrowser, type View } from "../support/browser/browser.ts";
import { describeWithTool } from "../support/run/tools.ts";

const views = (["light", "dark"] as const).flatMap((theme) =>
  [390, 1440].map((width): View => ({ theme, width, language: "en" })),
);

describeWithTool("chromium-headless-shell", "the documentation", () => {
  const api = useApi();
  const browser = useBrowser();

  test.each(views)("every guide is faultless: $theme, $width px", async (view) => {
    const watched = await browser.open(view);
    for (const { slug } of guides) {
      await watched.page.goto(`${api.url}/docs/${slug}`);
      await expectFaultless(watched);
    }
    await watched.context.close();
  });

  test.each(views)(
    "the reference is faultless, operations closed and open: $theme, $width px",
    async (view) => {
      const watched = await browser.open(view);
      const { page } = watched;
      await page.goto(`${api.url}/docs/reference`);
      await page.waitForSelector(".opblock");
      expect(await page.evaluate(`document.documentElement.classList.contains("dark-mode")`)).toBe(
        view.theme === "dark",
      );
      await expectFaultless(watched);

      for (const operation of ["getRealm", "listUsers", "setUserLock", "revokeProfile"]) {
        await page.click(`[id$="-${operation}"] .opblock-summary-control`);
        await page.waitForSelector(`[id$="-${operation}"] .responses-wrapper`);
      }
      await expectFaultless(watched);
      await watched.context.close();
    },
    240_000,
  );

  test("the reference has one main part, and skips no heading level", async () => {
    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const { page } = watched;
    await page.goto(`${api.url}/docs/reference`);
    await page.waitForSelector(".opblock");
    await page.click(`[id$="-listUsers"] .opblock-summary-control`);
    await page.waitForSelector(`[id$="-listUsers"] .responses-wrapper`);
    expect(await page.getByRole("main").count()).toBe(1);
    const levels = await page.evaluate<number[]>(
      `[...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map((heading) => Number(heading.ariaLevel ?? heading.tagName[1]))`,
    );
    expect(levels[0]).toBe(1);
    const skips = levels.flatMap((level, index) => (level - (levels[index - 1] ?? 0) > 1 ? [index] : []));
    expect(skips.map((index) => levels.slice(Math.max(0, index - 1), index + 1))).toEqual([]);
    await watched.context.close();
  });

  test("the reference follows a change of theme while it is open", async () => {
    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const { page } = watched;
    await page.goto(`${api.url}/docs/reference`);
    await page.waitForSelector(".opblock");
    const colourOf = () => page.evaluate<string>(`getComputedStyle(document.querySelector(".opblock-tag")).color`);
    const light = await colourOf();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(colourOf).not.toBe(light);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(colourOf).toBe(light);
    await watched.context.close();
  });

  test("a request can be tried out from the page", async () => {
    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const { page } = watched;
    await page.goto(`${api.url}/docs/reference`);
    await page.click('[id$="-getLiveness"] .opblock-summary-control');
    await page.click('[id$="-getLiveness"] .try-out__btn');
    await page.click('[id$="-getLiveness"] .execute');
    await page.waitForSelector('[id$="-getLiveness"] .live-responses-table .response');
    expect(await page.textContent('[id$="-getLiveness"] .live-responses-table')).toContain('"live"');
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
});
