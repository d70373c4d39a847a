import { randomUUID } from "node:crypto";
import { beforeAll, expect, test, vi } from "vitest";
import * as realms from "../../../db/queries/realm/realms.ts";
import { sql } from "../../../db/sql.ts";
import { appAuthorizationsPerHourMax } from "../../../domain/limits.ts";
import { appsPath } from "../../../domain/onboarding-apps.ts";
import { tabStops, useBrowser, type View, type WatchedPage } from "../../support/browser/browser.ts";
import { pagesMs } from "../../support/browser/console-views.ts";
import { expectGoodPage } from "../../support/browser/page-views.ts";
import { views } from "../../support/browser/views.ts";
import { usePageGallery } from "../../support/browser/page-gallery.ts";
import { userAgents } from "../../support/browser/user-agents.ts";
import { drawPkce } from "../../support/given/authorization.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useApi } from "../../support/service/api.ts";

vi.setConfig({ testTimeout: pagesMs });

const long = "Donaudampfschifffahrtsgesellschaftskapitän".repeat(2).slice(0, 64);

describeWithTool("chromium-headless-shell", "the pages of the apps", () => {
  const api = useApi();
  const { given } = api;
  const browser = useBrowser();
  /** A gallery of pages; its other addresses stand for the app, which listens on a port of the device. */
  const app = usePageGallery(() => api.url);
  let realmId = "";
  let realmName = "";
  let listed = "";
  let withoutIssuer = "";

  const owner = () => api.database.owner;
  const nameOf = async (id: string, more: object = {}): Promise<string> =>
    (
      await realms.update(owner(), id, {
        onboardingApps: true,
        displayName: "University of Example",
        helpUri: "https://help.example",
        privacyUri: "https://example.org/privacy",
        ...more,
      })
    ).name;

  beforeAll(async () => {
    realmId = await given.realm();
    realmName = await nameOf(realmId);
    listed = await nameOf(await given.realm(), { appsListing: long });
    const id = await given.realm();
    withoutIssuer = await nameOf(id);
    await owner().query(sql`update issuers set issuing = false where realm_id = ${id}`);
  });

  const base = (name = realmName): string => `${api.url}${appsPath(name)}`;
  const request = (name = realmName): string =>
    `${base(name)}oauth/authorize/?${new URLSearchParams({
      response_type: "code",
      client_id: "app.geteduroam.win",
      redirect_uri: `${app.url}/`,
      scope: "eap-metadata",
      state: "s",
      code_challenge: drawPkce().challenge,
      code_challenge_method: "S256",
    }).toString()}`;

  const open = async (view: View, user: GivenUser | undefined, address: string): Promise<WatchedPage> => {
    const watched = await browser.open(view);
    if (user !== undefined) {
      await watched.context.addCookies([{ name: "realmpass-login", value: await given.login(user), url: api.url }]);
    }
    await watched.page.goto(address);
    return watched;
  };
  const person = (more: object = {}): Promise<GivenUser> => given.user({ realmId, displayName: "Mia Keller", ...more });

  /** Functions that open each page on which a person can set up a device. */
  const pages: Record<string, (view: View) => Promise<WatchedPage>> = {
    base: (view) => open(view, undefined, base()),
    "base, listed under a long name": (view) => open(view, undefined, base(listed)),
    "set up this device": async (view) => open(view, await person(), request()),
    "set up this device, everything long": async (view) => {
      const user = await person({ displayName: long });
      for (const name of [long, "Mia's iPhone"]) await given.profile(user, { name, notAfter: fromNow(9e9) });
      return open(view, user, request());
    },
    "set up this device, with a wrong name": async (view) => {
      const watched = await open(view, await person(), request());
      await watched.page.evaluate(`document.querySelector("#name").removeAttribute("required")`);
      await watched.page.fill("#name", " ");
      await watched.page.click("[value=allow]");
      await watched.page.waitForSelector("#wrong-name:focus");
      return watched;
    },
    "set up this device, in place of another": async (view) => {
      const user = await person({ profileOverride: 1 });
      await given.profile(user, { name: "Mia's laptop" });
      return open(view, user, request());
    },
  };

  /** Functions that open each page that refuses to set up a device. */
  const refusals: typeof pages = {
    locked: async (view) => {
      const user = await person();
      await owner().query(sql`update users set locked_at = now() where id = ${user.id}`);
      return open(view, user, request());
    },
    "at the limit": async (view) => {
      const user = await person({ profileOverride: 1 });
      await owner().query(sql`
        insert into issuances (id, realm_id, kind, user_id, name, format, key_type, validity_months, created_at)
        values (${randomUUID()}, ${realmId}, 'user', ${user.id}, 'a', 'pem', 'ec-p256', 12, now())
      `);
      return open(view, user, request());
    },
    "too many within the hour": async (view) => {
      const user = await person({ profileOverride: 50 });
      for (let count = 0; count < appAuthorizationsPerHourMax; count++) await allowOnce(user);
      return open(view, user, request());
    },
    "no issuer": async (view) => {
      const id = (await realms.findByName(owner(), withoutIssuer))?.id ?? "";
      return open(view, await given.user({ realmId: id }), request(withoutIssuer));
    },
  };

  const allowOnce = async (user: GivenUser): Promise<void> => {
    const { page, context } = await open({ theme: "light", width: 390, language: "en" }, user, request());
    await page.click("[value=allow]");
    await page.waitForURL((url) => url.href.startsWith(app.url));
    await context.close();
  };

  const expectGood = async (watched: WatchedPage, view: View, name: string): Promise<void> => {
    await expectGoodPage(watched, `app ${name}`, view);
    await watched.context.close();
  };

  test.each(Object.entries(pages))(
    "%s: axe and the browser find no fault, the page fits 320 px, and targets are large",
    async (name, visit) => {
      for (const view of views) await expectGood(await visit(view), view, name);
    },
  );

  test.each(Object.entries(refusals))(
    "for the refusal %s, the page is faultless, gives a reason and has no button to allow; control: other people get the button",
    async (name, visit) => {
      for (const view of views) {
        const watched = await visit(view);
        const { page } = watched;
        expect((await page.locator("section.banner p").innerText()).length).toBeGreaterThan(20);
        expect(await page.locator("[value=allow]").count()).toBe(0);
        expect(await page.locator("[value=deny]").count()).toBe(1);
        await expectGood(watched, view, name);
      }
      const control = await open(views[0]!, await person(), request());
      expect(await control.page.locator("[value=allow]").count()).toBe(1);
      await control.context.close();
    },
  );

  test.each([true, false])(
    "Allow leads back to the app with a code, and Cancel leads back without a code; scripts: %s",
    async (scripts) => {
      for (const [decision, parameter, other] of [
        ["allow", "code", "error"],
        ["deny", "error", "code"],
      ] as const) {
        const { page, context, complaints } = await open(
          { theme: "light", width: 390, language: "en", scripts, userAgent: userAgents.windows },
          await person(),
          request(),
        );
        await page.click("text=Deutsch");
        await page.waitForSelector("html[lang=de]");
        await page.click(`[value=${decision}]`);
        await page.waitForURL((url) => url.href.startsWith(`${app.url}/?`));
        const { searchParams } = new URL(page.url());
        expect(searchParams.get(parameter)).toMatch(decision === "allow" ? /^rpo_/ : /^access_denied$/);
        expect([searchParams.get(other), searchParams.get("state")]).toEqual([null, "s"]);
        expect(complaints).toEqual([]);
        await context.close();
      }
    },
  );

  test("the keyboard reaches everything in visual order, and Enter in the name field allows", async () => {
    const watched = await open({ theme: "light", width: 1440, language: "en" }, await person(), request());
    const { page, context } = watched;
    expect(await tabStops(page)).toEqual([
      "Not you?",
      "name",
      "Cancel",
      "Set up this device",
      "Help desk",
      "Privacy",
      "Deutsch",
    ]);
    await page.focus("#name");
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]code=rpo_/);
    await context.close();
  });
});
