import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

vi.setConfig({ testTimeout: pagesMs });

/** Returns the tab stops of a page's content that lead nowhere, do nothing, scroll nothing and choose nothing. */
const idleStops = `[...document.querySelectorAll("main *")]
  .filter((element) => element.tabIndex >= 0 && element.checkVisibility() && !element.matches("a, button, input, pre, [role=listbox], .mantine-ScrollArea-viewport"))
  .map((element) => element.outerHTML.slice(0, 160))`;

describeWithTool("chromium-headless-shell", "values that a user may not change", () => {
  const subject = useConsole();
  const auditor = { username: "reader" };
  const application = { name: "Timetable", clientURI: "https://timetable.example/about" };
  const helpURI = "https://help.example/devices";
  let clientId = "";

  beforeAll(async () => {
    const { realmId } = subject.realm;
    await givenLocalAccount(subject.api, { ...auditor, realmId, roles: ["auditor"] });
    const service = subject.api.as.service({ realmId });
    await service.put("/api/realm/settings", { helpURI });
    const registered = await service.post("/api/applications", {
      ...{ ...application, type: "useragent", scopes: ["openid"], requirePKCE: true, useClientSecret: false },
      redirectURIs: ["https://timetable.example/callback"],
    });
    clientId = registered.body.data.client_id;
  });

  const pages = () =>
    [
      ["/console/settings", "helpURI", helpURI],
      [`/console/applications/${clientId}`, "clientURI", application.clientURI],
    ] as const;
  const selected = (page: Page, text: string) =>
    page
      .getByRole("main")
      .getByRole("definition")
      .getByText(text, { exact: true })
      .evaluate((element) => {
        const selection = element.ownerDocument.getSelection();
        selection?.selectAllChildren(element);
        return String(selection);
      });

  test.each(views)("are selectable text without a tab stop: $theme, $width px, $language", async (view) => {
    const watched = await subject.open("/console/", view, auditor);
    const { page, context } = watched;
    for (const [path, , value] of pages()) {
      await page.goto(`${subject.api.url}${path}`);
      await page.waitForLoadState("networkidle");
      expect(await page.getByRole("main").locator(":disabled, [readonly]").count(), path).toBe(0);
      expect(await selected(page, value)).toBe(value);
      expect(await page.evaluate(idleStops), path).toEqual([]);
      await expectGoodConsole(watched);
    }
    await context.close();
  });

  test("are fields for users who may change them", async () => {
    const { page, context } = await subject.open("/console/");
    for (const [path, name, value] of pages()) {
      await page.goto(`${subject.api.url}${path}`);
      expect(await page.locator(`main [data-path="${name}"]`).inputValue()).toBe(value);
    }
    await context.close();
  });
});
