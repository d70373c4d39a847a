import { expect, test, vi } from "vitest";
import * as realms from "../../../db/queries/realm/realms.ts";
import { pressAt } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool("chromium-headless-shell", "the realm's time zone in the console", () => {
  const subject = useConsole();
  const api = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const setZone = (timeZone: string) => realms.update(subject.api.database.owner, subject.realm.realmId, { timeZone });
  const zoneNow = async () => (await api().get("/api/realm/settings")).body.data.timeZone;

  test("is requested while it is UTC; the console proposes the browser's time zone: keyboard alone", async () => {
    const view = { zone: "Europe/Berlin", width: 390, language: "de" } as const;
    const watched = await subject.open("/console", view);
    const { page, context } = watched;
    await page.getByText("In welcher Zeitzone liegt dieser Realm?").waitFor();
    await expectGoodConsole(watched);
    await pressAt(page.getByRole("button", { name: "Europe/Berlin verwenden" }));
    await expect.poll(zoneNow).toBe("Europe/Berlin");
    await page.getByText("In welcher Zeitzone liegt dieser Realm?").waitFor({ state: "detached" });
    await context.close();
  });

  test("applies to times that are shown and typed, also if the browser has another time zone", async () => {
    await setZone("Asia/Kolkata");
    const account = { name: "Zoned", expirationDate: "2031-01-02T00:00:00.000Z" };
    const { id } = (await api().post("/api/guest-account", account)).body.data;
    const { page, context } = await subject.open(`/console/guests/${id}`, { zone: "America/New_York" });
    await page.getByRole("main").getByText("2 Jan 2031, 05:30").first().waitFor();
    await page.getByRole("button", { name: "Edit" }).click();
    const end = page.locator('[data-path="expirationDate"]');
    expect(await end.inputValue()).toBe("2031-01-02T05:30");
    await page.getByText("Date and time in Asia/Kolkata.").waitFor();
    await end.fill("2031-01-02T06:00");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    const endNow = async () => (await api().get(`/api/guest-accounts/${id}`)).body.data.expirationDate;
    await expect.poll(endNow).toBe("2031-01-02T00:30:00.000Z");
    await page.click('[aria-label="Account of grace.hopper"]');
    await page.getByText("Times are in Asia/Kolkata").waitFor();
    await context.close();
  });

  test("applies to the last day of a static token", async () => {
    await setZone("Pacific/Auckland");
    const { clientId } = await subject.api.given.application({ realmId: subject.realm.realmId, scopes: ["scim"] });
    const { page, context } = await subject.open(`/console/applications/${clientId}`, { zone: "America/New_York" });
    await page.getByRole("button", { name: "Make a token", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The token expires at 23:59 (Pacific/Auckland).").waitFor();
    await dialog.locator('[data-path="expiresAt"]').fill("2031-01-15");
    await dialog.getByRole("button", { name: "Make a token", exact: true }).click();
    await page.getByLabel("Token", { exact: true }).waitFor();
    const tokens = (await api().get(`/api/applications/${clientId}/tokens`)).body.data;
    expect(tokens).toMatchObject([{ expiresAt: "2031-01-15T10:59:00.000Z" }]);
    await context.close();
  });
});
