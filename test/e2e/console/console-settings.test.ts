import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { sql } from "../../../db/sql.ts";
import { expectFocus, pressAt, tabTo, typeInto } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useConsole } from "../../support/service/console.ts";
import { describeWithTool } from "../../support/run/tools.ts";

/** A picture of 120 by 40, blue. */
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" fill="#36c"/></svg>`;
const logo = "https://logo.example/logo.svg";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool("chromium-headless-shell", "the realm's settings in the console", () => {
  const subject = useConsole();
  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const realmNow = async () => (await service().get("/api/realm/settings")).body.data;
  const field = (name: string) => `main [data-path="${name}"]`;
  const submitOf = (section: string) => `main #${section} [type="submit"]`;
  const confirm = (page: Page) => page.click('[role="dialog"] button:has-text("Save")');
  /** Saves one section and confirms the change. */
  const save = async (page: Page, section: string) => {
    await page.click(submitOf(section));
    await confirm(page);
  };

  test("the page previews a change before the user saves it, with the number of people affected: keyboard alone", async () => {
    const { given } = subject.api;
    const { realmId } = subject.realm;
    for (const profiles of [4, 4, 3]) {
      const user = await given.user({ realmId });
      for (let index = 0; index < profiles; index++) await given.profile(user);
    }
    const before = await realmNow();
    const watched = await subject.open("/console/settings");
    const { page } = watched;
    const button = page.locator(submitOf("profiles"));
    await typeInto(page.locator(field("maxProfiles")), "3");
    await tabTo(page.getByRole("slider").nth(1));
    await page.keyboard.press("Home");
    await pressAt(button);
    await expectFocus(page.getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Escape");
    await expectFocus(button);
    await page.keyboard.press("Enter");
    await expectFocus(page.getByRole("button", { name: "Cancel" }));
    await page.waitForSelector("text=2 people already have more than 3 profiles; theirs stay.");
    await page.waitForSelector("text=People with a limit of their own are not affected.");
    await page.waitForSelector("text=New profiles are valid for 1 month.");
    expect(await page.locator('[role="dialog"] tbody').innerText()).toMatch(
      /Profiles per person\s+5 profiles\s+3 profiles/,
    );
    expect(await realmNow()).toEqual(before);

    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector('[role="alert"] >> text=Saved: Profiles');
    expect(await realmNow()).toEqual({ ...before, maxProfiles: 3, maxValid: 1 });
    expect(await button.isDisabled()).toBe(true);
    await pressAt(page.getByRole("navigation").getByRole("link", { name: "People", exact: true }));
    await page.waitForSelector('h1:text-is("People")');
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  test("the page shows the months after which people are forgotten, with the operator's command; a forgotten person appears as a number", async () => {
    const { given, database } = subject.api;
    const { realmId } = subject.realm;
    const { id } = await given.user({ realmId });
    await database.owner.query(sql`update realms set forget_after_months = 18 where id = ${realmId}`);
    await database.owner.query(sql`
      update users
         set offboarded_at = now(), forgotten_at = now(), pairwise_id = chr(127) || id, email = ''
       where id = ${id}
    `);
    const watched = await subject.open("/console/settings");
    const { page } = watched;
    await page.waitForSelector("text=are erased 18 months after they were offboarded");
    await page.waitForSelector("text=--forget-after-months 18");

    await page.goto(page.url().replace(/settings$/, `users/${id}`));
    await page.waitForSelector(`h1:text-is("Forgotten, number ${id}")`);
    expect(await page.getByRole("button", { name: "Reactivate" }).count()).toBe(0);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download data" }).click();
    expect((await download).suggestedFilename()).toBe(`user-${id}.json`);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  test("the page shows whether files set up wired networks, with the operator's command that changes the setting", async () => {
    const { database, as } = subject.api;
    const { realmId } = subject.realm;
    const watched = await subject.open("/console/settings");
    const { page } = watched;
    await page.waitForSelector("text=Files for devices set up Wi-Fi networks only.");
    await page.waitForSelector("text=--wired on");
    await database.owner.query(sql`update realms set wired = true where id = ${realmId}`);
    try {
      await page.reload();
      await page.waitForSelector("text=Files for devices also set up wired networks with 802.1X.");
      await page.waitForSelector("text=--wired off");
      expect(await page.locator("text=--wired on").count()).toBe(0);
      const refused = await as.admin({ realmId }).put("/api/realm/settings", { wired: false });
      expect(refused.status).toBe(400);
      expect(await realmNow()).toMatchObject({ wired: true });
      await expectGoodConsole(watched);
    } finally {
      await database.owner.query(sql`update realms set wired = false where id = ${realmId}`);
    }
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  test("the page previews the logo in both themes before the user saves it, and shows the saved name in the header without a reload", async () => {
    const watched = await subject.open("/console/settings");
    const { page, context } = watched;
    await context.route(logo, (route) => route.fulfill({ contentType: "image/svg+xml", body: picture }));
    await context.route("https://logo.example/missing.png", (route) => route.fulfill({ status: 404 }));
    await page.fill(field("displayName"), "University of Example");
    await page.fill(field("logoURI"), "https://logo.example/missing.png");
    await expect.poll(() => page.locator("text=There is no picture at this address.").count()).toBe(2);
    await expectGoodConsole(watched);
    await page.fill(field("logoURI"), logo);
    await expect.poll(() => page.locator('figure img[alt="University of Example"]').count()).toBe(2);
    const shown = `[...document.querySelectorAll("figure")].map((card) => [card.querySelector("img").naturalWidth, getComputedStyle(card).backgroundColor])`;
    await expect
      .poll(() => page.evaluate(shown))
      .toEqual([
        [120, "rgb(255, 255, 255)"],
        [120, expect.not.stringContaining("255, 255, 255")],
      ]);
    await save(page, "looks");
    await page.waitForSelector("header >> text=University of Example");
    expect(await realmNow()).toMatchObject({ displayName: "University of Example", logoURI: logo });
    await subject.api.as.admin({ realmId: subject.realm.realmId }).put("/api/realm", { logoURI: "" });
    await context.close();
  });

  test("the page shows another tab's changes to a section, and overwrites them only on purpose; other sections do not interfere", async () => {
    const watched = await subject.open("/console/settings");
    const { page, context } = watched;
    const before = await realmNow();
    const other = await context.newPage();
    await other.goto(page.url());
    await other.fill(field("maxProfiles"), "7");
    await other.fill(field("maxValid"), "9");
    await save(other, "profiles");
    await other.waitForSelector("text=Saved: Profiles");

    await page.fill(field("displayName"), "Typed here");
    await page.fill(field("maxValid"), "3");
    await save(page, "looks");
    await page.waitForSelector("text=Saved: Name and logo");
    const others = { ...before, displayName: "Typed here", maxProfiles: 7, maxValid: 9 };
    expect(await realmNow()).toEqual(others);
    await save(page, "profiles");
    const notice = page.locator("#profiles").getByRole("alert").filter({ hasText: "This was changed elsewhere" });
    await notice.waitFor();
    await expectFocus(notice);
    expect(await notice.getByRole("listitem").allTextContents()).toEqual([
      "Profiles per person: 7 profiles",
      expect.stringMatching(/: 9 months$/),
    ]);
    expect(await realmNow()).toEqual(others);
    expect(await page.inputValue(field("maxValid"))).toBe("3");
    expect(await page.inputValue(field("maxProfiles"))).toBe("7");
    watched.complaints.length = 0;
    await expectGoodConsole(watched);

    await page.click('button:has-text("Save mine anyway")');
    await confirm(page);
    await page.waitForSelector("text=Saved: Profiles");
    expect(await realmNow()).toEqual({ ...others, maxValid: 3 });
    await notice.waitFor({ state: "detached" });

    await other.fill(field("displayName"), "Another name");
    await save(other, "looks");
    await other.click('button:has-text("Use the new values")');
    expect(await other.inputValue(field("displayName"))).toBe("Typed here");
    expect(await other.isDisabled(submitOf("looks"))).toBe(true);
    await subject.api.as.admin({ realmId: subject.realm.realmId }).put("/api/realm", {
      displayName: before.displayName,
      maxProfiles: before.maxProfiles,
      maxValid: before.maxValid,
    });
    await context.close();
  });

  const sections: readonly (readonly [
    section: string,
    typed: readonly (readonly [name: string, text: string])[],
    saved: Readonly<Record<string, unknown>>,
    preview: readonly RegExp[],
  ])[] = [
    [
      "help",
      [
        ["helpURI", "mailto:help@uni.example"],
        ["privacyURI", "https://uni.example/privacy"],
      ],
      { helpURI: "mailto:help@uni.example", privacyURI: "https://uni.example/privacy" },
      [/^Help address\s+none\s+mailto:help@uni\.example$/, /^Privacy notice\s+none\s+https:/],
    ],
    [
      "profiles",
      [["offboardingShare", "35"]],
      { offboardingShare: 35 },
      [/^Confirm offboardings of more than\s+20 %\s+35 %$/],
    ],
    [
      "wifi",
      [["ssids", "eduroam\n\nCampus Wi-Fi \n"]],
      { ssids: ["eduroam", "Campus Wi-Fi"] },
      [/^Wi-Fi networks\s+eduroam\s+eduroam, Campus Wi-Fi$/],
    ],
    [
      "guests",
      [
        ["guestDaysMax", "30"],
        ["guestLimitMax", "150"],
      ],
      { guestDaysMax: 30, guestLimitMax: 150 },
      [
        /^Days that a guest account may last\s+90 days\s+30 days$/,
        /^Active profiles of a guest account\s+200 profiles\s+150 profiles$/,
      ],
    ],
    ["time", [["timeZone", "Europe/Berlin"]], { timeZone: "Europe/Berlin" }, [/^Time zone\s+UTC\s+Europe\/Berlin$/]],
    [
      "servers",
      [["radiusAddresses", "192.0.2.7 \n\n2001:db8::/32\n"]],
      { radiusAddresses: ["192.0.2.7", "2001:db8::/32"] },
      [/^Addresses of the RADIUS servers\s+not set\s+192\.0\.2\.7, 2001:db8::\/32$/],
    ],
  ];

  test("a user saves each section separately after a preview of its changes; unsaved input in other sections stays", async () => {
    let expected = await realmNow();
    const watched = await subject.open("/console/settings");
    const { page } = watched;
    const sent: unknown[] = [];
    page.on("request", (request) => {
      if (request.method() === "PUT") sent.push(request.postDataJSON());
    });
    expect(await page.locator("main [type=submit]:enabled").count()).toBe(0);
    for (const [name, text] of sections.flatMap(([, typed]) => typed)) await page.fill(field(name), text);
    await page.fill(field("displayName"), "Never saved");
    for (const [index, [section, , change, preview]] of sections.entries()) {
      await page.click(submitOf(section));
      const rows = page.locator('[role="dialog"] tbody tr');
      await rows.first().waitFor();
      expect(await rows.allInnerTexts()).toEqual(preview.map((row) => expect.stringMatching(row)));
      await confirm(page);
      await expect.poll(() => page.isDisabled(submitOf(section))).toBe(true);
      expected = { ...expected, ...change };
      expect(sent[index]).toEqual(change);
      expect(await realmNow()).toEqual(expected);
      for (const [waiting, typed] of sections.slice(index + 1)) {
        expect(await page.isEnabled(submitOf(waiting)), waiting).toBe(true);
        for (const [name, text] of typed) expect(await page.inputValue(field(name))).toBe(text);
      }
    }
    expect(await page.inputValue(field("displayName"))).toBe("Never saved");
    expect(await page.isEnabled(submitOf("looks"))).toBe(true);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  test("a section shows its errors and keeps its input while another section is saved", async () => {
    const { page, context } = await subject.open("/console/settings");
    await page.fill(field("helpURI"), "help at the desk");
    await page.fill(field("guestDaysMax"), "31");
    await save(page, "help");
    const error = page.locator('#help [role="alert"]:focus >> text=Help address: An address that begins with https://');
    await error.waitFor();
    expect(await page.getAttribute(field("helpURI"), "aria-invalid")).toBe("true");
    expect(await page.getByText("Please check these fields").count()).toBe(1);
    expect(await page.locator('main [aria-invalid="true"]').count()).toBe(1);
    await save(page, "guests");
    await page.waitForSelector("text=Saved: Guests");
    expect(await realmNow()).toMatchObject({ guestDaysMax: 31 });
    expect(await page.inputValue(field("helpURI"))).toBe("help at the desk");
    expect(await page.getAttribute(field("helpURI"), "aria-invalid")).toBe("true");
    await context.close();
  });

  test("a user sets the trusted RADIUS servers once; after that they are read-only, with the operator's command to copy", async () => {
    const { realmId } = subject.realm;
    const watched = await subject.open("/console/settings");
    const { page } = watched;
    await page.fill(field("radiusCN"), "not a name");
    await page.fill(field("radiusCA"), "no certificate");
    await save(page, "trust");
    const refused = page.locator('[role="alert"]:focus li');
    await refused.first().waitFor();
    expect(await refused.allInnerTexts()).toEqual([
      expect.stringMatching(/^Name of the RADIUS server: A DNS name such as/),
      expect.stringMatching(/^CA of the RADIUS server: One or more CA certificates/),
    ]);
    expect(await page.inputValue(field("radiusCA"))).toBe("no certificate");
    await page.locator("#trust").getByRole("button", { name: "Discard changes" }).click();

    await page.fill(field("radiusCN"), "radius.uni.example");
    await page.click(submitOf("trust"));
    await page.waitForSelector('[role="dialog"] >> text=This can be set once');
    await confirm(page);
    await page.waitForSelector("text=Saved: RADIUS trust");
    await page.waitForSelector("main section >> text=--radius-cn radius.uni.example");
    expect(await page.locator(field("radiusCN")).count()).toBe(0);
    expect(await page.locator(field("radiusCA")).count()).toBe(1);
    await watched.context.grantPermissions(["clipboard-write"]);
    await page.getByRole("button", { name: "Copy: Command for: Name of the RADIUS server" }).click();
    await page.getByRole("button", { name: "Copied: Command for: Name of the RADIUS server" }).waitFor();

    await subject.api.database.owner.query(sql`update realms set set_up_at = now() where id = ${realmId}`);
    await page.reload();
    await page.waitForSelector("main section >> text=--radius-ca-file radius-ca.pem");
    await page.waitForSelector("main section >> text=the realm's own CA");
    expect(await page.locator(field("radiusCA")).count()).toBe(0);
    await expectGoodConsole(watched);
    await watched.context.close();
  });

  test("errors are shown beside their fields, and no setting changes", async () => {
    const before = await realmNow();
    const { page, context } = await subject.open("/console/settings");
    await page.fill(field("logoURI"), "http://logo.example/logo.svg");
    await save(page, "looks");
    await page.waitForSelector('[role="alert"]:focus >> text=Logo address: An address that begins with https://');
    expect(await page.getAttribute(field("logoURI"), "aria-invalid")).toBe("true");
    await page.fill(field("displayName"), " ");
    await page.click(submitOf("looks"));
    await page.waitForSelector('[role="alert"]:focus >> text=Display name: Please fill this in.');
    expect(await realmNow()).toEqual(before);
    await context.close();
  });

  test("the page asks once before a user leaves unsaved changes, even in several sections; the input stays whatever the user decides", async () => {
    const { page, context } = await subject.open("/console/settings");
    await page.fill(field("ssids"), "eduroam\nHalf typed");
    await page.fill(field("helpMail"), "half@uni.example");
    await page.fill(field("displayName"), "Half typed");
    await page.click('nav >> a:has-text("People")');
    await page.waitForSelector("text=Your changes are not saved yet.");
    await page.waitForSelector('[role="dialog"] button:focus:has-text("Stay here")');
    await page.keyboard.press("Enter");
    expect(await page.inputValue(field("displayName"))).toBe("Half typed");

    const asked = new Promise<string>((resolve) =>
      page.once("dialog", (dialog) => {
        resolve(dialog.type());
        void dialog.accept();
      }),
    );
    await page.reload();
    expect(await asked).toBe("beforeunload");

    await page.fill(field("displayName"), "Again");
    await page.click('nav >> a:has-text("People")');
    await page.click('button:has-text("Leave anyway")');
    await page.waitForSelector('h1:text-is("People")');
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.click('nav >> a:has-text("Realm settings")');
    await expect.poll(() => page.inputValue(field("displayName"))).toBe("Again");
    expect(await page.inputValue(field("ssids"))).toBe("eduroam\nHalf typed");
    await expect.poll(() => page.inputValue(field("helpMail"))).toBe("half@uni.example");
    await context.close();
  });

  test("the page reports a lost connection to the service, and retries", async () => {
    const watched = await subject.open("/console/applications");
    const { page, context } = watched;
    await context.route("**/console/api/realm/settings", (route) => route.abort("aborted"));
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForSelector('[role="alert"] >> text=The service cannot be reached.', { timeout: 60_000 });
    await expectGoodConsole(watched);
    await context.unroute("**/console/api/realm/settings");
    await page.click('[role="alert"] button:has-text("Try again")');
    await page.waitForSelector(field("displayName"));
    await context.close();
  });

  test.each(views)("is faultless: $theme, $width px, $language", async (view) => {
    const watched = await subject.open("/console/settings", view);
    const { page } = watched;
    await page.waitForSelector(field("displayName"));
    await expectGoodConsole(watched);
    await page.fill(field("displayName"), "");
    await page.click(submitOf("looks"));
    await page.waitForSelector('[role="alert"]');
    await expectGoodConsole(watched);
    await page.fill(field("displayName"), "Another name");
    await page.fill(field("maxProfiles"), "2");
    await page.click(submitOf("profiles"));
    await page.waitForSelector('[role="dialog"] td');
    await expectGoodConsole(watched);
    await watched.context.close();
  });
});
