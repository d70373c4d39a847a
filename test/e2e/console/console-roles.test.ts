import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import english from "../../../console/texts/en.json" with { type: "json" };
import { sql } from "../../../db/sql.ts";
import type { Role } from "../../../domain/people/roles.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { expectFaultless } from "../../support/browser/browser.ts";
import { useConsole } from "../../support/service/console.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";

describeWithTool("chromium-headless-shell", "roles in the console", () => {
  const subject = useConsole();

  const accountOf = async (username: string, ...roles: Role[]) => {
    await givenLocalAccount(subject.api, { username, realmId: subject.realm.realmId, roles });
    return { username };
  };
  const buttonsOf = (texts: readonly (string | null)[]): string[] => texts.map((text) => (text ?? "").trim());

  test.each(["en", "de"] as const)(
    "the help desk lands on the list of people, has no buttons for other roles, and sees which roles the audit log needs (%s)",
    async (language) => {
      const person = await subject.api.given.user({ realmId: subject.realm.realmId, email: "mia@uni.example" });
      const account = await accountOf(`desk-${language}`, "help_desk");
      const watched = await subject.open("/console/", { language, width: 320 }, account);
      const { page } = watched;
      await page.waitForURL(/\/console\/users$/);
      await expectFaultless(watched);
      const places = buttonsOf(await page.locator(".frame-navigation a").allTextContents());
      expect(places).toHaveLength(4);

      await page.goto(`${subject.api.url}/console/audit`);
      await page.waitForSelector("main h1");
      expect(await page.textContent("main")).toContain(
        language === "en" ? "Administrator or Auditor" : "Administrator:in oder Revision",
      );
      await expectFaultless(watched);

      await page.goto(`${subject.api.url}/console/users/${person.id}`);
      await page.waitForSelector(`main >> text=${language === "en" ? "Lock" : "Sperren"}`);
      const buttons = buttonsOf(await page.locator("main button").allTextContents());
      for (const refused of [
        "Offboard",
        "Zugang beenden",
        "New profile",
        "Neues Profil",
        "Change roles",
        "Rollen ändern",
      ]) {
        expect(buttons).not.toContain(refused);
      }
      await expectFaultless(watched);
      await watched.context.close();
    },
  );

  test("a guest manager starts at guest accounts and sees no other section", async () => {
    const watched = await subject.open("/console/", {}, await accountOf("guests", "guest_manager"));
    const { page } = watched;
    await page.waitForURL(/\/console\/guests$/);
    await page.waitForSelector("main >> text=New guest account");
    expect(buttonsOf(await page.locator(".frame-navigation a").allTextContents())).toEqual([
      "Guest accounts",
      "Documentation",
    ]);
    expect(await page.locator("#global-search").count()).toBe(0);
    await expectFaultless(watched);
    await watched.context.close();
  });

  test("an auditor sees every page, without a button for changes or a disabled field", async () => {
    const changes = /\b(?:New|Onboard|Offboard|Register|Revoke|Lock|Review|Save|Start|Discard)\b/;
    const buttonsOn = async (page: Page): Promise<string> =>
      buttonsOf(await page.locator("main button, main a[data-variant]").allTextContents()).join("|");
    const watched = await subject.open("/console/", {}, await accountOf("audit", "auditor"));
    const { page } = watched;
    await page.waitForSelector('main h1:text-is("Dashboard")');
    const pages = [
      "users",
      "profiles",
      "guests",
      "infrastructure",
      "jobs",
      "audit",
      "applications",
      "settings",
    ] as const;
    for (const path of pages) {
      await page.goto(`${subject.api.url}/console/${path}`);
      await page.waitForSelector(`main h1:text-is("${english.nav[path]}")`);
      await page.waitForLoadState("networkidle");
      expect(await buttonsOn(page), path).not.toMatch(changes);
      expect(await page.locator("main :is(input, textarea, select):disabled").count(), path).toBe(0);
      await expectFaultless(watched);
    }
    await watched.context.close();
    // Control: the same check finds the buttons that an administrator has.
    const control = await subject.open("/console/jobs");
    await expect.poll(() => buttonsOn(control.page)).toMatch(changes);
    await control.context.close();
  });

  test("the form shows another person's changes to the roles before it overwrites them", async () => {
    const person = await subject.api.given.user({ realmId: subject.realm.realmId });
    const watched = await subject.open(`/console/users/${person.id}`);
    const { page } = watched;
    await page.click('main button:has-text("Change roles")');
    await subject.api.database.owner.query(sql`update users set roles = '{auditor}' where id = ${person.id}`);
    await page.click('[role="dialog"] >> label:has-text("Help desk")');
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.waitForSelector('[role="dialog"] [role="alert"] >> text=Somebody else saved a change');
    expect(await page.isChecked('[role="dialog"] label:has-text("Auditor")')).toBe(true);
    expect(await page.isChecked('[role="dialog"] label:has-text("Help desk")')).toBe(false);
    await expectFaultless(watched);
    await page.click('[role="dialog"] >> label:has-text("Help desk")');
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.waitForSelector('section[aria-label="Roles"] >> text=Help desk');
    const { body } = await subject.api.as
      .service({ realmId: subject.realm.realmId })
      .get(`/api/user/${person.id}/roles`);
    expect(body.data.given).toEqual(["help_desk", "auditor"]);
    await watched.context.close();
  });

  test("an administrator gives a person a role, and sees why the last administrator keeps the role", async () => {
    const person = await subject.api.given.user({ realmId: subject.realm.realmId });
    const watched = await subject.open(`/console/users/${person.id}`);
    const { page } = watched;
    await page.click('main button:has-text("Change roles")');
    await page.click('[role="dialog"] >> label:has-text("Help desk")');
    await expectFaultless(watched);
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.waitForSelector('section[aria-label="Roles"] >> text=Help desk');

    await page.goto(`${subject.api.url}/console/users/${subject.administrator.id}`);
    await page.click('main button:has-text("Change roles")');
    await page.click('[role="dialog"] >> label:has-text("Administrator")');
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.waitForSelector('[role="dialog"] >> text=This person is the last administrator.');
    await watched.context.close();

    const roles = await subject.open("/console/users?role=help_desk");
    await roles.page.waitForSelector(`tbody a[href$="/users/${person.id}"]`);
    expect(await roles.page.locator(`tbody a[href$="/users/${subject.administrator.id}"]`).count()).toBe(0);
    await expectFaultless(roles);
    await roles.context.close();

    const settings = await subject.open("/console/settings");
    await settings.page.waitForSelector('section[aria-label="Roles"] >> text=Guest manager');
    await expectFaultless(settings);
    await settings.context.close();
  });
});
