import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import * as realms from "../../../db/queries/realm/realms.ts";
import { expectFocus, pressAt, tabTo, typeInto } from "../../support/browser/console-keyboard.ts";
import { sql } from "../../../db/sql.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { downloadProfile } from "../../support/browser/download-profile.ts";
import { useConsole } from "../../support/service/console.ts";
import { fromNow } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";

const day = 24 * 60 * 60 * 1000;

vi.setConfig({ testTimeout: pagesMs });

describeWithTool("chromium-headless-shell", "guest accounts in the console", () => {
  const subject = useConsole();
  const api = () => subject.api.as.service({ realmId: subject.realm.realmId });

  const givenAccount = async (name: string, more: object = {}): Promise<string> => {
    const account = { name, expirationDate: fromNow(7 * day).toISOString(), ...more };
    const { body } = await api().post("/api/guest-account", account);
    return body.data.id;
  };
  const accountNow = async (id: string) => (await api().get(`/api/guest-accounts/${id}`)).body.data;
  const profilesNow = async (id: string) => (await api().get(`/api/guest-accounts/${id}/profiles`)).body.data;
  const opened = (page: Page, name: string) => page.waitForSelector(`h1:text-is("${name}")`);
  const fact = (page: Page, name: string) => page.locator(`dt:text-is("${name}") + dd`).innerText();

  test("the empty list explains the purpose of guest accounts", async () => {
    const watched = await subject.open("/console/guests");
    await watched.page.waitForSelector("text=There are no guest accounts yet.");
    await expectGoodConsole(watched);
    await watched.context.close();
  });

  test("a user creates a guest account by keyboard alone; a guest adds a phone by its code, and the user revokes the profile", async () => {
    const watched = await subject.open("/console/guests");
    const { page, context } = watched;
    await pressAt(page.locator('main button:has-text("New guest account")').first());
    await page.waitForSelector('[role="dialog"] input:focus');
    await page.keyboard.type("Physics summer school");
    await typeInto(page.locator('[role="dialog"] input[data-path="profileLimit"]'), "2");
    await page.keyboard.press("Enter");
    await opened(page, "Physics summer school");
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    expect(await accountNow(id)).toMatchObject({ name: "Physics summer school", profileLimit: 2, note: null });
    expect(await fact(page, "Active profiles / limit")).toBe("0 / 2");

    expect(await page.content()).not.toContain("/guest/rpg_");
    await page.waitForSelector("text=Showing it is recorded in the audit log.");
    await pressAt(page.locator('button:has-text("Show link")'));
    const link = await page.locator('pre[aria-label="Guest link"]').innerText();
    expect(link).toMatch(new RegExp(`^${subject.api.url}/guest/rpg_`));
    await page.getByRole("img", { name: "QR code of the link of “Physics summer school”" }).waitFor();
    const { body: audit } = await api().get("/api/audit?filter[event]=guest_token_read");
    expect(audit.total).toBe(2);
    await page.getByText(`open ${new URL(subject.api.url).host}/code and type this code`).waitFor();
    const code = await page.locator('pre[aria-label="Code"]').innerText();

    const guest = await subject.open("/console", { width: 390 });
    await guest.page.goto("about:blank");
    await guest.context.clearCookies();
    await guest.page.goto(`${subject.api.url}/code`);
    await guest.page.fill('input[name="code"]', code);
    await Promise.all([guest.page.waitForURL(link), guest.page.click("main button")]);
    await guest.page.goto(link);
    await Promise.all([guest.page.waitForEvent("load"), guest.page.click("text=Add a device")]);
    await guest.page.check("[value=Linux]");
    await Promise.all([guest.page.waitForEvent("load"), guest.page.click("text=On this device")]);
    await downloadProfile(guest.page);
    await guest.context.close();

    await page.reload();
    await page.waitForSelector('td:text-is("Linux")');
    expect(await fact(page, "Active profiles / limit")).toBe("1 / 2");
    await pressAt(page.locator('td button:has-text("Revoke")'));
    await page.waitForSelector('[role="dialog"] button:focus:has-text("Cancel")');
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("td >> text=Revoked");
    expect(await profilesNow(id)).toMatchObject([{ deviceType: "Linux", revokeDate: expect.any(String) }]);
    expect(watched.complaints).toEqual([]);
    await context.close();
  });

  test("a change keeps the other fields, and errors are shown beside their fields", async () => {
    const id = await givenAccount("Workshop", { profileLimit: 20 });
    const before = await accountNow(id);
    const watched = await subject.open(`/console/guests/${id}`);
    const { page } = watched;
    await page.click('button:has-text("Edit")');
    await page.fill('[data-path="expirationDate"]', "2020-01-01T00:00");
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.waitForSelector('[role="alert"]:focus >> text=Valid until: A date and time in the future.');
    expect(await page.getAttribute('[data-path="expirationDate"]', "aria-invalid")).toBe("true");
    await expectGoodConsole(watched);
    await page.click('[role="alert"] button');
    expect(await page.evaluate(`document.activeElement.dataset.path`)).toBe("expirationDate");
    expect(await accountNow(id)).toEqual(before);

    await page.click('[role="dialog"] button:has-text("Cancel")');
    await page.click('button:has-text("Edit")');
    await page.setChecked('[data-path="limited"]', false);
    await page.fill('[data-path="note"]', "Ask Mia");
    await page.click('[role="dialog"] button:has-text("Save")');
    await page.waitForSelector("text=The guest account was changed.");
    expect(await accountNow(id)).toEqual({ ...before, profileLimit: null, note: "Ask Mia" });
    expect(await fact(page, "Active profiles / limit")).toBe("0 / unlimited");
    await watched.context.close();
  });

  test("the form shows another person's changes beside the user's own changes; a guest's new profile causes no conflict", async () => {
    const id = await givenAccount("Two tabs", { profileLimit: 20 });
    const watched = await subject.open(`/console/guests/${id}`);
    const { page } = watched;
    await page.click('button:has-text("Edit")');
    await api().put(`/api/guest-accounts/${id}`, { name: "Renamed", profileLimit: 5 });
    await page.fill('[data-path="note"]', "Ask Mia");
    await page.fill('[data-path="profileLimit"]', "9");
    await page.click('[role="dialog"] button:has-text("Save")');
    const notice = page.getByRole("alert").filter({ hasText: "This was changed elsewhere" });
    await notice.waitFor();
    await expectFocus(notice);
    expect(await notice.getByRole("listitem").allTextContents()).toEqual([
      "Name: Renamed",
      "Active profiles at most: 5",
    ]);
    expect(await page.inputValue('[data-path="name"]')).toBe("Renamed");
    expect(await page.inputValue('[data-path="profileLimit"]')).toBe("9");
    expect(await accountNow(id)).toMatchObject({ name: "Renamed", profileLimit: 5, note: null });
    await expectGoodConsole(watched);
    await subject.api.given.profile({ realmId: subject.realm.realmId }, { guestAccountId: id });
    await page.click('[role="dialog"] button:has-text("Save mine anyway")');
    await page.waitForSelector("text=The guest account was changed.");
    expect(await accountNow(id)).toMatchObject({ name: "Renamed", profileLimit: 9, note: "Ask Mia" });
    await watched.context.close();
  });

  test("the form has the realm's limits for a guest manager", async () => {
    const { realmId } = subject.realm;
    await givenLocalAccount(subject.api, { username: "gerda", realmId, roles: ["guest_manager"] });
    await subject.api.database.owner.query(sql`
      update realms set guest_days_max = 3, guest_limit_max = 10 where id = ${realmId}
    `);
    const watched = await subject.open("/console/guests", { width: 390 }, { username: "gerda" });
    const { page } = watched;
    await page.click('main button:has-text("New guest account")');
    await page.waitForSelector('[role="dialog"] >> text=At most 3 days from now.');
    expect(await page.inputValue('[data-path="profileLimit"]')).toBe("10");
    expect(await page.getByRole("switch").count()).toBe(0);
    await expectGoodConsole(watched);
    await page.fill('[data-path="name"]', "Bounded");
    await page.fill('[data-path="profileLimit"]', "11");
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector('[role="alert"]:focus >> text=Active profiles at most: At most 10.');
    await page.fill('[data-path="profileLimit"]', "10");
    await page.click('[role="dialog"] [type="submit"]');
    await opened(page, "Bounded");
    await watched.context.close();
  });

  test("a user opens, changes and revokes a guest account: keyboard alone", async () => {
    const id = await givenAccount("Keys", { profileLimit: 3 });
    const { page, context } = await subject.open("/console/guests");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await pressAt(page.getByRole("link", { name: "Keys", exact: true }));
    await opened(page, "Keys");
    await pressAt(button("Show link"));
    await page.waitForSelector('pre[aria-label="Guest link"]');
    await expectFocus(page.getByRole("heading", { name: "Guest link" }));
    await tabTo(page.getByRole("link", { name: "Print sheet (A5)" }));
    await pressAt(button("Hide link"));
    await expectFocus(page.getByRole("heading", { name: "Guest link" }));

    await tabTo(button("Edit"), "Shift+Tab");
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("textbox", { name: "Name" }));
    await pressAt(page.getByRole("switch"), "Space");
    await typeInto(page.getByRole("textbox", { name: "Note" }), "Ask Mia");
    await pressAt(button("Save"));
    await page.waitForSelector("text=The guest account was changed.");
    await expectFocus(button("Edit"));
    expect(await accountNow(id)).toMatchObject({ note: "Ask Mia", profileLimit: null });

    await pressAt(button("Revoke"));
    await expectFocus(button("Cancel"));
    await page.keyboard.press("Escape");
    await expectFocus(button("Revoke"));
    await page.keyboard.press("Enter");
    await pressAt(button("Revoke “Keys”"));
    await page.waitForSelector("text=“Keys” was revoked.");
    await expectFocus(page.getByRole("heading", { level: 1 }));
    expect(await accountNow(id)).toMatchObject({ revoked: true });
    await context.close();
  });

  test("revoking a guest account shows how many profiles are lost, and removes the link", async () => {
    const id = await givenAccount("Conference");
    for (let index = 0; index < 2; index++) {
      await subject.api.given.profile({ realmId: subject.realm.realmId }, { guestAccountId: id });
    }
    const { page, context } = await subject.open(`/console/guests/${id}`);
    await page.waitForSelector("text=Show link");
    await page.click('main button:has-text("Revoke") >> nth=0');
    await page.waitForSelector("text=2 active profiles are revoked and their devices go offline.");
    await page.click('button:has-text("Revoke “Conference”")');
    await page.waitForSelector("text=“Conference” was revoked.");
    expect(await fact(page, "Status")).toBe("Revoked");
    expect(await page.isVisible("text=Show link")).toBe(false);
    expect(await accountNow(id)).toMatchObject({ revoked: true, activeProfileCount: 0 });
    await context.close();
  });

  test("revoking a guest account with many of the realm's profiles requires typing the number", async () => {
    const id = await givenAccount("Festival");
    for (let index = 0; index < 101; index++) {
      await subject.api.given.profile({ realmId: subject.realm.realmId }, { guestAccountId: id });
    }
    const watched = await subject.open(`/console/guests/${id}`);
    const { page, context } = watched;
    await page.click('main button:has-text("Revoke") >> nth=0');
    const revoke = page.getByRole("dialog").getByRole("button", { name: "Revoke “Festival”" });
    await revoke.click();
    const asked = await page
      .getByRole("alert")
      .getByText(/of the realm’s people and profiles would be offline/)
      .innerText();
    const [total = ""] = /\d+/.exec(asked) ?? [];
    expect(Number(total)).toBeGreaterThanOrEqual(101);
    expect(await revoke.isDisabled()).toBe(true);
    await page.getByRole("textbox", { name: `Type ${total} to continue` }).fill("101000");
    expect(await revoke.isDisabled()).toBe(true);
    expect(await accountNow(id)).toMatchObject({ revoked: false, activeProfileCount: 101 });
    await page.getByRole("textbox", { name: `Type ${total} to continue` }).fill(total);
    await revoke.click();
    await page.waitForSelector("text=“Festival” was revoked.");
    expect(await accountNow(id)).toMatchObject({ revoked: true, activeProfileCount: 0 });
    await context.close();
  });

  test("the sheet opens in a new tab, at the account's link", async () => {
    const id = await givenAccount("Open day");
    const { page, context } = await subject.open(`/console/guests/${id}`, { theme: "dark", language: "de" });
    await page.click('button:has-text("Link anzeigen")');
    const link = await page.locator('pre[aria-label="Gastlink"]').innerText();
    const [sheet] = await Promise.all([context.waitForEvent("page"), page.click("text=Blatt drucken (A5)")]);
    await opened(sheet, "Open day");
    expect(sheet.url()).toBe(`${link}/sheet`);
    expect(await sheet.evaluate("[document.referrer, window.opener]")).toEqual(["", null]);
    await context.close();
  });

  test("a guest account for an event allows enough devices until its last day ends in the realm's time zone, and shows its sheet", async () => {
    await realms.update(subject.api.database.owner, subject.realm.realmId, { timeZone: "Asia/Kolkata" });
    const watched = await subject.open("/console/guests", { theme: "light", width: 390, language: "en" });
    const { page, context } = watched;
    await page.click('main button:has-text("New guest account")');
    await page.click('[role="dialog"] >> text=Event');
    await page.fill('[data-path="name"]', "Open day 2100");
    await page.fill('[data-path="profileLimit"]', "5001");
    await page.fill('[data-path="devices"]', "6");
    await page.fill('[data-path="expirationDate"]', "2020-02-29");
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector('[role="alert"]:focus >> text=People: A whole number from 1 to 5,000.');
    await page.waitForSelector('[role="alert"] >> text=Devices each: A whole number from 1 to 5.');
    await page.waitForSelector('[role="alert"] >> text=Last day: A day that is not over.');
    await expectGoodConsole(watched);

    await page.fill('[data-path="profileLimit"]', "5000");
    await page.fill('[data-path="devices"]', "5");
    await page.fill('[data-path="expirationDate"]', "2100-02-28");
    await page.waitForSelector("text=All devices go offline at 23:59 (Asia/Kolkata).");
    await page.waitForSelector("text=One link for everybody. Devices in all: up to 25,000.");
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForURL(/\/guest\/rpg_[^/]+\/sheet$/);
    await opened(page, "Open day 2100");

    await page.goBack();
    await opened(page, "Open day 2100");
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    expect(await accountNow(id)).toMatchObject({
      name: "Open day 2100",
      profileLimit: 25_000,
      expirationDate: "2100-02-28T18:29:00.000Z",
    });
    expect(watched.complaints).toEqual([]);
    await context.close();
  });

  test.each(views)("is faultless: $theme, $width px, $language", async (view) => {
    const german = view.language === "de";
    const id = await givenAccount("A guest account with quite a long name for a small screen", { note: "One\nTwo" });
    await subject.api.given.profile({ realmId: subject.realm.realmId }, { guestAccountId: id });
    const watched = await subject.open("/console/guests", view);
    const { page } = watched;
    await page.waitForSelector("td");
    await expectGoodConsole(watched);
    await page.click(`main button:has-text("${german ? "Neues Gastkonto" : "New guest account"}")`);
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector('[role="alert"]');
    await expectGoodConsole(watched);
    await page.click(`[role="dialog"] >> text=${german ? "Veranstaltung" : "Event"}`);
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector('[role="alert"]');
    await expectGoodConsole(watched);
    await page.goto(`${subject.api.url}/console/guests/${id}`);
    await page.waitForSelector("td");
    await page.click(`button:has-text("${german ? "Link anzeigen" : "Show link"}")`);
    await page.waitForSelector("main svg[role=img]");
    await expectGoodConsole(watched);
    await page.goto(`${subject.api.url}/console/guests?q=nobody`);
    await page.waitForSelector("text=nobody");
    await expectGoodConsole(watched);
    await page.goto(`${subject.api.url}/console/guests/999999999`);
    await page.waitForSelector('[role="alert"]');
    await expectGoodConsole(watched);
    await watched.context.close();
  });
});
