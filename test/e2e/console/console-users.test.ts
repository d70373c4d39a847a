import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import english from "../../../console/texts/en.json" with { type: "json" };
import { sql } from "../../../db/sql.ts";
import { expectFaultless, type View, type WatchedPage } from "../../support/browser/browser.ts";
import { useConsole } from "../../support/service/console.ts";
import { chooseOption, expectFocus, pressAt, tabTo, typeInto } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, settled } from "../../support/browser/console-views.ts";
import { givenJob } from "../../support/given/bulk-jobs.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { views } from "../../support/browser/views.ts";
import { describeWithTool } from "../../support/run/tools.ts";

describeWithTool("chromium-headless-shell", "users and profiles in the console", () => {
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

  test("without a profile in the realm, the list explains what to do", () =>
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

    test("the search finds a person by part of the e-mail address or the ID, with and without an @", () =>
      opened("/console/users", async ({ page }) => {
        await someone("ulla@campus.example", "u.vogel@mail.example");
        const rows = page.getByRole("table").getByRole("link");
        const search = page.getByRole("searchbox", { name: "ID, e-mail address" });
        for (const [written, found] of [
          ["keller@", ["mia.keller@example.org"]],
          ["OOR-08", ["noor@elsewhere.example"]],
          ["Keller", ["mia.keller@example.org"]],
          ["ulla@campus.example", ["u.vogel@mail.example"]],
          ["vogel@mail", ["u.vogel@mail.example"]],
          ["vogel%mail", []],
        ] as const) {
          await search.fill(written);
          await expect.poll(() => rows.allTextContents(), { message: written }).toEqual(found);
        }
        await page.getByText("Nothing matches “vogel%mail”").waitFor();
        await page
          .getByText("Looking for “vogel%mail” in the pseudonymous ID, the e-mail address, the name and the devices.")
          .waitFor();
      }));

    test("a filter lists people who are no longer entitled, and their page names their identity provider", () =>
      opened("/console/users", async (watched) => {
        const { page } = watched;
        const left = await someone("left-the-group");
        const { owner } = subject.api.database;
        await owner.query(sql`
          insert into upstream_identities (realm_id, issuer, subject, user_id, created_at)
          values (${subject.realm.realmId}, 'https://login.example', 'secret subject', ${left.id}, '2026-01-03')
        `);
        await owner.query(sql`update users set not_permitted_since = '2026-01-05' where id = ${left.id}`);
        const rows = page.getByRole("table").getByRole("link");
        await rows.nth(1).waitFor();
        await pressAt(button(page, "Filter"));
        await pressAt(page.getByRole("combobox", { name: "Status" }), "ArrowDown");
        await chooseOption(page, "No longer entitled");
        await expect.poll(() => rows.allTextContents()).toEqual(["left-the-group@example.org"]);
        await page.keyboard.press("Escape");

        await pressAt(rows.first());
        await page.waitForURL(`**/console/users/${left.id}`);
        const provider = page.locator("dd").filter({ hasText: "https://login.example" });
        await provider.waitFor();
        expect(await provider.innerText()).toMatch(
          / since 3 Jan 2026.*\s+No longer entitled: refused since 5 Jan 2026/,
        );
        await expectGoodConsole(watched);
        // Control: this person never signed in through a provider, so no provider refused them.
        await page.goto(`${subject.api.url}/console/users/${mia.id}`);
        await page.getByText("none, never signed in through one").waitFor();
        expect(await page.getByText("No longer entitled").count()).toBe(0);
      }));

    test("a search by serial number lists and counts the owner once beside other matches, and obeys the filters", () =>
      opened("/console/users", async ({ page }) => {
        const digits = "20261815";
        const { realmId } = subject.realm;
        const owner = await someone(`owner-${digits}`, "");
        await given.profile(owner, { name: "Tablet", serialNumber: `77${digits}77` });
        await given.user({ realmId, pairwiseId: `locked-${digits}`, lockedAt: fromNow(0) });
        const rows = page.getByRole("table").getByRole("link");
        await page.getByRole("searchbox", { name: "ID, e-mail address" }).fill(digits);
        await page.getByText(`1 profile has ${digits} in its serial number.`).waitFor();
        await expect.poll(() => rows.allTextContents()).toEqual([`locked-${digits}`, `owner-${digits}`]);
        await page.getByText("2 entries").waitFor();

        await page.goto(`${subject.api.url}/console/users?q=${digits}&state=locked`);
        await expect.poll(() => rows.allTextContents()).toEqual([`locked-${digits}`]);
        await page.getByText("1 entry").waitFor();
      }));

    test("a user finds a phone by the end of its serial number and revokes it with a reason: keyboard alone", () =>
      opened("/console", async ({ page }) => {
        const stopped = await someone("stopped");
        const lost = await given.profile(stopped, { name: "Lost phone" });
        await page.keyboard.press("/");
        await expectFocus(page.getByRole("combobox", { name: "Search" }));
        await page.keyboard.type(lost.slice(-8));
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/profiles\?open=/);
        const revoke = page.getByRole("dialog").getByRole("button", { name: /^Revoke/ });
        await pressAt(revoke);
        await expectFocus(inDialog(page, "Cancel"));
        await tabTo(page.getByRole("combobox", { name: "Reason" }), "Shift+Tab");
        await page.keyboard.press("ArrowDown");
        await chooseOption(page, "Device or key in the wrong hands");
        await pressAt(inDialog(page, "Revoke “Lost phone”"));
        await page.getByText("“Lost phone” is revoked.").waitFor();
        expect(await profileOf(lost)).toMatchObject({ revokeReason: 1, revokeTime: expect.any(String) });
      }));

    test.each(
      (["en", "de"] as const).flatMap((language) => [320, 1440].map((width) => ({ language, width }) as const)),
    )("a notice shows its whole text and button: $language, $width px", async ({ language, width }) => {
      const { users } = language === "de" ? german : english;
      const person = await someone(
        `notice-${language}-${width}`,
        `averylongnamewithoutanybreak.${language}@${width}.example`,
      );
      const open = { language, width };
      await opened(
        `/console/users/${person.id}`,
        async ({ page }) => {
          await button(page, users.actions.lock).click();
          const undo = page
            .locator(".mantine-Notification-root")
            .getByRole("button", { name: users.undo, exact: true });
          await undo.waitFor();
          await settled(page);
          const clipped =
            await page.evaluate(`[...document.querySelectorAll(".mantine-Notification-root, .mantine-Notification-root *")]
          .filter((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0)
          .map((part) => part.className + ": " + part.textContent)`);
          expect(clipped).toEqual([]);
          const inner = await undo.boundingBox();
          const outer = await page.locator(".mantine-Notification-root").boundingBox();
          if (inner === null || outer === null) throw new Error("the notice has no box");
          expect(inner.x).toBeGreaterThanOrEqual(outer.x);
          expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
          expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height);
          expect(outer.x + outer.width).toBeLessThanOrEqual(width);
          await undo.click();
          await button(page, users.actions.lock).waitFor();
          expect(await userOf(person)).toMatchObject({ locked: false });
        },
        open,
      );
    });

    test("a user sets a VLAN by hand, and lets the rules decide again", async () => {
      const user = await someone("mover");
      const vlan = async () =>
        (await subject.api.as.admin({ realmId: subject.realm.realmId }).get(`/api/user/${user.id}/vlan`)).body.data;
      await opened(`/console/users/${user.id}`, async ({ page }) => {
        await page.getByText("as the RADIUS server decides").waitFor();
        await button(page, "Change VLAN").click();
        await page.getByRole("radio", { name: "Another one" }).check();
        await page.getByRole("textbox", { name: "VLAN" }).fill("5000");
        await inDialog(page, "Save").click();
        await page.getByRole("dialog").getByText("A number from 1 to 4094").first().waitFor();
        expect(await vlan()).toMatchObject({ given: null });
        await page.getByRole("textbox", { name: "VLAN" }).fill("quarantine");
        await inDialog(page, "Save").click();
        await page.getByText("quarantine, set by hand").waitFor();
        expect(await vlan()).toMatchObject({ given: "quarantine" });

        await button(page, "Change VLAN").click();
        await subject.api.as.admin({ realmId: subject.realm.realmId }).put(`/api/user/${user.id}/vlan`, { vlan: "30" });
        await page.getByRole("textbox", { name: "VLAN" }).fill("40");
        await inDialog(page, "Save").click();
        await page.getByRole("alert").getByText("Somebody else saved a change").waitFor();
        expect(await vlan()).toMatchObject({ given: "30" });
        await page.getByRole("radio", { name: "As the realm's rules say" }).check();
        await inDialog(page, "Save").click();
        await page.getByText("as the RADIUS server decides").waitFor();
        expect(await vlan()).toMatchObject({ vlan: null });
      });
    });

    test("offboarding explains the permanent losses and asks first; a user can reactivate the person", async () => {
      const leaver = await someone("leaver");
      const serials = await Promise.all([given.profile(leaver), given.profile(leaver)]);
      const { realmId } = subject.realm;
      const owner = subject.api.database.owner;
      const job = {
        realmId,
        kind: "onboarding",
        rows: [{ pairwiseId: "nobody-yet" }],
        executeAt: fromNow(3_600_000),
        createdByUserId: leaver.id,
      } as const;
      for (const state of ["scheduled", "scheduled", "ready"] as const) await givenJob(owner, { ...job, state });
      await opened(`/console/users/${leaver.id}`, async ({ page }) => {
        await button(page, "Offboard").click();
        const dialog = page.getByRole("dialog", { name: "Offboard leaver@example.org?" });
        await dialog.getByText("2 profiles are revoked permanently.").waitFor();
        await dialog.getByText("2 bulk jobs of theirs are waiting to run.").waitFor();
        await expectFocus(inDialog(page, "Cancel"));
        await inDialog(page, "Cancel").click();
        expect(await userOf(leaver)).toMatchObject({ blacklisted: false });

        await button(page, "Offboard").click();
        await inDialog(page, "Offboard leaver@example.org").click();
        await page.getByText("leaver@example.org is offboarded.").waitFor();
        expect(await userOf(leaver)).toMatchObject({ blacklisted: true, profileCount: 0 });
        for (const serial of serials) expect(await profileOf(serial)).toMatchObject({ revokeReason: 5 });

        await pressAt(button(page, "Reactivate"));
        await button(page, "Offboard").waitFor();
        expect(await userOf(leaver)).toMatchObject({ blacklisted: false });
        await page.getByText("2 revoked and expired profiles").waitFor();
      });
    });

    test("OpenSSL can use a new profile's file, and the dialog stays until the user confirms having the file", async () => {
      await opened(`/console/users/${mia.id}`, async ({ page }) => {
        await button(page, "New profile").click();
        await inDialog(page, "Create profile").click();
        await page.getByRole("alert").getByText("Name: 1 to 64 characters, none of them invisible.").waitFor();
        await page.getByRole("textbox", { name: "Name" }).fill("Büro / Linux");
        await page.getByRole("combobox", { name: "Device type" }).click();
        await page.getByRole("option", { name: "Linux" }).click();
        await inDialog(page, "Other formats").click();
        await page.getByRole("radio", { name: "Certificates and key in PEM (.pem)" }).check();
        await inDialog(page, "Create profile").click();
        await page.getByText("“Büro / Linux” is ready").waitFor();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          inDialog(page, "Download buro-linux.pem").click(),
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
        await page.getByRole("table").getByRole("link", { name: "Büro / Linux", exact: true }).waitFor();
      });
      expect(await userOf(mia)).toMatchObject({ profileCount: 3 });
    });

    test("if issuing takes longer than the service waits, the page keeps waiting for the profile", async () => {
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
          inDialog(page, "Download tablet.mobileconfig").click(),
        ]);
        expect(await readFile(await download.path(), "utf8")).toMatch(/^<\?xml[^]*<plist/);
      });
    });

    test("at the limit the page makes no profile and explains why; with a higher limit it makes the profile", async () => {
      const full = await someone("full");
      await Promise.all(Array.from({ length: 5 }, () => given.profile(full)));
      await opened(`/console/users/${full.id}`, async ({ page }) => {
        await button(page, "New profile").click();
        await page.getByRole("textbox", { name: "Name" }).fill("One more");
        await inDialog(page, "Create profile").click();
        await page.getByRole("alert").getByText("All profiles that are allowed are in use.").waitFor();
        await inDialog(page, "Cancel").click();
        expect(await userOf(full)).toMatchObject({ profileCount: 5 });
        await button(page, "Change").click();
        await page.getByRole("radio", { name: "A limit of their own" }).check();
        await page.getByRole("textbox", { name: "Profiles at the same time" }).fill("101");
        await inDialog(page, "Save").click();
        await page.getByRole("alert").getByText("A whole number from 1 to 100.").waitFor();
        await page.getByRole("textbox", { name: "Profiles at the same time" }).fill("7");
        await inDialog(page, "Save").click();
        await page.getByText("7, of their own").waitFor();

        await button(page, "New profile").click();
        await page.getByRole("textbox", { name: "Name" }).fill("One more");
        await inDialog(page, "Create profile").click();
        await page.getByText("“One more” is ready").waitFor();
      });
      expect(await userOf(full)).toMatchObject({ profileOverride: 7, maxProfiles: 7, profileCount: 6 });
    });

    test("the page shows another person's change of the limit before it overwrites the limit; a new profile causes no conflict", async () => {
      const person = await someone("two-tabs");
      await opened(`/console/users/${person.id}`, async (watched) => {
        const { page } = watched;
        const count = page.getByRole("textbox", { name: "Profiles at the same time" });
        await button(page, "Change").click();
        await given.profile(person);
        await administrator().put(`/api/user/${person.id}/limit`, { profileOverride: 3 });
        await page.getByRole("radio", { name: "A limit of their own" }).check();
        await count.fill("7");
        await inDialog(page, "Save").click();
        await page.getByRole("alert").getByText("Somebody else saved a change while you were here.").waitFor();
        expect(await count.inputValue()).toBe("3");
        expect(await userOf(person)).toMatchObject({ profileOverride: 3 });
        await expectGoodConsole(watched);

        await given.profile(person);
        await count.fill("7");
        await inDialog(page, "Save").click();
        await page.getByText("7, of their own").waitFor();
      });
      expect(await userOf(person)).toMatchObject({ profileOverride: 7 });
    });

    test("a user locks a person without a question, unlocks them, locks several people, and gives one person a profile and a limit: keyboard alone", async () => {
      const names = ["keys-1", "keys-2", "keys-3", "keys-4"];
      const people = await Promise.all(names.map((name) => someone(name)));
      const [first, second, third, fourth] = people as [GivenUser, GivenUser, GivenUser, GivenUser];
      await opened("/console/users?q=keys-&sort=pairwiseid", async ({ page }) => {
        const choose = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
        await pressAt(choose("keys-1"), "Space");
        await tabTo(button(page, "Lock"), "Shift+Tab");
        await page.keyboard.press("Enter");
        await expectFocus(page.getByText("4 entries"));
        await page.getByText("keys-1@example.org is locked").waitFor();
        expect(await userOf(first)).toMatchObject({ locked: true });
        await pressAt(button(page, "Undo"));
        await page.getByText("keys-1@example.org is unlocked").waitFor();
        expect(await userOf(first)).toMatchObject({ locked: false });

        await pressAt(choose("keys-2"), "Space");
        await tabTo(choose("keys-4"));
        await page.keyboard.press("Shift+Space");
        await page.getByText("3 selected").waitFor();
        await tabTo(button(page, "Lock"), "Shift+Tab");
        await page.keyboard.press("Enter");
        await page.getByText("3 people are locked").waitFor();
        await expectFocus(page.getByText("4 entries"));
        for (const user of [second, third, fourth]) expect(await userOf(user)).toMatchObject({ locked: true });

        await pressAt(page.getByRole("link", { name: "keys-1" }));
        await expectFocus(page.getByRole("heading", { name: "keys-1", level: 1 }));
        await pressAt(button(page, "New profile"));
        await expectFocus(page.getByRole("textbox", { name: "Name" }));
        await page.keyboard.type("Laptop");
        await pressAt(page.getByRole("combobox", { name: "Device type" }));
        await chooseOption(page, "Linux");
        await pressAt(inDialog(page, "Create profile"));
        const download = page.waitForEvent("download");
        await pressAt(inDialog(page, "Download laptop.tar"));
        expect((await download).suggestedFilename()).toBe("laptop.tar");
        await pressAt(page.getByRole("checkbox", { name: "I have the file" }), "Space");
        await pressAt(inDialog(page, "Done"));
        await expectFocus(button(page, "New profile"));

        await pressAt(button(page, "Change"));
        await tabTo(page.getByRole("radio", { name: "As everyone in the realm" }));
        await page.keyboard.press("ArrowDown");
        await typeInto(page.getByRole("textbox", { name: "Profiles at the same time" }), "7");
        await page.keyboard.press("Enter");
        await page.getByText("7, of their own").waitFor();
        await expectFocus(button(page, "Change"));
      });
      expect(await userOf(first)).toMatchObject({ maxProfiles: 7, profileCount: 1 });
    });

    test("Space selects a row, Shift and Space select a range, and the keyboard alone revokes the selection; a profile has its own address", async () => {
      const owner = await someone("four-boxes");
      const serials: string[] = [];
      for (const name of ["Box 1", "Box 2", "Box 3", "Box 4"]) {
        serials.push(await given.profile(owner, { name, deviceType: "ChromeOS" }));
      }
      const [first, ...others] = serials as [string, string, string, string];
      await opened("/console/profiles?deviceType=ChromeOS", async ({ page }) => {
        const choose = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
        await pressAt(choose("Box 4"), "Space");
        await tabTo(choose("Box 2"));
        await page.keyboard.press("Shift+Space");
        await page.getByText("3 selected").waitFor();
        await tabTo(button(page, "Revoke 3 profiles"), "Shift+Tab");
        await page.keyboard.press("Enter");
        await expectFocus(inDialog(page, "Cancel"));
        await pressAt(inDialog(page, "Revoke 3 profiles"));
        await page.getByText("3 profiles are revoked.").waitFor();
        await expectFocus(page.getByText("1 entry"));
        await page.goto(`${subject.api.url}/console/profiles?open=${others[0]}`);
        const drawer = page.getByRole("dialog", { name: "Profile" });
        await drawer.getByText("Box 2").waitFor();
        await drawer.getByText("No particular reason", { exact: true }).waitFor();
        await page.keyboard.press("Escape");
        await page.waitForURL(/\/console\/profiles$/);
      });
      for (const serial of others) expect(await profileOf(serial)).toMatchObject({ revokeReason: 0 });
      expect(await profileOf(first)).toMatchObject({ revokeTime: null });
    });

    test("a user sorts and exports a list: keyboard alone", async () => {
      for (const name of ["order-b", "order-c", "order-a"]) await someone(name, "");
      await opened("/console/users?q=order-", async ({ page }) => {
        const names = page.getByRole("table").getByRole("link");
        const header = page.getByRole("button", { name: /^Pseudonymous ID/ });
        await names.first().waitFor();
        await pressAt(header);
        await expect.poll(() => names.allTextContents()).toEqual(["order-a", "order-b", "order-c"]);
        await expectFocus(header);
        await page.keyboard.press("Enter");
        await expect.poll(() => names.allTextContents()).toEqual(["order-c", "order-b", "order-a"]);
        await page.getByRole("button", { name: "Pseudonymous ID sorted descending" }).waitFor();
        const download = page.waitForEvent("download");
        await tabTo(button(page, "Export"), "Shift+Tab");
        await page.keyboard.press("Enter");
        const file = await readFile(await (await download).path(), "utf8");
        expect(parse(file, { bom: true, columns: true })).toMatchObject(
          ["order-c", "order-b", "order-a"].map((name) => ({ "Pseudonymous ID": name })),
        );
        await expectFocus(button(page, "Export"));
      });
    });

    test.each([
      { language: "en", export_: "Export", delimiter: "," },
      { language: "de", export_: "Exportieren", delimiter: ";" },
    ] as const)(
      "a list exported in the language $language contains no formula, and separates its cells by $delimiter",
      async (view) => {
        const { language, export_, delimiter } = view;
        await someone(`guarded-${language}; =1`, "mia@example.org");
        await someone(`guarded-${language};=1`, "mia@example.org");
        await opened(
          `/console/users?q=guarded-${language}`,
          async ({ page }) => {
            const download = page.waitForEvent("download");
            await button(page, export_).click();
            const file = await readFile(await (await download).path(), "utf8");
            const [, ...rows] = parse(file, { bom: true, delimiter });
            expect(rows.map(([, name = ""]) => name).sort()).toEqual([
              `guarded-${language}; =1`,
              `guarded-${language};'=1`,
            ]);
          },
          { language },
        );
      },
    );

    test("a user ends a person's session: keyboard alone", async () => {
      const guest = await someone("signed-in");
      const application = await given.application({ ...guest, type: "useragent", name: "Course planner" });
      await given.session({ user: guest, clientId: application.clientId });
      await opened(`/console/users/${guest.id}`, async ({ page }) => {
        await pressAt(button(page, "End the session with Course planner"));
        await page.getByText("The person is not signed in anywhere.").waitFor();
        await expectFocus(page.getByRole("heading", { name: "signed-in", level: 1 }));
      });
      const left = await subject.api.database.owner.query(sql`select 1 from sessions where user_id = ${guest.id}`);
      expect(left).toEqual([]);
    });

    test("the page of another realm's person shows that the person does not exist", async () => {
      const stranger = await given.user({ realmId: subject.api.realmId });
      await opened(`/console/users/${stranger.id}`, async (watched) => {
        await watched.page.getByRole("heading", { name: "There is no such person" }).waitFor();
        await expectFaultless(watched);
      });
    });

    test.each(views)(
      "every state is faultless: $theme, $width px, $language",
      async (view) => {
        const watched = await subject.open("/console/users", view);
        const { page } = watched;
        const states: Record<string, (page: Page) => Promise<unknown>> = {
          "/console/users": (at) => at.getByRole("table").getByRole("link").first().waitFor(),
          [`/console/users?q=${phone.slice(-8)}`]: (at) => at.getByText("Mia's phone").waitFor(),
          "/console/users?state=locked&q=nobody": (at) => at.getByText("nobody").last().waitFor(),
          [`/console/users/${mia.id}`]: (at) => at.getByText("Mia's phone").first().waitFor(),
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

    test('each page reports that it cannot reach the service, and "Try again" loads the page', async () => {
      const watched = await subject.open("/console/users");
      const { page } = watched;
      const lists = /\/console\/api\/(?:user|profiles)\b/;
      await page.route(lists, (route) => route.abort("aborted"));
      for (const path of ["/console/users", `/console/users/${mia.id}`, "/console/profiles"]) {
        await page.goto(`${subject.api.url}${path}`);
        await page.getByRole("alert").getByText("The service cannot be reached.").first().waitFor();
        await expectFaultless(watched);
      }
      await page.unroute(lists);
      await button(page, "Try again").click();
      await page.getByText("Mia's phone").waitFor();
      await watched.context.close();
    });
  });
});
