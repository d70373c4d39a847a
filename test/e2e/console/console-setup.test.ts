import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { pressAt } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { picture } from "../../support/browser/picture.ts";
import { givenActivity } from "../../support/given/activity.ts";
import { eventually } from "../../support/run/eventually.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

/** How long a change can take to appear: the page polls every 10 s. */
const seenWithinMs = 25_000;

describeWithTool("chromium-headless-shell", "the set-up of a realm", () => {
  const subject = useConsole();
  const owner = () => subject.api.database.owner;
  const steps = "main section > ol > li";

  test.each(views)(
    "a new realm's dashboard is its checklist, and is faultless: $theme, $width px, $language",
    { timeout: pagesMs },
    async (view) => {
      const watched = await subject.open("/console", view);
      const { page } = watched;
      await page.waitForSelector(steps);
      expect(await page.locator(steps).count()).toBe(8);
      expect(await page.locator("main h3").allInnerTexts()).toHaveLength(8);
      expect(await page.locator("main section:has(h2)").count(), "nothing but the list and its picture").toBe(2);
      const links = await page.locator(`${steps} a`).evaluateAll((all) => all.map((link) => link.getAttribute("href")));
      const name = await realmName();
      const guide = `/docs/radius?realm=${name}`;
      expect(links).toEqual([
        "/console/settings/sign-in",
        "/console/settings",
        "/console/infrastructure",
        "/console/infrastructure/radius",
        guide,
        "/console/infrastructure/radius",
        guide,
        "/me",
        "/console/jobs/new/onboarding",
        "/console/users",
      ]);
      await page.waitForLoadState("networkidle");
      await expectGoodConsole(watched);
      await picture(page, `set-up ${view.theme} ${view.width}`);
      await watched.context.close();
    },
  );

  describe("the picture of the set-up", () => {
    const title = "From the device to the identity provider";
    const connections = (page: Page) => page.getByRole("list", { name: title }).getByRole("button");

    test("a connection opens its step by keyboard alone", { timeout: pagesMs }, async () => {
      const watched = await subject.open("/console");
      const { page } = watched;
      await connections(page).first().waitFor();
      expect(await connections(page).allTextContents()).toEqual([
        "Device – Access point: To do",
        "Access point – RADIUS server: To do",
        "RADIUS server – Realmpass: To do",
        "Realmpass – Identity provider: To do",
      ]);
      await connections(page).nth(2).focus();
      await page.keyboard.press("Enter");
      expect(await page.evaluate("document.activeElement.innerText")).toContain("The RADIUS server asks");
      expect(watched.complaints).toEqual([]);
      await watched.context.close();
    });

    test("has a table with the same statuses", { timeout: pagesMs }, async () => {
      const watched = await subject.open("/console", { width: 390 });
      const { page } = watched;
      await page.getByRole("region", { name: title }).getByRole("button", { name: "Table" }).click();
      const rows = page.getByRole("table", { name: title }).getByRole("row");
      await expect.poll(() => rows.count()).toBe(5);
      expect(await rows.nth(1).innerText()).toMatch(/^Device – Access point\tYour own device\tTo do$/);
      await expectGoodConsole(watched);
      await watched.context.close();
    });

    test(
      "the line of a proven connection is green and solid, and stays solid in forced colours",
      { timeout: pagesMs },
      async () => {
        const watched = await subject.open("/console");
        const { page } = watched;
        await connections(page).first().waitFor();
        const styles = () =>
          page.evaluate<string[]>(`[...document.querySelectorAll(".connection")].map((line) => {
          const { borderBottomStyle, borderBottomColor } = getComputedStyle(line);
          return borderBottomStyle + " " + borderBottomColor;
        })`);
        const [before] = await styles();
        expect(before).toMatch(/^dashed /);
        expect(new Set(await styles())).toEqual(new Set([before]));
        await givenActivity(owner).asker(subject.realm.realmId);
        await eventually(
          async () => {
            const [device, accessPoint, radius, provider] = await styles();
            expect([device, accessPoint, provider]).toEqual([before, before, before]);
            expect(radius).toMatch(/^solid /);
            expect(radius?.slice("solid ".length)).not.toBe(before?.slice("dashed ".length));
          },
          { withinMs: seenWithinMs },
        );
        await page.emulateMedia({ forcedColors: "active" });
        const forced = await styles();
        expect(forced.map((style) => style.split(" ")[0])).toEqual(["dashed", "dashed", "solid", "dashed"]);
        await owner().query(sql`delete from status_askers`);
        await watched.context.close();
      },
    );
  });

  test(
    "the page updates itself: after a RADIUS server's first request, it shows the server's address",
    async () => {
      const watched = await subject.open("/console");
      const { page } = watched;
      const step = page.locator(steps).filter({ hasText: "The RADIUS server asks" });
      await step.waitFor();
      expect(await step.innerText()).toContain("To do");
      await page.focus("main button:has-text('Finish set-up')");
      await givenActivity(owner).asker(subject.realm.realmId, { address: "192.0.2.99" });
      await eventually(
        async () => {
          expect(await step.innerText()).toMatch(/Done[^]*192\.0\.2\.99/);
        },
        { withinMs: seenWithinMs },
      );
      expect(await page.evaluate("document.activeElement.textContent"), "the focus stays").toBe("Finish set-up");
      await watched.context.close();
    },
    pagesMs,
  );

  test("the commands for the realm's own domain contain the typed domain, and can be copied", async () => {
    const watched = await subject.open("/console");
    const { page, context } = watched;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const step = page.locator(steps).filter({ hasText: "A domain of your own" });
    await pressAt(step.locator("button"));
    await step.locator("button[aria-label^=Copied]").waitFor();
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    expect(await copied()).toMatch(/ realm create --name wifi --domain wifi\.example\.org\n/);

    await step.getByLabel("Your domain").pressSequentially("campus de");
    await step.getByText("This is no domain name.").waitFor();
    await step.getByLabel("Your domain").fill("radio.campus.de");
    await pressAt(step.locator("button"));
    await eventually(async () => {
      expect(await copied()).toMatch(/ realm create --name radio --domain radio\.campus\.de\n/);
    });
    expect(await copied()).toMatch(/ user sign-in-link --realm radio --username grace\.hopper$/);
    await watched.context.close();
  });

  test(
    "the dashboard warns of a last administrator whom the provider no longer names",
    { timeout: pagesMs },
    async () => {
      const { id } = subject.administrator;
      const { realmId } = subject.realm;
      const issuer = "https://idp.campus.example";
      const claims = JSON.stringify({ roles: { administrator: [{ claim: "groups", value: "it" }] } });
      await owner().query(sql`
      update realms set upstream_issuer = ${issuer}, upstream_client_id = 'realmpass', upstream_claims = ${claims}::jsonb where id = ${realmId}
    `);
      await owner().query(sql`
      insert into upstream_identities (realm_id, issuer, subject, user_id, created_at) values (${realmId}, ${issuer}, '1', ${id}, now())
    `);
      const watched = await subject.open("/console");
      await watched.page.waitForSelector("main [aria-label=Warnings] >> text=The last administrator keeps the role");
      await expectGoodConsole(watched);
      await owner().query(sql`delete from upstream_identities where user_id = ${id}`);
      await watched.context.close();
    },
  );

  test(
    "a user finishes the set-up by keyboard, after a question about the consequences; the checklist stays in the settings",
    { timeout: pagesMs },
    async () => {
      const { realmId } = subject.realm;
      await subject.api.given.profile(await subject.api.given.user({ realmId }));
      const watched = await subject.open("/console");
      const { page } = watched;
      await page.waitForSelector(steps);
      // Once the realm has profiles, the numbers are below the list.
      await page.waitForSelector("main section:has(h2:has-text('Active profiles'))");
      expect(await page.locator(steps).filter({ hasText: "The first people" }).innerText()).toContain("Done");
      await pressAt(page.locator("main button:has-text('Finish set-up')"));
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      expect(await dialog.innerText()).toContain("only the operator changes which RADIUS server devices trust");
      await expectGoodConsole(watched);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      expect(await setUpAt()).toBeNull();

      await pressAt(page.locator("main button:has-text('Finish set-up')"));
      await pressAt(dialog.locator("button:has-text('Finish set-up')"));
      await page.waitForSelector(steps, { state: "detached" });
      expect(await page.isVisible("main section:has(h2:has-text('Active profiles'))")).toBe(true);
      expect(await setUpAt()).not.toBeNull();

      await page.goto(`${subject.api.url}/console/settings`);
      await page.waitForSelector(steps);
      expect(await page.locator("main section:has(> ol)").innerText()).toContain("Set-up was finished on");
      expect(await page.isVisible("main button:has-text('Finish set-up')")).toBe(false);
      await expectGoodConsole(watched);
      await watched.context.close();
    },
  );

  async function realmName(): Promise<string> {
    const [realm] = await owner().query<{ name: string }>(
      sql`select name from realms where id = ${subject.realm.realmId}`,
    );
    return realm?.name ?? "";
  }

  async function setUpAt(): Promise<Date | null> {
    const [realm] = await owner().query<{ at: Date | null }>(
      sql`select set_up_at as at from realms where id = ${subject.realm.realmId}`,
    );
    return realm?.at ?? null;
  }
});
