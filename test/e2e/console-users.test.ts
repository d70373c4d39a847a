import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { expectFaultless, type View, type WatchedPage } from "../support/browser.ts";
import { useConsole } from "../support/console.ts";
import { expectGoodConsole } from "../support/console-views.ts";
import type { GivenUser } from "../support/given.ts";
import { openssl } from "../support/openssl.ts";
import { describeWithTool } from "../support/tools.ts";

describeWithTool("chromium", "users and profiles in the console", () => {
  const subject = useConsole();
  const { given } = subject.api;
  let mia: GivenUser;
  let phone = "";

  const administrator = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const profileOf = async (serial: string) => (await administrator().get(`/api/profiles/${serial}`)).body.data;
  const userOf = async ({ id }: GivenUser) => (await administrator().get(`/api/user/${id}`)).body.data;
  const someone = (pairwiseId: string, email = `${pairwiseId}@example.org`) =>
    given.user({ realmId: subject.realm.realmId, pairwiseId, email });
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const inDialog = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });
  const opened = async (path: string, run: (watched: WatchedPage) => Promise<void>, view?: Partial<View>) => {
    const watched = await subject.open(path, view);
    try {
      await run(watched);
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.context.close();
    }
  };

  test("where nobody has a profile yet, the list says what to do", () =>
    opened("/console/profiles", async (watched) => {
      await watched.page.getByText("Nobody has an active profile yet").waitFor();
      await expectFaultless(watched);
    }));

  describe("with people", () => {
    beforeAll(async () => {
      mia = await someone("mia-4711", "mia.keller@example.org");
      phone = await given.profile(mia, { name: "Mia's phone", deviceType: "iOS" });
      await given.profile(mia, { name: "Laptop" });
      await someone("noor-0815", "noor@elsewhere.example");
    });

    test("a person is found by part of the e-mail address or the ID, and the page says which it understood", () =>
      opened("/console/users", async ({ page }) => {
        const rows = page.getByRole("table").getByRole("link");
        await page.getByRole("searchbox", { name: "Part of the ID" }).fill("keller@");
        await page.getByText("inside the e-mail address.").waitFor();
        await expect.poll(() => rows.allTextContents()).toEqual(["mia-4711"]);
        await page.getByRole("searchbox", { name: "Part of the ID" }).fill("R-08");
        await page.getByText("inside the pseudonymous ID.").waitFor();
        await expect.poll(() => rows.allTextContents()).toEqual(["noor-0815"]);
        await page.getByRole("searchbox", { name: "Part of the ID" }).fill("nobody-here");
        await page.getByText("Nothing matches “nobody-here”").waitFor();
      }));

    test("with the keyboard alone, a phone is found by the end of its serial number and revoked with a reason", () =>
      opened("/console", async ({ page }) => {
        const stopped = await someone("stopped");
        const lost = await given.profile(stopped, { name: "Lost phone" });
        await page.keyboard.press("/");
        await page.keyboard.type(lost.slice(-8));
        await page.keyboard.press("Enter");
        const revoke = button(page, "Revoke Lost phone");
        await revoke.waitFor();
        await tabTo(page, "Revoke Lost phone");
        await page.keyboard.press("Enter");
        await expect.poll(() => focused(page)).toBe("Cancel");
        await page.keyboard.press("Shift+Tab");
        await page.keyboard.type("d");
        await page.keyboard.press("ArrowDown");
        await chooseReason(page, "Device or key in the wrong hands");
        await tabTo(page, "Revoke “Lost phone”");
        await page.keyboard.press("Enter");
        await page.getByText("“Lost phone” is revoked.").waitFor();
        expect(await profileOf(lost)).toMatchObject({ revokeReason: 1, revokeTime: expect.any(String) });
      }));

    test("locking needs no question and can be undone", () =>
      opened("/console/users?q=mia-4711", async ({ page }) => {
        await page.getByRole("checkbox", { name: "Select mia-4711" }).check();
        await button(page, "Lock").click();
        await page.getByText("mia.keller@example.org is locked").waitFor();
        expect(await userOf(mia)).toMatchObject({ locked: true });
        await button(page, "Undo").click();
        await page.getByText("mia.keller@example.org is unlocked").waitFor();
        expect(await userOf(mia)).toMatchObject({ locked: false });
      }));

    test("offboarding says what is lost for good and asks first; the person can be reactivated", async () => {
      const leaver = await someone("leaver");
      const serials = await Promise.all([given.profile(leaver), given.profile(leaver)]);
      await opened(`/console/users/${leaver.id}`, async ({ page }) => {
        await button(page, "Offboard").click();
        const dialog = page.getByRole("dialog", { name: "Offboard leaver@example.org?" });
        await dialog.getByText("2 profiles are revoked for good.").waitFor();
        await expect.poll(() => focused(page)).toBe("Cancel");
        await inDialog(page, "Cancel").click();
        expect(await userOf(leaver)).toMatchObject({ blacklisted: false });

        await button(page, "Offboard").click();
        await inDialog(page, "Offboard leaver@example.org").click();
        await page.getByText("leaver@example.org is offboarded.").waitFor();
        expect(await userOf(leaver)).toMatchObject({ blacklisted: true, profileCount: 0 });
        for (const serial of serials) expect(await profileOf(serial)).toMatchObject({ revokeReason: 5 });

        await button(page, "Reactivate").click();
        await button(page, "Offboard").waitFor();
        expect(await userOf(leaver)).toMatchObject({ blacklisted: false });
        await button(page, "Show revoked and expired profiles").click();
        await page.getByText("2 revoked and expired profiles").waitFor();
      });
    });

    test("of several people, whom it fails for is listed, and the others are done", async () => {
      const people = await Promise.all(["crowd-1", "crowd-2", "crowd-3"].map((name) => someone(name)));
      const [first, second, third] = people as [GivenUser, GivenUser, GivenUser];
      const watched = await subject.open("/console/users?q=crowd");
      const { page } = watched;
      await page.route(`**/api/user/${second.id}`, (route) =>
        route.request().method() === "DELETE" ? route.abort() : route.continue(),
      );
      await page.getByRole("checkbox", { name: "Select all" }).check();
      await button(page, "Offboard").click();
      const confirm = inDialog(page, "Offboard 3 people");
      expect(await confirm.isDisabled()).toBe(true);
      await page.getByRole("textbox", { name: "Type 3 to go on" }).fill("3");
      await confirm.click();
      await page.getByRole("alert").getByText("It did not work for 1 of 3").waitFor();
      await page.getByRole("alert").getByText("crowd-2@example.org: The service cannot be reached.").waitFor();
      expect(await Promise.all([first, second, third].map(async (user) => (await userOf(user)).blacklisted))).toEqual([
        true,
        false,
        true,
      ]);
      await watched.context.close();
    });

    test("a new profile's file is downloaded once and is what OpenSSL can use", async () => {
      await opened(`/console/users/${mia.id}`, async ({ page }) => {
        await button(page, "New profile").click();
        await inDialog(page, "Create profile").click();
        await page.getByRole("alert").getByText("Name: 1 to 64 characters.").waitFor();
        await page.getByRole("textbox", { name: "Name" }).fill("Büro / Linux");
        await page.getByRole("combobox", { name: "Device type" }).click();
        await page.getByRole("option", { name: "Linux" }).click();
        await inDialog(page, "Create profile").click();
        await page.getByText("“Büro / Linux” is ready").waitFor();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          inDialog(page, "Download Buro-Linux.pem").click(),
        ]);
        const pem = await readFile(await download.path(), "utf8");
        const [certified, owned] = [
          openssl(["x509", "-in", "file.pem", "-noout", "-pubkey"], { "file.pem": pem }),
          openssl(["pkey", "-in", "file.pem", "-pubout"], { "file.pem": pem }),
        ];
        expect(certified.stdout).toMatch(/^-----BEGIN PUBLIC KEY-----/);
        expect(owned.stdout).toBe(certified.stdout);
        expect(await inDialog(page, "Done").isDisabled()).toBe(true);
        await page.getByRole("checkbox", { name: "I have the file" }).check();
        await inDialog(page, "Done").click();
        await page.getByRole("link", { name: "Büro / Linux" }).waitFor();
      });
      expect(await userOf(mia)).toMatchObject({ profileCount: 3 });
    });

    test("when it takes longer than the service waits, the page goes on waiting for the profile", async () => {
      const patient = await someone("patient");
      await opened(`/console/users/${patient.id}`, async ({ page }) => {
        await page.route("**/profiles/Tablet", (route, request) =>
          route.continue({ headers: { ...request.headers(), prefer: "respond-async" } }),
        );
        const accepted = page.waitForResponse("**/profiles/Tablet");
        await button(page, "New profile").click();
        await page.getByRole("textbox", { name: "Name" }).fill("Tablet");
        await inDialog(page, "Create profile").click();
        expect((await accepted).status()).toBe(202);
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          inDialog(page, "Download Tablet.mobileconfig").click(),
        ]);
        expect(await readFile(await download.path(), "utf8")).toMatch(/^<\?xml[^]*<plist/);
      });
    });

    test("at the limit no profile is made, the page says why, and a higher limit helps", async () => {
      const full = await someone("full");
      await Promise.all(Array.from({ length: 5 }, () => given.profile(full)));
      await opened(`/console/users/${full.id}`, async ({ page }) => {
        await button(page, "New profile").click();
        await page.getByRole("textbox", { name: "Name" }).fill("One more");
        await inDialog(page, "Create profile").click();
        await page.getByRole("alert").getByText("All profiles that are allowed are in use.").waitFor();
        await inDialog(page, "Cancel").click();
        await button(page, "Change").click();
        await page.getByRole("radio", { name: "A limit of their own" }).check();
        await page.getByRole("textbox", { name: "Profiles at the same time" }).fill("101");
        await inDialog(page, "Save").click();
        await page.getByRole("alert").getByText("A whole number from 1 to 100.").waitFor();
        await page.getByRole("textbox", { name: "Profiles at the same time" }).fill("7");
        await inDialog(page, "Save").click();
        await page.getByText("7, of their own").waitFor();
      });
      expect(await userOf(full)).toMatchObject({ profileOverride: 7, maxProfiles: 7 });
    });

    test("a session of a person is ended", async () => {
      const guest = await someone("signed-in");
      const application = await given.application({ ...guest, type: "useragent", name: "Course planner" });
      await given.session({ user: guest, clientId: application.clientId });
      await opened(`/console/users/${guest.id}`, async ({ page }) => {
        await button(page, "End the session with Course planner").click();
        await page.getByText("The person is not signed in anywhere.").waitFor();
      });
      const left = await subject.api.database.owner.query(sql`select 1 from sessions where user_id = ${guest.id}`);
      expect(left).toEqual([]);
    });

    test("several profiles are revoked at once, and a profile has an address of its own", async () => {
      const owner = await someone("two-tablets");
      const serials = await Promise.all(
        ["Tablet 1", "Tablet 2"].map((name) => given.profile(owner, { name, deviceType: "iPadOS" })),
      );
      await opened("/console/profiles?deviceType=iPadOS", async ({ page }) => {
        await page.getByRole("checkbox", { name: "Select all" }).check();
        await button(page, "Revoke 2 profiles").click();
        await inDialog(page, "Revoke 2 profiles").click();
        await page.getByText("2 profiles are revoked.").waitFor();
        await page.getByText("Nothing matches these filters").waitFor();
        await page.goto(`${subject.api.url}/console/profiles?open=${serials[0]}`);
        const drawer = page.getByRole("dialog", { name: "Profile" });
        await drawer.getByText("Tablet 1").waitFor();
        expect(await drawer.getByText("No particular reason").count()).toBe(1);
        await page.keyboard.press("Escape");
        await page.waitForURL(/\/console\/profiles$/);
      });
      for (const serial of serials) expect(await profileOf(serial)).toMatchObject({ revokeReason: 0 });
    });

    test("a person of another realm does not exist", async () => {
      const stranger = await given.user({ realmId: subject.api.realmId });
      await opened(`/console/users/${stranger.id}`, async (watched) => {
        await watched.page.getByRole("heading", { name: "There is no such person" }).waitFor();
        await expectFaultless(watched);
      });
    });

    const views: View[] = [
      { theme: "light", width: 1440, language: "en" },
      { theme: "dark", width: 390, language: "de" },
    ];
    test.each(views)(
      "every state is faultless: $theme, $width px, $language",
      async (view) => {
        const watched = await subject.open("/console/users", view);
        const { page } = watched;
        const states: Record<string, (page: Page) => Promise<unknown>> = {
          "/console/users": (at) => at.getByRole("link", { name: "mia-4711" }).waitFor(),
          [`/console/users?q=${phone.slice(-8)}`]: (at) => at.getByText("Mia's phone").waitFor(),
          "/console/users?state=locked&q=nobody": (at) => at.getByText("nobody").last().waitFor(),
          [`/console/users/${mia.id}`]: (at) => at.getByText("Mia's phone").waitFor(),
          "/console/profiles": (at) => at.getByText("Mia's phone").waitFor(),
          [`/console/profiles?open=${phone}`]: (at) => at.getByRole("dialog").getByText("Mia's phone").waitFor(),
        };
        for (const [path, shown] of Object.entries(states)) {
          await page.goto(`${subject.api.url}${path}`);
          await shown(page);
          expect(await page.locator("html").getAttribute("lang")).toBe(view.language);
          await expectGoodConsole(watched);
        }
        await watched.context.close();
      },
      90_000,
    );

    test("when the service cannot be reached, the page says so and tries again", async () => {
      const watched = await subject.open("/console/users");
      const { page } = watched;
      const lists = /\/console\/api\/(?:user|profiles)\b/;
      await page.route(lists, (route) => route.abort());
      for (const path of ["/console/users", `/console/users/${mia.id}`, "/console/profiles"]) {
        await page.goto(`${subject.api.url}${path}`);
        await page.getByRole("alert").getByText("The service cannot be reached.").first().waitFor();
        // That it cannot be reached is what was asked for.
        watched.complaints.length = 0;
        await expectFaultless(watched);
      }
      await page.unroute(lists);
      await button(page, "Try again").click();
      await page.getByText("Mia's phone").waitFor();
      await watched.context.close();
    });
  });
});

const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(
    `document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()`,
  );

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${name}`);
}

/** Chooses from the list that has the focus, with the keyboard. */
async function chooseReason(page: Page, reason: string): Promise<void> {
  await page.getByRole("option", { name: reason }).waitFor();
  for (let presses = 0; presses < 10; presses++) {
    const chosen = await page.getByRole("option", { name: reason }).getAttribute("data-combobox-selected");
    if (chosen !== null) break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}
