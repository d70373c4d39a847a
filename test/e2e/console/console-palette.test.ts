import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { expectFaultless, type View } from "../../support/browser/browser.ts";
import { expectFocus } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, settled } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import type { GivenUser } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

const serial = "123456789012345678901234567890127731";

describeWithTool("chromium", "the palette", () => {
  const subject = useConsole({}, "chromium");
  let anna: GivenUser;

  beforeAll(async () => {
    const { realmId } = subject.realm;
    const { given, database } = subject.api;
    anna = await given.user({ realmId, pairwiseId: "a7@campus.example", email: "anna@mail.example" });
    await database.owner.query(sql`update users set display_name = 'Anna Müller' where id = ${anna.id}`);
    const other = await given.user({ realmId, pairwiseId: "b8@campus.example", email: "bernd@mail.example" });
    await database.owner.query(sql`update users set display_name = 'Bernd Müller' where id = ${other.id}`);
    await given.profile(anna, { serialNumber: serial, name: "Annas Telefon" });
  });

  test("is opened, searched, walked through and closed with the keyboard alone", async () => {
    const watched = await subject.open("/console/applications");
    const { page } = watched;
    const field = page.getByRole("combobox", { name: "Search" });
    const asked: { method: string; url: string; body: string | null }[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/search")) {
        asked.push({ method: request.method(), url: request.url(), body: request.postData() });
      }
    });

    for (const key of ["Control+k", "/"]) {
      await page.keyboard.press(key);
      await expectFocus(field);
      await page.keyboard.press("Escape");
      await page.waitForSelector("[role=dialog]", { state: "detached" });
      await expectFocus(page.locator("h1"));
    }

    await page.keyboard.press("Control+k");
    await expectFocus(field);
    await page.keyboard.type("mueller");
    await page.waitForSelector("[role=status] >> text=2 results");
    const active = async () =>
      page.evaluate<string>(
        `document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).textContent`,
      );
    expect(await active()).toContain("Bernd Müller");
    await page.keyboard.press("ArrowDown");
    expect(await active()).toContain("Anna Müller");
    await page.keyboard.press("ArrowDown");
    expect(await active()).toContain("Show all in People");
    await page.keyboard.press("ArrowDown");
    expect(await active()).toContain("Bernd Müller");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await page.locator("[role=option][aria-selected=true]").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/console/users/${anna.id}$`));
    await page.waitForSelector("[role=dialog]", { state: "detached" });

    // No address contains a name, and the page sent only requests that it still needed.
    expect(asked.map(({ method, body }) => [method, body])).toEqual([
      ["POST", JSON.stringify({ q: "mueller", include: "jobs" })],
    ]);
    expect(asked[0]?.url).toMatch(/\/api\/search$/);
    await watched.context.close();
  });

  test("contains the text that the user typed before the palette had loaded, and the text triggers no shortcut", async () => {
    const { page, context } = await subject.open("/console/applications");
    let load = (): void => undefined;
    const loading = new Promise<void>((resolve) => {
      load = resolve;
    });
    await page.route("**/palette-dialog*", async (route) => {
      await loading;
      await route.continue();
    });
    await page.goto(`${subject.api.url}/console/applications`);
    await page.waitForSelector("h1");
    await page.keyboard.press("/");
    await page.keyboard.type("ganna mux");
    await page.keyboard.press("Backspace");
    load();
    await expectFocus(page.getByRole("combobox", { name: "Search" }));
    await page.keyboard.type("l");
    await expect.poll(() => page.getByRole("combobox", { name: "Search" }).inputValue()).toBe("ganna mul");
    expect(page.url()).toMatch(/\/console\/applications$/);
    await context.close();
  });

  test("opens pasted text on Enter, in a new tab with Ctrl, and lists the opened match first the next time", async () => {
    const { page, context } = await subject.open("/console/applications");
    await page.click('header button[aria-label="Search"]:visible');
    await expectFocus(page.getByRole("combobox"));
    await page.keyboard.insertText("7731");
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/console/profiles\\?open=${serial}$`));
    await page.waitForSelector('[role=dialog] >> text="Annas Telefon"');
    await settled(page);
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/console\/profiles$/);
    await page.waitForSelector("[role=dialog]", { state: "detached" });

    await page.keyboard.press("Control+k");
    const first = page.locator("[role=option]").first();
    expect(await first.textContent()).toContain("Annas Telefon");
    expect(await page.locator("[role=group]").first().textContent()).toContain("Recent");
    const [tab] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("Control+Enter")]);
    await tab.waitForURL(new RegExp(`open=${serial}$`));
    expect(page.url()).toMatch(/\/console\/profiles$/);
    await context.close();
  });

  /** Returns a promise that holds requests back, and a function that resolves it. */
  const gate = (): { opened: Promise<void>; open: () => void } => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { opened, open };
  };

  /** Opens a page after a visit to this person. The test pastes another person's address. */
  const afterOpening = async (email: string) => {
    const watched = await subject.open("/console/applications");
    const { page, context } = watched;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox", { name: "Search" }));
    await page.keyboard.insertText(email);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/users\/\d+$/);
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    const paste = async (text: string): Promise<void> => {
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
      await page.keyboard.press("Control+v");
    };
    return { page, context, paste };
  };

  test("opens the match of text that the user pasted before the palette had loaded, not the person opened last", async () => {
    const { page, context, paste } = await afterOpening("bernd@mail.example");
    const [loaded, answered] = [gate(), gate()];
    await page.route("**/palette-dialog*", async (route) => {
      await loaded.opened;
      await route.continue();
    });
    const asked: (string | null)[] = [];
    await page.route("**/console/api/search", async (route) => {
      asked.push(route.request().postData());
      await answered.opened;
      await route.continue();
    });
    await page.goto(`${subject.api.url}/console/applications`);
    await page.waitForSelector("h1");
    await page.keyboard.press("Control+k");
    await paste("anna@mail.example");
    await page.keyboard.press("Enter");
    loaded.open();
    await expect.poll(() => asked).toEqual([JSON.stringify({ q: "anna@mail.example", include: "jobs" })]);
    expect(page.url()).toMatch(/\/console\/applications$/);
    answered.open();
    await page.waitForURL(new RegExp(`/console/users/${anna.id}$`));
    await context.close();
  });

  test("opens nobody on Enter without text before it has loaded; control: once loaded, it opens the last person", async () => {
    const { page, context } = await afterOpening("bernd@mail.example");
    const loaded = gate();
    await page.route("**/palette-dialog*", async (route) => {
      await loaded.opened;
      await route.continue();
    });
    await page.goto(`${subject.api.url}/console/applications`);
    await page.waitForSelector("h1");
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Enter");
    loaded.open();
    await page.waitForSelector("[role=option]");
    await expectFocus(page.getByRole("combobox", { name: "Search" }));
    expect(page.url()).toMatch(/\/console\/applications$/);
    expect(await page.locator("[role=option]").first().textContent()).toContain("Bernd Müller");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/users\/\d+$/);
    await context.close();
  });

  test("opens neither a result of another text nor a partial match on Enter while a response is pending", async () => {
    const { given } = subject.api;
    const johanna = await given.user({
      ...subject.realm,
      pairwiseId: "c9@campus.example",
      email: "johanna@mail.example",
    });
    const { page, context, paste } = await afterOpening("johanna@mail.example");
    expect(page.url()).toMatch(new RegExp(`/console/users/${johanna.id}$`));
    await expectFocus(page.getByRole("heading", { name: "johanna@mail.example", level: 1 }));
    const answered = gate();
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox", { name: "Search" }));
    await page.keyboard.insertText("bernd");
    await page.waitForSelector('[role=option] >> text="Bernd Müller"');
    await page.route("**/console/api/search", async (route) => {
      await answered.opened;
      await route.continue();
    });
    await page.keyboard.press("Control+a");
    const sent = page.waitForRequest("**/console/api/search");
    await paste("anna@mail.example");
    await page.keyboard.press("Enter");
    await sent;
    expect(page.url()).toMatch(new RegExp(`/console/users/${johanna.id}$`));
    answered.open();
    await page.waitForURL(new RegExp(`/console/users/${anna.id}$`));
    await context.close();
  });

  test.each(["en", "de"] as const)(
    "finds a bulk job by its file's name, and leads to the job (%s)",
    async (language) => {
      const { database, given } = subject.api;
      const id = await given.job({ ...subject.realm, state: "ready" });
      await database.owner.query(sql`update jobs set name = ${`Leavers ${id}`} where id = ${id}`);
      const watched = await subject.open("/console/applications", { language, width: language === "de" ? 390 : 1440 });
      const { page } = watched;
      await page.keyboard.press("Control+k");
      await expectFocus(page.getByRole("combobox", { name: language === "de" ? "Suchen" : "Search" }));
      await page.keyboard.insertText(`leavers ${id}`);
      const group = page.getByRole("group", { name: language === "de" ? "Sammelaufträge · 1" : "Bulk jobs · 1" });
      await group.getByRole("option", { name: `Leavers ${id}` }).waitFor();
      await expectGoodConsole(watched);
      expect(await group.getByRole("option").last().textContent()).toBe(
        language === "de" ? "Alle unter Sammelaufträge zeigen" : "Show all in Bulk jobs",
      );
      await page.keyboard.press("Enter");
      await page.waitForURL(new RegExp(`/console/jobs/${id}$`));
      await watched.context.close();
    },
  );

  test("opens the dialog for a set-up link on a person's page by keyboard", async () => {
    const { page, context } = await subject.open("/console/applications");
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox"));
    await page.keyboard.insertText("anna@mail.example");
    const button = page.getByRole("group", { name: "Actions on Anna Müller" }).getByRole("button", {
      name: "Send a set-up link",
    });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/console/users/${anna.id}$`));
    const dialog = page.getByRole("dialog", { name: "Set up a device of this person" });
    await dialog.getByRole("textbox").first().waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.waitForSelector("h1:has-text('Anna Müller')");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await context.close();
  });

  test("leads to pages, and to actions", async () => {
    const { page, context } = await subject.open("/console/applications");
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox"));
    await page.keyboard.type("new guest");
    await page.waitForSelector("[role=status]:has-text('1 result')");
    await page.keyboard.press("Enter");
    await page.waitForSelector('[role=dialog] >> text="New guest account"');
    await page.waitForURL(/\/console\/guests$/);
    await page.keyboard.press("Escape");
    await page.waitForSelector("[role=dialog]", { state: "detached" });

    await page.keyboard.press("/");
    await expectFocus(page.getByRole("combobox"));
    await page.keyboard.type("audit");
    await page.waitForSelector("[role=status]:has-text('1 result')");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/audit$/);
    await context.close();
  });

  test.each<View>(views)(
    "is faultless with results, and full-screen on phones: $theme, $width px, $language",
    async (view) => {
      const watched = await subject.open("/console/applications", view);
      const { page } = watched;
      const name = view.language === "de" ? "Suchen" : "Search";
      await page.click(`header button[aria-label="${name}"]:visible`);
      await page.waitForSelector("[role=option]");
      await settled(page);
      await expectFaultless(watched);
      await page.keyboard.type("campus.example");
      await page.waitForSelector('[role=option] >> text="Anna Müller"');
      await expectGoodConsole(watched);
      if (view.width === 390) {
        const size = `(({ offsetWidth, offsetHeight }) => [offsetWidth, offsetHeight])(document.querySelector("section[role=dialog]"))`;
        expect(await page.evaluate(size)).toEqual([390, 900]);
      }
      await watched.context.close();
    },
  );

  test("on an unknown page highlights nothing in the navigation, and searches for the end of the address", async () => {
    const watched = await subject.open("/console/users/old/a7%40campus.example");
    const { page } = watched;
    const field = page.getByRole("combobox", { name: "Search" });
    await expectFocus(field);
    expect(await field.inputValue()).toBe("a7@campus.example");
    await page.waitForSelector('[role=option] >> text="Anna Müller"');
    await settled(page);
    await expectFaultless(watched);
    expect(await page.locator("nav [aria-current]").count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    expect(await page.textContent("h1")).toBe("There is nothing here");
    await expectGoodConsole(watched);
    await watched.context.close();
  });

  test("shows an alert if the search fails, and still finds pages", async () => {
    const { page, context } = await subject.open("/console/applications");
    await page.route("**/console/api/search", (route) => route.fulfill({ status: 400, body: "{}" }));
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox"));
    await page.keyboard.type("settings");
    await page.waitForSelector("[role=dialog] [role=alert]");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/settings$/);
    await context.close();
  });
});
