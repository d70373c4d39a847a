import { beforeAll, expect, test } from "vitest";
import { allProblems } from "../../api/pages/problems.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { sql } from "../../db/sql.ts";
import { useApi } from "../support/service/api.ts";
import { expectFaultless, tabStops, useBrowser, type WatchedPage } from "../support/browser/browser.ts";
import { createBrowserSession } from "../support/browser/browser-session.ts";
import { givenLocalAccount, testPassword } from "../support/given/local-account.ts";
import { usePageGallery } from "../support/browser/page-gallery.ts";
import { picture } from "../support/browser/picture.ts";
import { svg, usePictureServer } from "../support/counterparts/picture-server.ts";
import { expectGoodPage } from "../support/browser/page-views.ts";
import { views } from "../support/browser/views.ts";
import { describeWithTool } from "../support/run/tools.ts";

describeWithTool("chromium-headless-shell", "the pages of the authorization server", () => {
  const pictures = usePictureServer();
  const api = useApi({ settings: { logos: { networks: "127.0.0.1", authorities: pictures.authorities } } });
  const gallery = usePageGallery(() => api.url);
  const browser = useBrowser();
  let planner = "";
  let longNamed = "";
  let otherRealm = "";
  let links = 0;
  const ada = "ada.lovelace";
  const guessed = "grace.hopper";
  const longName = "donaudampfschifffahrtsgesellschaftskapitaen".repeat(3);

  const authorize = (clientId: string, extra = ""): string =>
    `/oauth/authorize?response_type=code&client_id=${clientId}&redirect_uri=${encodeURIComponent(`${gallery.url}/back`)}&state=s${extra}`;
  const loginFor = (clientId: string): string => `${api.url}/login?continue=${encodeURIComponent(authorize(clientId))}`;

  beforeAll(async () => {
    const { owner } = api.database;
    const upstreamIssuer = "https://idp.example";
    pictures.show("/logo.svg", "image/svg+xml", svg());
    const links = { helpUri: "https://help.example", privacyUri: "https://example.org/privacy" };
    await realms.update(owner, api.realmId, {
      displayName: "University of Example",
      logoUri: `${pictures.url}/logo.svg`,
      upstreamIssuer,
      upstreamClientId: "realmpass",
      ...links,
    });
    await givenLocalAccount(api, { username: ada });
    await givenLocalAccount(api, { username: longName });
    const displayName = "College of Applied Examples and Long Names at the River";
    const other = await realms.update(owner, await api.given.realm(), {
      displayName,
      logoUri: `${pictures.url}/missing.svg`,
      localSignIn: true,
    });
    otherRealm = other.name;

    const common = { realmId: api.realmId, type: "useragent", redirectUri: `${gallery.url}/back` } as const;
    const scopes = ["openid", "offline_access", "profile.read", "profile.create"] as const;
    planner = (await api.given.application({ ...common, scopes, name: "Course planner" })).clientId;
    longNamed = (await api.given.application({ ...common, name: `\u202e${"Kursplanungsanwendung".repeat(9)}` }))
      .clientId;

    for (let tries = 0; tries < 10; tries++) {
      const visitor = createBrowserSession(() => []);
      await visitor.submit(await visitor.get(loginFor(planner)), { username: guessed, password: "wrong" });
    }
  });

  const tryToSignIn = async (
    { page }: WatchedPage,
    { clientId = planner, username, password }: { clientId?: string; username: string; password: string },
  ): Promise<void> => {
    await page.goto(loginFor(clientId));
    await page.fill("[name=username]", username);
    await page.fill("[name=password]", password);
    await Promise.all([page.waitForEvent("load"), page.keyboard.press("Enter")]);
  };
  const signIn = async (watched: WatchedPage, { clientId = planner, username = ada } = {}): Promise<void> => {
    await tryToSignIn(watched, { clientId, username, password: testPassword });
    await watched.page.waitForURL(/\/oauth\/authorize/);
  };

  /** Functions that open every page. */
  const pages: Record<string, (watched: WatchedPage) => Promise<unknown>> = {
    "sign in": ({ page }) => page.goto(loginFor(planner)),
    "sign in, local accounts alone": ({ page }) => page.goto(`${api.url}/login?realm=${otherRealm}`),
    "sign in, wrong": (watched) => tryToSignIn(watched, { username: ada.toUpperCase(), password: "wrong" }),
    "sign in, too many tries": async (watched) => {
      await tryToSignIn(watched, { username: guessed, password: "wrong" });
      await watched.page
        .getByText(/^(?:Too many tries|Zu viele Versuche)\b/)
        .first()
        .waitFor();
    },
    "choice of realm": ({ page }) => page.goto(`${api.url}/login`),
    consent: (watched) => signIn(watched),
    "consent, everything long": (watched) => signIn(watched, { clientId: longNamed, username: longName }),
    "signed in": async (watched) => {
      await signIn(watched);
      await watched.page.goto(`${api.url}/login`);
    },
    "signed out": async (watched) => {
      await signIn(watched);
      await watched.page.goto(`${api.url}/login`);
      await watched.page.click("form button");
      await watched.page.waitForURL(/\/login\/ended/);
    },
    "signed out of an application": ({ page }) => page.goto(`${gallery.url}/signed-out`),
    "sign-in link": async ({ page }) => {
      const user = await givenLocalAccount(api, { username: `alan.turing.${(links += 1)}` });
      await page.goto(`${api.url}/sign-in/${await api.given.signInLink(user)}`);
    },
    "new password": async ({ page }) => {
      await openNewPassword(page);
    },
    "new password, too short": async ({ page }) => {
      await openNewPassword(page);
      await page.fill("[name=password]", "short");
      await page.fill("[name=repeated]", "short");
      await page.click("form button");
      await page.waitForSelector("#refused");
    },
    "no way back": async ({ page }) => {
      await openNewPassword(page);
      await page.goto(`${api.url}/login`);
      await page.click("form button");
      await page.waitForSelector("a[href='/login/password']");
    },
  };

  async function openNewPassword(page: WatchedPage["page"]): Promise<void> {
    const user = await givenLocalAccount(api, { username: `alan.turing.${(links += 1)}`, password: false });
    await page.goto(`${api.url}/sign-in/${await api.given.signInLink(user)}`);
    await page.click("form button");
    await page.waitForURL(/\/login\/password$/);
  }

  test.each(Object.entries(pages))(
    "%s: axe and the browser find no fault, and nothing scrolls sideways",
    async (name, visit) => {
      for (const view of views) {
        const watched = await browser.open(view);
        await visit(watched);
        await expectGoodPage(watched, name, view);
        await watched.context.close();
      }
    },
  );

  test.each(views)(
    "the page shows the logo at its largest size, or only the name: $theme, $width px, $language",
    async (view) => {
      const watched = await browser.open(view);
      const { page, context } = watched;
      await page.goto(loginFor(planner));
      const size = `(({ naturalWidth, height, width }) => [naturalWidth > 0, height, width])(document.querySelector("header img"))`;
      expect(await page.evaluate(size)).toEqual([true, 40, 120]);
      expect(await page.locator("header").innerText()).toBe("University of Example");

      const missing = await realms.update(api.database.owner, await api.given.realm(), {
        displayName: "College of Applied Examples",
        logoUri: `${pictures.url}/missing-${view.theme}-${view.language}.svg`,
        localSignIn: true,
      });
      for (const width of [320, view.width]) {
        await page.setViewportSize({ width, height: 640 });
        await page.goto(`${api.url}/login?realm=${missing.name}`);
        expect(await page.locator("header").innerText()).toMatch(/^(?:C\s)?College of Applied Examples$/);
        await expectFaultless(watched);
        await picture(page, `logo missing ${view.theme} ${width} ${view.language}`);
      }
      expect(await page.locator("header img").count()).toBe(0);
      await context.close();
    },
  );

  const steals = "fetch('https://127.0.0.1/stolen')";
  test.each([
    ["a script", svg(`<script>${steals}</script>`), 200],
    ["a handler", svg().replace("<svg", `<svg onload="${steals}"`), 200],
    ["a page", `<!doctype html><script>${steals}</script>`, 404],
  ])(
    "a logo that contains %s sends no request, in the page or opened alone; control: a page with the same content sends one",
    async (name, hostile, status) => {
      const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
      const { page, context } = watched;
      const stolen: string[] = [];
      page.on("request", (request) => {
        if (request.url().endsWith("/stolen")) stolen.push(request.url());
      });
      const path = `/hostile-${(links += 1)}.svg`;
      pictures.show(path, "image/svg+xml", hostile);
      const { name: realm } = await realms.update(api.database.owner, await api.given.realm(), {
        displayName: "College",
        logoUri: `${pictures.url}${path}`,
        localSignIn: true,
      });
      await page.goto(`${api.url}/login?realm=${realm}`);
      const logo = await page.locator("header img").getAttribute("src");
      expect((await page.goto(new URL(logo ?? "", api.url).href))?.status()).toBe(status);
      await page.waitForLoadState("networkidle");
      expect(stolen, name).toEqual([]);
      await page.goto("about:blank");
      await page.setContent(hostile);
      await expect.poll(() => stolen).toHaveLength(1);
      await context.close();
    },
  );

  test("the keyboard reaches everything in visual order, with a focus ring", async () => {
    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const { page } = watched;
    const footer = ["Help desk", "Privacy", "Deutsch"];
    await page.goto(loginFor(planner));
    expect(await tabStops(page)).toEqual([
      "Sign in with your campus account",
      "username",
      "password",
      "Sign in",
      ...footer,
    ]);
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineWidth`)).toBe("3px");

    await tryToSignIn(watched, { username: ada, password: "wrong" });
    expect(await page.evaluate(`document.activeElement.id`)).toBe("refused");
    expect(await page.inputValue("[name=username]")).toBe(ada);
    expect(await page.inputValue("[name=password]")).toBe("");

    await signIn(watched);
    expect(await tabStops(page)).toEqual(["Not you?", "Cancel", "Allow", ...footer]);
    await page.goto(`${api.url}/login`);
    expect(await tabStops(page)).toEqual(["My devices", "Sign out", "Not you? Switch account", ...footer]);
    await watched.context.close();
  });

  test.each([true, false])(
    "a user who signs in and allows returns to the application, with scripts: %s",
    async (scripts) => {
      const { owner } = api.database;
      await owner.query(sql`delete from consents`);
      const watched = await browser.open({ theme: "light", width: 390, language: "en", scripts });
      const { page, context, complaints } = watched;
      await page.goto(`${api.url}${authorize(planner, "&scope=openid")}`);
      await page.fill("[name=username]", ada);
      await page.fill("[name=password]", testPassword);
      await page.click("form button");
      await page.click("text=Deutsch");
      await page.click("[value=allow]");
      await page.waitForURL((url) => url.href.startsWith(`${gallery.url}/back?`));
      expect(new URL(page.url()).searchParams.get("code")).toMatch(/^rpc_/);

      await page.goto(`${api.url}${authorize(planner, "&scope=openid%20profile.read")}`);
      expect(await page.locator("html").getAttribute("lang")).toBe("de");
      expect(await page.locator(".scopes li:has(.badge)").allTextContents()).toEqual(["Profile ansehenneu"]);
      await picture(page, `consent with something new ${scripts}`);
      await page.click("[value=deny]");
      await page.waitForURL(/[?&]error=access_denied(&|$)/);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  test.each(views)("every error page is faultless: $theme, $width px, $language", async (view) => {
    const watched = await browser.open(view);
    for (const problem of allProblems) {
      await watched.page.goto(`${gallery.url}/${problem}`);
      await watched.page.click("summary");
      await expectGoodPage(watched, `problem ${problem}`, view);
    }
    await watched.context.close();
  });
});
