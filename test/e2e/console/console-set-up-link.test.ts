import { beforeAll, expect, test } from "vitest";
import type { GivenUser } from "../../support/given/given.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";
import { useBrowser } from "../../support/browser/browser.ts";
import { expectGoodConsole } from "../../support/browser/console-views.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

describeWithTool("chromium-headless-shell", "the help desk on the phone", () => {
  const subject = useConsole();
  const { given } = subject.api;
  const strangers = useBrowser();
  let mia: GivenUser;
  let phone = "";
  const desk = { username: "desk" };
  const auditor = { username: "auditor" };

  beforeAll(async () => {
    const { realmId } = subject.realm;
    await givenLocalAccount(subject.api, { ...desk, realmId, roles: ["help_desk"] });
    await givenLocalAccount(subject.api, { ...auditor, realmId, roles: ["auditor"] });
    mia = await given.user({ realmId, pairwiseId: "mia-4711", email: "mia@example.org" });
    phone = await given.profile(mia, { name: "Mia's phone", deviceType: "Android" });
    expect((await subject.api.as.service({ realmId }).delete(`/api/profiles/${phone}`)).status).toBe(200);
  });

  test.each(["en", "de"] as const)(
    "the help desk makes a code by keyboard, and a device without a sign-in uses the code (%s)",
    async (language) => {
      const german = language === "de";
      const watched = await subject.open(`/console/users/${mia.id}`, { language, width: german ? 390 : 1440 }, desk);
      const { page } = watched;
      await page.getByRole("button", { name: german ? "Einrichtungslink senden" : "Send a set-up link" }).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox").first().waitFor();
      await expectGoodConsole(watched);
      await page.keyboard.type("tablet");
      await page.keyboard.press("Enter");
      const code = await dialog.getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/).textContent();
      await expectGoodConsole(watched);
      await watched.context.close();

      const device = await strangers.open({ theme: german ? "dark" : "light", width: 320, language });
      await device.page.goto(`${subject.api.url}/code`);
      await device.page.keyboard.type("0000 0001\n");
      await device.page.getByRole("alert").waitFor();
      await device.page.fill("#code", String(code).toLowerCase().replace("-", ""));
      await device.page.keyboard.press("Enter");
      await device.page.waitForURL(/\/d\/rph_/);
      expect(await device.page.textContent("h1")).toContain("tablet");
      await device.context.close();
    },
  );

  test("a device's details offer a new link under the device's name", async () => {
    const watched = await subject.open(`/console/profiles?open=${phone}`, {}, desk);
    const { page } = watched;
    await page.getByRole("button", { name: "Send a new set-up link" }).click();
    await expect
      .poll(() => page.getByRole("dialog").getByRole("textbox", { name: "Name" }).inputValue())
      .toBe("Mia's phone");
    await watched.context.close();
  });

  test("an auditor gets no link, and each reader sees only the steps that the reader can take", async () => {
    const stepsOf = async (account: { username: string } | undefined, person: GivenUser): Promise<string> => {
      const watched = await subject.open(`/console/users/${person.id}`, {}, account);
      const card = watched.page.getByRole("region", { name: /^Why is / });
      await card.getByText("set up").first().waitFor();
      const text = await card.innerText();
      await watched.context.close();
      return text;
    };
    expect(await stepsOf(undefined, mia)).toContain("set up again: the person does it under “My devices”, or you send");
    expect(await stepsOf(undefined, mia)).toContain("create a profile");
    expect(await stepsOf(desk, mia)).toContain("or you send them a set-up link.");
    expect(await stepsOf(desk, mia)).not.toContain("create a profile");
    expect(await stepsOf(auditor, mia)).not.toContain("you");
    const offersTo = async (account: { username: string }): Promise<number> => {
      const watched = await subject.open(`/console/users/${mia.id}`, {}, account);
      await watched.page.getByRole("region", { name: /^Why is / }).waitFor();
      const offers = await watched.page.getByRole("button", { name: "Send a set-up link" }).count();
      await watched.context.close();
      return offers;
    };
    expect([await offersTo(desk), await offersTo(auditor)]).toEqual([1, 0]);
    const newcomer = await given.user({ realmId: subject.realm.realmId });
    expect(await stepsOf(desk, newcomer)).toContain("A device has to be set up:");
    expect(await stepsOf(desk, newcomer)).not.toContain("again");
  });

  test("the line of a revoked device shows that the device has not tried since", async () => {
    const watched = await subject.open(`/console/users/${mia.id}`, {}, desk);
    const row = watched.page.getByRole("row", { name: /Mia's phone/ });
    await row.getByText(/^Revoked .*No attempt seen since\.$/).waitFor();
    await watched.context.close();
  });

  test("an administrator writes a note of several lines, which the help desk reads", async () => {
    const watched = await subject.open(`/console/users/${mia.id}`, { width: 390, language: "de", theme: "dark" });
    const { page } = watched;
    await page.getByRole("button", { name: "Notiz schreiben" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Notiz" }).fill("Ruft zurück.\nAb zehn.");
    await expectGoodConsole(watched);
    await page.getByRole("dialog").getByRole("button", { name: "Speichern" }).click();
    await page.getByText("Die Notiz ist gespeichert.").waitFor();
    await page.getByText("Ruft zurück.").waitFor();
    await watched.context.close();
    const read = await subject.open(`/console/users/${mia.id}`, {}, desk);
    await read.page.getByText("Ruft zurück.").waitFor();
    expect(await read.page.getByRole("button", { name: "Change the note" }).count()).toBe(0);
    await read.context.close();
  });
});
