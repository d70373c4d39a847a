import { expect, test } from "vitest";
import { guides } from "../../api/browser/docs/guides.ts";
import { useApi } from "../support/service/api.ts";
import { expectFaultless, expectFaultlessElsewhere, useBrowser, type View } from "../support/browser/browser.ts";
import { views } from "../support/browser/views.ts";
import { describeWithTool } from "../support/run/tools.ts";

/** The views in English, because the documentation is in English. */
const english = views.map((view): View => ({ ...view, language: "en" }));

describeWithTool("chromium-headless-shell", "the documentation", () => {
  const api = useApi();
  const browser = useBrowser();

  test.each(english)("every guide is faultless: $theme, $width px", async (view) => {
    const watched = await browser.open(view);
    for (const { slug } of guides) {
      await watched.page.goto(`${api.url}/docs/${slug}`);
      await expectFaultless(watched);
      await expectFaultlessElsewhere(watched);
    }
    await watched.context.close();
  });

  test.each(english)(
    "the reference is faultless, operations closed and open: $theme, $width px",
    async (view) => {
      const watched = await browser.open(view);
      const { page } = watched;
      await page.goto(`${api.url}/docs/reference`);
      await page.waitForSelector(".opblock-tag");
      expect(await page.evaluate(`document.documentElement.classList.contains("dark-mode")`)).toBe(
        view.theme === "dark",
      );
      await expectFaultless(watched);

      for (const tag of ["realm", "user", "profiles"]) await page.click(`#operations-tag-${tag} button`);
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
    await page.waitForSelector(".opblock-tag");
    await page.click("#operations-tag-user button");
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
    await page.waitForSelector(".opblock-tag");
    const colourOf = () => page.evaluate<string>(`getComputedStyle(document.querySelector(".opblock-tag")).color`);
    const light = await colourOf();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(colourOf).not.toBe(light);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(colourOf).toBe(light);
    await watched.context.close();
  });

  test.each([390, 1440])("a user can copy each block of code by keyboard: %d px", async (width) => {
    const watched = await browser.open({ theme: "light", width, language: "en" });
    const { page } = watched;
    await watched.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${api.url}/docs/quickstart`);
    const blocks = page.locator("main pre");
    const buttons = page.getByRole("button", { name: /^Cop/ });
    await expect.poll(() => buttons.count()).toBe(await blocks.count());
    await buttons.nth(1).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Copied").waitFor();
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    expect(await copied()).toMatch(/^token=/);
    await expectFaultless(watched);
    await page.keyboard.press("Tab");
    expect(await buttons.nth(1).textContent()).toBe("Copy");
    for (const [index, block] of (await blocks.all()).entries()) {
      await buttons.nth(index).focus();
      await page.keyboard.press("Enter");
      await expect.poll(copied).toBe((await block.textContent())?.trimEnd());
    }
    await watched.context.close();
  });

  test.each(english)("a search by keyboard leads to the section: $theme, $width px", async (view) => {
    const watched = await browser.open(view);
    const { page } = watched;
    await page.goto(`${api.url}/docs`);
    await page.getByRole("searchbox", { name: "Search the documentation" }).fill("VLAN assignment nothing-like-it");
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("Nothing contains").waitFor();
    await expectFaultless(watched);

    await page.getByRole("searchbox").fill("idempotency-key");
    await page.keyboard.press("Enter");
    await page.locator(".result a").nth(1).waitFor();
    await expectFaultless(watched);
    await page.locator(".result a").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/#/);
    expect(await page.locator(":target").textContent()).not.toBe("");

    await page.goto(`${api.url}/docs/search?q=listUsers`);
    await page.locator(".result a").first().focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector('[id$="-listUsers"].is-open');
    await watched.context.close();
  });

  test("leads back to the console", async () => {
    const watched = await browser.open({ theme: "light", width: 390, language: "en" });
    const { page } = watched;
    await page.goto(`${api.url}/docs/errors`);
    expect(await page.getByRole("link", { name: "Back to the console" }).getAttribute("href")).toBe("/console");
    await watched.context.close();
  });

  test("a reader can try out a request on the page", async () => {
    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const { page } = watched;
    await page.goto(`${api.url}/docs/reference`);
    await page.click("#operations-tag-service button");
    await page.click('[id$="-getLiveness"] .opblock-summary-control');
    await page.click('[id$="-getLiveness"] .try-out__btn');
    await page.click('[id$="-getLiveness"] .execute');
    await page.waitForSelector('[id$="-getLiveness"] .live-responses-table .response');
    expect(await page.textContent('[id$="-getLiveness"] .live-responses-table')).toContain('"live"');
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
});
