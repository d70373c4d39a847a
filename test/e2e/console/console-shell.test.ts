import { expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import english from "../../../console/texts/en.json" with { type: "json" };
import { expectFaultless, expectNoSidewaysScrolling, type View } from "../../support/browser/browser.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useConsole } from "../../support/service/console.ts";
import { givenLocalAccount, testPassword } from "../../support/given/local-account.ts";
import { describeWithTool } from "../../support/run/tools.ts";

const inEnglish = views.map((view): View => ({ ...view, language: "en" }));

/**
 * The maximum size of all scripts that the first page needs, compressed as sent. The pictures come later, and only on
 * the dashboard.
 */
const firstLoadBytesMax = 200_000;

describeWithTool("chromium-headless-shell", "the console's frame", () => {
  const subject = useConsole();

  test.each(inEnglish)("is faultless, menus and help open: $theme, $width px", async (view) => {
    const watched = await subject.open("/console/applications", view);
    const { page } = watched;
    await expectFaultless(watched);

    await page.click('[aria-label="Account of grace.hopper"]');
    await page.waitForSelector('[role="menuitem"]');
    await expectFaultless(watched);
    await page.keyboard.press("Escape");

    await page.focus("h1");
    await page.keyboard.press("?");
    await page.waitForSelector('[role="dialog"] >> text=Keyboard shortcuts');
    await page.waitForTimeout(300); // Waits until the dialog is opaque.
    await expectFaultless(watched);
    await watched.context.close();
  });

  test.each<View>([
    { theme: "light", width: 1440, language: "en" },
    { theme: "dark", width: 390, language: "de" },
  ])("pages are faultless while they load: $theme, $width px", { timeout: pagesMs }, async (view) => {
    const { audit, nav, users, guests, applications, jobs, shell } = view.language === "de" ? german : english;
    const watched = await subject.open("/console/applications/new", view);
    const { page } = watched;
    await page.route("**/console/api/**", () => undefined);
    for (const [path, heading] of Object.entries({
      "/": nav.dashboard,
      "/users": nav.users,
      "/users/1": users.person,
      "/profiles": nav.profiles,
      "/profiles?open=1": nav.profiles,
      "/guests": nav.guests,
      "/guests/1": guests.one,
      "/infrastructure": nav.infrastructure,
      "/infrastructure?open=1": nav.infrastructure,
      "/jobs": nav.jobs,
      "/jobs/1": jobs.job,
      "/audit": nav.audit,
      "/audit?open=1": nav.audit,
      "/audit/1": audit.entry.title,
      "/applications": nav.applications,
      "/applications/1": applications.one,
      "/settings": nav.settings,
    })) {
      // Navigates without a reload, as a link does.
      await page.evaluate(`history.pushState({}, "", "/console${path}")`);
      await page.waitForSelector(`main h1:text-is("${heading}")`);
      await page.waitForSelector(
        `${path.includes("open=") ? "[role=dialog]" : "main"} [aria-label="${shell.loading}"]`,
      );
      await expectGoodConsole(watched);
    }
    await watched.context.close();
  });

  test("opens from the first administrator's link", async () => {
    const { page, context } = await subject.open("/console");
    await page.goto("about:blank");
    await context.clearCookies();
    const token = await subject.api.given.signInLink(subject.administrator);
    await page.goto(`${subject.api.url}/sign-in/${token}`);
    await page.click("main form button");
    await page.waitForURL(/\/console\/?$/);
    await page.waitForSelector('h1:has-text("Dashboard")');
    await context.close();
  });

  test("is German in a German browser, and remembers another choice", async () => {
    const watched = await subject.open("/console/applications", { language: "de", width: 390 });
    const { page } = watched;
    expect(await page.textContent("h1")).toBe("Anwendungen");
    expect(await page.getAttribute("html", "lang")).toBe("de");
    await page.click('[aria-label="Navigation"]');
    await page.click("text=Übersicht");
    await page.waitForURL(/\/console\/?$/);
    await expectFaultless(watched);

    await page.click('[aria-label="Konto von grace.hopper"]');
    await page.click("text=English");
    await page.waitForSelector('h1:has-text("Dashboard")');
    await page.reload();
    await page.waitForSelector('h1:has-text("Dashboard")');
    await watched.context.close();
  });

  test("can be used with the keyboard alone", async () => {
    const watched = await subject.open("/console/applications", { theme: "dark" });
    const { page } = watched;
    const focused = () => page.evaluate<string>(`document.activeElement.textContent || document.activeElement.id`);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outline`)).toBe(
      "rgb(145, 167, 255) solid 3px",
    );
    await page.keyboard.press("Enter");
    expect(await page.evaluate(`document.activeElement.id`)).toBe("content");

    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.waitForURL(/\/console\/users$/);
    await page.waitForSelector('h1:has-text("People")');
    expect(await page.title()).toMatch(/^People · /);
    await expect.poll(focused).toBe("People");

    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate(`document.activeElement.role`)).toBe("combobox");
    await page.keyboard.type("gp");
    expect(page.url()).toMatch(/\/console\/users$/);
    await page.keyboard.press("Escape");
    await page.waitForSelector('[role="dialog"]', { state: "detached" });
    await expect.poll(focused).toBe("People");

    await page.keyboard.press("?");
    await page.waitForSelector('[role="dialog"]');
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Escape");
    await page.waitForSelector('[role="dialog"]', { state: "detached" });
    await expect.poll(focused).toBe("People");
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.waitForTimeout(300);
    expect(page.url()).toMatch(/\/console\/users$/);
    await watched.context.close();
  });

  test("loads less than 200 kB of scripts, apart from pictures, search and a new realm's checklist, which load later", async () => {
    await subject.api.as.service({ realmId: subject.realm.realmId }).post("/api/setup/finish");
    const watched = await subject.open("/console/applications");
    const { page, context } = watched;
    const loaded = new Map<string, number>();
    const encodings = new Set<string | undefined>();
    let isLater = false;
    page.on("request", (request) => {
      isLater ||= /palette-dialog|pictures-/.test(request.url());
    });
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (isLater || !pathname.endsWith(".js")) return;
      loaded.set(pathname, Number(response.headers()["content-length"]));
      encodings.add(response.headers()["content-encoding"]);
    });
    const session = await context.newCDPSession(page);
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page.goto(`${subject.api.url}/console`);
    await page.waitForSelector("h1");
    await page.waitForLoadState("networkidle");
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    expect(loaded.size).toBeGreaterThan(1);
    expect([...encodings]).toEqual(["gzip"]);
    expect(isLater, "pictures or the search have loaded").toBe(true);
    expect(bytes, JSON.stringify([...loaded])).toBeLessThan(firstLoadBytesMax);
    await context.close();
  });

  test("reports a lost connection, and the approaching end of the session", async () => {
    const watched = await subject.open("/console/applications", { width: 390 });
    const { page, context } = watched;
    await context.setOffline(true);
    await page.waitForSelector("text=You are offline");
    await context.setOffline(false);
    await page.waitForSelector("text=You are offline", { state: "detached" });

    await page.clock.install();
    await page.reload();
    await page.waitForSelector("h1");
    expect(await page.isVisible("text=Your session is about to end")).toBe(false);
    await page.clock.fastForward("51:30");
    await page.waitForSelector("text=Your session is about to end");
    await expectFaultless(watched);
    await context.close();
  });

  test("offline, the console reports that it cannot load a new page, and other pages work; once online, the page loads", async () => {
    const watched = await subject.open("/console/users");
    const { page, context } = watched;
    const heading = (title: string) => page.waitForSelector(`main h1:text-is("${title}")`);
    await context.setOffline(true);
    await page.click("nav >> text=Guest accounts");
    await heading("This page could not be loaded");
    await page.waitForSelector("main >> text=There is no connection to the service");
    await page.click('main button:has-text("Try again")');
    await page.click('nav >> a:has-text("People")');
    await heading("People");
    await page.click("nav >> text=Guest accounts");
    await heading("This page could not be loaded");
    watched.complaints.length = 0;
    await expectGoodConsole(watched);

    await context.setOffline(false);
    await heading("Guest accounts");
    expect(page.url()).toMatch(/\/console\/guests$/);
    await context.close();
  });

  test("a menu that was first opened offline loads once online, and the page stays", async () => {
    const { page, context } = await subject.open("/console/applications/new");
    await context.setOffline(true);
    await page.click('[aria-label="Account of grace.hopper"]');
    await page.waitForSelector("text=You are offline");
    await page.waitForSelector('main h1:text-is("Register an application")');
    await context.setOffline(false);
    await page.waitForSelector('[role="menuitem"]');
    await context.close();
  });

  test("a page whose script belongs to an older version is reloaded once automatically, then only by the user", async () => {
    const { page, context } = await subject.open("/console/users");
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) loaded.push(new URL(request.url()).pathname);
    });
    await context.route("**/guests-page-*.js", (route) => route.fulfill({ status: 404 }));
    await page.hover("nav >> text=Guest accounts");
    await page.click("nav >> text=Guest accounts");
    await page.waitForSelector('main h1:text-is("This page could not be loaded")');
    expect(loaded).toEqual(["/console/guests"]);

    await context.unroute("**/guests-page-*.js");
    await page.click('main button:has-text("Try again")');
    await page.waitForSelector('main h1:text-is("Guest accounts")');
    expect(loaded).toEqual(["/console/guests", "/console/guests"]);
    await context.close();
  });

  test("sends a user without a role to their own devices", async () => {
    await givenLocalAccount(subject.api, { username: "ada.lovelace", realmId: subject.realm.realmId });
    const watched = await subject.open("/console/users", { width: 390 }, { username: "ada.lovelace" });
    expect(await watched.page.textContent("h1")).toBe("You have no role in this realm");
    expect(await watched.page.getByRole("link", { name: "My devices" }).getAttribute("href")).toBe("/me");
    await expectFaultless(watched);
    await watched.context.close();
  });

  test("signs out, and returns to the same page after the next sign-in", async () => {
    const watched = await subject.open("/console/users?q=keller", {});
    const { page } = watched;
    await page.click('[aria-label="Account of grace.hopper"]');
    await page.click("text=Sign out");
    await page.waitForURL(/\/login\/ended/);

    await page.goto(`${subject.api.url}/console/users?q=keller`);
    await page.waitForURL(/\/login\?/);
    await expectNoSidewaysScrolling(page);
    await page.fill("#username", subject.administrator.username);
    await page.fill("#password", testPassword);
    await page.press("#password", "Enter");
    await page.waitForURL(`${subject.api.url}/console/users?q=keller`);
    await page.waitForSelector('h1:text-is("People")');
    await watched.context.close();
  });
});
