import { AxeBuilder } from "@axe-core/playwright";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { beforeAll, expect } from "vitest";
import { atEndOfFile } from "../run/at-end.ts";
import { requireTool } from "../run/tools.ts";
import { contrastFunctions } from "./contrast.ts";

/** How a page is shown. */
export interface View {
  theme: "light" | "dark";
  width: number;
  language: "en" | "de";
  /** Default: true. */
  scripts?: boolean;
  /** The browser's time zone. Default: the machine's. */
  zone?: string;
  /** The user agent. Default: the browser's own. */
  userAgent?: string;
}

/** A page of a browser, and everything that the browser complained about. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  complaints: string[];
}

/**
 * Chromium's programs. The headless shell needs half of the CPU, but has neither notifications nor links that open
 * another tab.
 */
export type BrowserProgram = "chromium-headless-shell" | "chromium";

/**
 * Provides a real browser for the tests of this file. The program is looked up in the PATH: wrap tests in
 * `describeWithTool(program, …)`.
 */
export function useBrowser(program: BrowserProgram = "chromium-headless-shell"): {
  open(view: View): Promise<WatchedPage>;
} {
  let browser: Browser | undefined;

  beforeAll(async () => {
    // Chromium's sandbox refuses to run as root.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const launched = await chromium.launch({ executablePath: requireTool(program), args });
    atEndOfFile(() => launched.close());
    browser = launched;
  });

  return {
    async open({ theme, width, language, scripts = true, zone, userAgent }) {
      if (browser === undefined) throw new Error("the browser has not started");
      const context = await browser.newContext({
        colorScheme: theme,
        viewport: { width, height: 900 },
        locale: language === "de" ? "de-DE" : "en-GB",
        javaScriptEnabled: scripts,
        ...(zone === undefined ? {} : { timezoneId: zone }),
        ...(userAgent === undefined ? {} : { userAgent }),
      });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => {
        // The test asked for this error response.
        if (message.type() === "error" && !/status of [45]\d\d/.test(message.text())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("requestfailed", (request) => {
        const { errorText = "" } = request.failure() ?? {};
        // The next navigation aborts requests that are under way.
        if (errorText !== "net::ERR_ABORTED") complaints.push(`${request.url()}: ${errorText}`);
      });
      return { page, context, complaints };
    },
  };
}

const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/**
 * Expects that axe finds nothing wrong with the page, the browser reported nothing, placeholders are readable, and
 * nothing scrolls sideways.
 */
export async function expectFaultless({ page, complaints }: WatchedPage): Promise<void> {
  // By default, axe opens another page to gather the results of frames, which doubles the time; these pages have no
  // frames.
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ["violations"] })
    .withTags(rules)
    .setLegacyMode()
    .analyze();
  expect(textsOf(violations), page.url()).toEqual([]);
  expect(complaints, page.url()).toEqual([]);
  await expectReadablePlaceholders(page);
  await expectNoSidewaysScrolling(page);
}

/** Expects that placeholders in empty fields have a contrast of 4.5:1, which axe does not measure (WCAG 2.2, 1.4.3). */
async function expectReadablePlaceholders(page: Page): Promise<void> {
  const faint = await page.evaluate<string[]>(`(() => {
    ${contrastFunctions}
    return [...document.querySelectorAll(":placeholder-shown:not(:disabled)")]
      .filter((element) => element.placeholder !== "" && element.checkVisibility())
      .filter((element) => contrastOf(parts(getComputedStyle(element, "::placeholder").color), around(element)) < 4.5)
      .map(({ outerHTML }) => outerHTML);
  })()`);
  expect(faint, page.url()).toEqual([]);
}

type Violations = Pick<Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"][number], "id" | "nodes">[];

const textsOf = (violations: Violations): string[] =>
  violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);

/**
 * Expects that a page that has been found faultless is also faultless in the other theme and at other widths, as far as
 * that depends on the view: contrast, size of targets, scrolling sideways. Leaves the page as it was.
 */
export async function expectFaultlessElsewhere({ page }: WatchedPage): Promise<void> {
  const shown = page.viewportSize() ?? { width: 1440, height: 900 };
  const theme = (await page.evaluate<boolean>(`matchMedia("(prefers-color-scheme: dark)").matches`)) ? "dark" : "light";
  await page.emulateMedia({ colorScheme: theme === "dark" ? "light" : "dark" });
  await expectRule(page, "color-contrast");
  await expectReadablePlaceholders(page);
  await page.emulateMedia({ colorScheme: theme });
  for (const width of [1440, 390, 320].filter((width) => width !== shown.width)) {
    await page.setViewportSize({ width, height: 900 });
    await redrawn(page);
    await expectNoSidewaysScrolling(page);
  }
  // At the smallest width.
  await expectRule(page, "target-size");
  await page.setViewportSize(shown);
}

/** Expects that the page keeps a rule of axe, which must already be loaded into the page. */
async function expectRule(page: Page, rule: "color-contrast" | "target-size"): Promise<void> {
  await redrawn(page);
  const violations = await page.evaluate<Violations>(
    `axe.run({ runOnly: ["${rule}"], resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  expect(textsOf(violations), `${page.url()} at ${page.viewportSize()?.width ?? 0} px`).toEqual([]);
}

/** Waits until a change is drawn and nothing moves or fades. Loading indicators never end. */
export const redrawn = (page: Page): Promise<void> =>
  page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
        .map(({ finished }) => finished),
    ).then(() => undefined),
  )`);

/** Expects that nothing scrolls sideways (WCAG 2.2, 1.4.10). */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const overflow = await page.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  expect(overflow, `${page.url()} at ${page.viewportSize()?.width ?? 0} px`).toBe(0);
}

/** Expects every control, with its label around it, to be at least 44 px high and wide (WCAG 2.2, 2.5.5). */
export async function expectLargeTargets(page: Page): Promise<void> {
  const small = await page.evaluate(`[...document.querySelectorAll("a, button, input:not([type=hidden]), summary")]
    .filter((element) => element.checkVisibility())
    .map((element) => [element.outerHTML, (element.closest("label") ?? element).getBoundingClientRect()])
    .filter(([, { width, height }]) => height < 44 || width < 44)
    .map(([html]) => html)`);
  expect(small, page.url()).toEqual([]);
}

/** Returns the names of everything that the Tab key reaches, in order. */
export async function tabStops(page: Page): Promise<string[]> {
  const stops: string[] = [];
  await page.evaluate(`document.activeElement instanceof HTMLElement && document.activeElement.blur()`);
  for (let presses = 0; presses < 50; presses++) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate<string | null>(`(() => {
      const at = document.activeElement;
      if (at === null || at === document.body) return null;
      return at.textContent.trim() || at.getAttribute("name");
    })()`);
    if (stop === null || stops.includes(stop)) break;
    stops.push(stop);
  }
  return stops;
}
