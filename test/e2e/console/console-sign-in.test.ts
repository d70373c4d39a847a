import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useUpstreamProvider } from "../../support/counterparts/upstream-provider.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

describeWithTool("chromium-headless-shell", "the identity provider in the console", () => {
  const subject = useConsole({ settings: { upstreamNetworks: "127.0.0.0/8" } });
  const upstream = useUpstreamProvider({
    redirectUri: () => `${subject.api.url}/login/upstream/callback`,
    claims: ["groups"],
  });
  const address = "/console/settings/sign-in";

  beforeEach(() => {
    upstream.signsIn({ sub: "ada", email: "ada@example.org", name: "Ada Lovelace", groups: ["wifi"] });
  });

  /** Fills in the form and sends it with the keyboard. */
  const check = async (page: Page, secret: string): Promise<void> => {
    await page.getByLabel("Issuer").fill(upstream.url);
    await page.getByLabel("Client ID", { exact: false }).first().fill(upstream.clientId);
    await page.locator("input[type=password]").fill(secret);
    await page.getByLabel("Who may use this realm").fill("groups=wifi");
    await page.getByLabel("Administrator").fill("groups=wifi-admins");
    await page.getByRole("button", { name: "Check" }).focus();
    await page.keyboard.press("Enter");
  };

  test.each(views)(
    "the page that sets up the provider is faultless: $theme, $width px, $language",
    { timeout: pagesMs },
    async (view) => {
      const watched = await subject.open(address, view);
      await watched.page.waitForSelector("main form");
      expect(await watched.page.locator("main code").first().innerText()).toContain("/login/upstream/callback");
      await expectGoodConsole(watched);
      await watched.context.close();
    },
  );

  test(
    "a wrong address or secret leads to an explanation; the page tests the right address and secret and uses them",
    { timeout: pagesMs },
    async () => {
      const watched = await subject.open("/console/settings");
      const { page } = watched;
      await page.getByRole("link", { name: "Set up the identity provider" }).first().click();
      await page.waitForURL(`**${address}`);
      await page.getByLabel("Issuer").fill(`${upstream.url}/elsewhere`);
      await page.getByLabel("Client ID", { exact: false }).first().fill(upstream.clientId);
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByRole("alert").getByText("There is no OpenID Connect discovery document").waitFor();
      await expectGoodConsole(watched);

      await check(page, "a wrong secret");
      await page.getByRole("heading", { name: "Checked, not in use yet" }).waitFor();
      expect(await page.getByRole("button", { name: "Use from now on" }).isDisabled()).toBe(true);
      await page.getByRole("button", { name: "Test sign-in" }).click();
      await page.getByText("does not accept the client ID or the client secret").waitFor();
      expect(await page.getByRole("button", { name: "Use from now on" }).isDisabled()).toBe(true);
      await expectGoodConsole(watched);

      await check(page, upstream.clientSecret);
      await page.getByText("A secret is stored").waitFor();
      await page.getByRole("button", { name: "Test sign-in" }).click();
      await page.getByText("The test sign-in worked").waitFor();
      const result = page.getByRole("region", { name: "Result of the test sign-in" });
      expect(await result.innerText()).toMatch(/Ada Lovelace[^]*groups=wifi/);
      expect(await result.innerText()).toContain("With these rules you would not be an administrator");
      await expectGoodConsole(watched);

      await page.getByRole("button", { name: "Use from now on" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Afterwards only the operator can change this").waitFor();
      await dialog.getByRole("button", { name: "Use from now on" }).click();
      await page.getByText(`--upstream-issuer ${upstream.url}`).waitFor();
      await expectGoodConsole(watched);
      const [realm] = await subject.api.database.owner.query<{ by: string; issuer: string }>(sql`
        select upstream_set_by as by, upstream_issuer as issuer from realms where id = ${subject.realm.realmId}
      `);
      expect(realm).toEqual({ by: "console", issuer: upstream.url });

      await page.goto(`${subject.api.url}/console/settings`);
      const card = page.getByRole("region", { name: "Identity provider" });
      await card.getByText(upstream.url, { exact: true }).waitFor();
      await expectGoodConsole(watched);
      await watched.context.close();
    },
  );
});
