import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import texts from "../../../console/texts/en.json" with { type: "json" };
import { sql } from "../../../db/sql.ts";
import { expectFaultless } from "../../support/browser/browser.ts";
import { expectFocus, pressAt, tabTo, typeInto } from "../../support/browser/console-keyboard.ts";
import { useConsole } from "../../support/service/console.ts";
import { leaverSheets, leaversMax } from "../../support/given/leaver-files.ts";
import { givenXlsx, type GivenCell } from "../../support/given/xlsx.ts";
import { extent } from "../../support/run/extent.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { jobRowsMax } from "../../../domain/limits.ts";

/** More rows than fflate unpacks without its web workers, which the content security policy forbids. */
const manyRows = extent(jobRowsMax, 0.1);

/** This many people, with the named people, exceed the number that a user can offboard without a confirmation. */
const crowdMax = 120;

describeWithTool("chromium-headless-shell", "people's own files in the console", () => {
  const subject = useConsole();
  const upload = (page: Page, name: string, content: Buffer): Promise<void> =>
    page.setInputFiles("input[type=file]", { name, mimeType: "application/octet-stream", buffer: content });
  const stated = (page: Page, state: string) =>
    page.waitForSelector(`main span:text-is("${state}")`, { timeout: 60_000 });
  const counted = (page: Page, name: string): Promise<string> =>
    page.locator(`dt:has-text("${name}") + dd`).first().innerText();
  const person = async (pairwiseId: string) => {
    const user = await subject.api.given.user({ realmId: subject.realm.realmId, pairwiseId });
    await subject.api.given.profile(user);
    return user;
  };
  const isOffboarded = async (id: string): Promise<boolean> => {
    const { body } = await subject.api.as.service({ realmId: subject.realm.realmId }).get(`/api/user/${id}`);
    return body.data.blacklisted as boolean;
  };

  test("a user previews a workbook with mistakes, excludes people, offboards the rest and undoes the job: keyboard alone", async () => {
    const names = ["file-ada", "file-alan", "file-emmy", "file-ida"];
    const users = [];
    for (const name of names) users.push(await person(name));
    const crowd = Array.from({ length: crowdMax }, (_, n) => `file-crowd-${n}`);
    await subject.api.database.owner.query(sql`
      insert into users (realm_id, pairwise_id, created_at)
      select ${subject.realm.realmId}, name, now() from unnest(${crowd}::text[]) as name
    `);
    const rows: GivenCell[][] = [
      ["Matrikel", "Vorname"],
      ...names.map((name): GivenCell[] => [name, "Zoë"]),
      [],
      ["file-nobody", "Max"],
      [{ number: "1.2345678901234568E+18" }, "Rounded"],
      ...crowd.map((name): GivenCell[] => [name, "Max"]),
    ];
    const watched = await subject.open("/console/jobs/new/offboarding");
    const { page, context } = watched;
    await upload(page, "Exmatrikulation.xlsx", givenXlsx({ Leavers: rows, Notes: [["nothing", "here"]] }));

    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Sheet").waitFor();
    await expectFaultless(watched);
    await tabTo(dialog.getByLabel("Meaning of the column Matrikel"));
    await page.keyboard.type("Pseudo");
    await pressAt(dialog.getByRole("button", { name: "Leave out the rest" }));
    expect(await dialog.getByLabel("Meaning of the column Vorname").inputValue()).toBe("ignore");
    await dialog.getByText("Row 8, Matrikel: Excel has rounded this number").waitFor();
    await expectFaultless(watched);
    await pressAt(dialog.getByRole("button", { name: "Check these rows" }));

    await stated(page, "Ready");
    expect(await counted(page, "Will lose access")).toBe("124");
    expect(await counted(page, "Profiles to be revoked")).toBe("4");
    await expect
      .poll(() => page.locator('table[aria-label="Problems"] tbody tr').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^1\s+This person is not known here\s+–\s+7$/),
        expect.stringMatching(/^1\s+Is a number that the spreadsheet rounded\s+.*\s+8$/),
      ]);
    await page.getByText("Exmatrikulation.xlsx").waitFor();
    const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
    await row("file-ada").waitFor();
    expect(await row("file-ada").innerText()).toMatch(/^\s*2\s+file-ada\s+1\s+Will lose access/);
    await expectFaultless(watched);

    const people = page.getByRole("table", { name: "People who will lose access" }).locator("tbody tr");
    await typeInto(page.getByRole("searchbox"), "file-emmy");
    await expect.poll(() => people.allInnerTexts()).toEqual([expect.stringContaining("file-emmy")]);
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");

    await tabTo(page.getByRole("checkbox", { name: "Select file-ada" }));
    await page.keyboard.press("Space");
    await tabTo(page.getByRole("checkbox", { name: "Select file-alan" }));
    await page.keyboard.press("Space");
    await tabTo(page.getByRole("button", { name: "Leave out (2)" }), "Shift+Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => counted(page, "Will lose access")).toBe("122");
    await expect.poll(() => row("file-ada").innerText()).toContain("Left out");
    await pressAt(page.getByRole("button", { name: "Take back in: file-alan" }));
    await expectFocus(page.getByRole("button", { name: "Leave out: file-alan" }));
    await expect.poll(() => counted(page, "Will lose access")).toBe("123");

    await tabTo(page.getByRole("textbox", { name: "Type 123 to continue" }), "Shift+Tab");
    await page.keyboard.type("123");
    await page.getByText(/^123 people are \d+ % of all active people of this realm/).waitFor();
    await page.getByText(/^3 profiles are \d+ % of all active profiles of this realm/).waitFor();
    await pressAt(page.getByRole("button", { name: "Offboard 123 people" }));
    await stated(page, "Completed with errors");
    expect(await counted(page, "Lost access")).toBe("123");
    expect(await Promise.all(users.map(({ id }) => isOffboarded(id)))).toEqual([false, true, true, true]);
    await page.getByText("123 people can sign in again.").waitFor();
    await page.getByText("3 devices stay offline: revoked certificates cannot be restored.").waitFor();
    await expectFaultless(watched);

    await pressAt(page.getByRole("button", { name: "Check the undo" }));
    await page.getByRole("heading", { name: "Reactivation", level: 1 }).waitFor();
    await stated(page, "Ready");
    await page.getByText("123 people can sign in again.").waitFor();
    expect(await isOffboarded(users[1]!.id)).toBe(true);
    await expectFaultless(watched);
    await tabTo(page.getByRole("textbox", { name: "Type 123 to continue" }));
    await page.keyboard.type("123");
    await pressAt(page.getByRole("button", { name: "Reactivate 123 people" }));
    await stated(page, "Completed");
    expect(await counted(page, "Reactivated")).toBe("123");
    expect(await Promise.all(users.map(({ id }) => isOffboarded(id)))).toEqual([false, false, false, false]);
    await pressAt(page.getByRole("link", { name: "This job undoes an offboarding" }));
    await stated(page, "Undone");
    await page.getByRole("link", { name: "Open that job" }).waitFor();
    await expectFaultless(watched);
    await context.close();
  });

  test.each(leaverSheets("console-leaver"))(
    "a workbook of 1,000 people with $title: each person will lose access or appears in a faulty row",
    async ({ people, unreadable, rows }) => {
      await subject.api.database.owner.query(sql`
        insert into users (realm_id, pairwise_id, created_at)
        select ${subject.realm.realmId}, id, now() from unnest(${people}::text[]) as id on conflict do nothing
      `);
      const { page, context } = await subject.open("/console/jobs/new/offboarding");
      await upload(page, "leavers.xlsx", givenXlsx({ Leavers: rows }));
      const dialog = page.getByRole("dialog");
      if (unreadable.length > 0) {
        if (rows[0]?.length === 2) await dialog.getByLabel("Meaning of the column Name").selectOption("Leave out");
        await dialog.getByText(`${unreadable.length} rows cannot be used and will fail`).waitFor();
        await pressAt(dialog.getByRole("button", { name: "Check these rows" }));
      }
      await stated(page, "Ready");

      const expected = leaversMax - unreadable.length;
      expect(await counted(page, "Will lose access")).toBe(expected.toLocaleString("en-GB"));
      await expect
        .poll(async () => {
          const causes = await page.locator('table[aria-label="Problems"] tbody tr').allInnerTexts();
          return causes.reduce((sum, cause) => sum + Number.parseInt(cause.replaceAll(",", ""), 10), 0);
        })
        .toBe(unreadable.length);
      await context.close();
    },
  );

  test("the console reads a large workbook under the content security policy, which forbids fflate's web workers", async () => {
    const rows: GivenCell[][] = [
      ["Kennung", "Anzeigename"],
      ...Array.from({ length: manyRows }, (_, n): GivenCell[] => [`big-${n}`, `Somebody ${(n * 7_919) % 104_729}`]),
    ];
    const file = givenXlsx({ People: rows });
    const { page, context, complaints } = await subject.open("/console/jobs/new/onboarding");
    await upload(page, "big.xlsx", file);
    await stated(page, "Ready");
    expect(await counted(page, "New or updated")).toBe(manyRows.toLocaleString("en-GB"));
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("a workbook that the user cancels while it becomes CSV is not refused later, and the next file's dialog stays open", async () => {
    const workbook = (name: string) => givenXlsx({ People: [[name], ["ada"]], Notes: [["nothing"]] });
    const { page, context } = await subject.open("/console/jobs/new/offboarding");
    // The reader never returns CSV, and the wait for it is over as soon as the test says so.
    await page.addInitScript(`
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (question) {
        if (question.ask !== "csv") postMessage.call(this, question);
      };
      const later = window.setTimeout;
      const waits = [];
      window.setTimeout = (run, ms, ...more) => (ms === 60_000 ? -waits.push(run) : later(run, ms, ...more));
      window.endWaits = () => waits.splice(0).forEach((run) => run());
    `);
    await page.reload();
    const refused = page.getByText(texts.jobs.refused.workbook.late);
    const dialog = page.getByRole("dialog");
    const begin = async () => {
      await upload(page, "first.xlsx", workbook("pairwiseID"));
      await dialog.getByRole("button", { name: "Check these rows" }).click();
    };
    await begin();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await upload(page, "second.xlsx", workbook("pairwiseID"));
    await dialog.getByText("second.xlsx").waitFor();
    await page.evaluate("endWaits()");
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await dialog.getByText("second.xlsx").isVisible()).toBe(true);
    expect(await refused.isVisible()).toBe(false);

    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await begin();
    await page.evaluate("endWaits()");
    await refused.waitFor();
    await context.close();
  });

  test("the preview of a file from German Excel shows its umlauts, and the user confirms the names", async () => {
    await person("file-jäger");
    const watched = await subject.open("/console/jobs/new/offboarding", { language: "de", width: 390 });
    const { page, context } = watched;
    await upload(
      page,
      "Liste.csv",
      Buffer.from("Kennung;Anzeigename\r\nfile-j\u00e4ger;J\u00e4ger \u0080\r\n", "latin1"),
    );
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Sind diese Namen richtig?").waitFor();
    expect(await dialog.innerText()).toMatch(/file-jäger[^]*Jäger €/);
    await expectFaultless(watched);
    await pressAt(dialog.getByRole("button", { name: "Diese Zeilen prüfen" }));
    await stated(page, "Bereit");
    expect(await counted(page, "Verliert den Zugang")).toBe("1");
    await expectFaultless(watched);
    await context.close();
  });

  test.each([
    {
      language: "en" as const,
      ...{ sheet: "Sheet", hidden: "Old (hidden, 2 rows)", header: "Row of the headings", check: "Check these rows" },
      ...{ question: "2 rows are hidden: use them?", no: "No, leave them out", ready: "Ready" },
      hiddenRow: "Is hidden in the spreadsheet and was left out",
      remembered: "The columns are chosen as in your last file with these headings.",
      ...{ meaning: "Meaning of the column lfd. Nr.", ignore: "Leave", count: "Will lose access" },
    },
    {
      language: "de" as const,
      ...{ sheet: "Blatt", hidden: "Old (ausgeblendet, 2 Zeilen)", header: "Zeile mit den Überschriften" },
      ...{ question: "2 Zeilen sind ausgeblendet: mitverwenden?", no: "Nein, sie weglassen", ready: "Bereit" },
      hiddenRow: "Ist in der Tabelle ausgeblendet und wurde weggelassen",
      remembered: "Die Spalten sind gewählt wie bei Ihrer letzten Datei mit diesen Überschriften.",
      ...{ meaning: "Bedeutung der Spalte lfd. Nr.", ignore: "Weg", count: "Verliert den Zugang" },
      check: "Diese Zeilen prüfen",
    },
  ])(
    "the page proposes the visible sheet; a user chooses the row of headings, the columns and whether to use hidden rows: keyboard alone ($language)",
    async (words) => {
      for (const name of ["0042", "0043", "0044", "0045"]) {
        await subject.api.database.owner.query(sql`
        insert into users (realm_id, pairwise_id, created_at)
        values (${subject.realm.realmId}, ${name}, now()) on conflict do nothing
      `);
      }
      const watched = await subject.open("/console/jobs/new/offboarding", { language: words.language });
      const { page, context } = watched;
      await upload(page, "leavers.xlsx", readFileSync("test/fixtures/workbooks/xlsxwriter.xlsx"));

      const dialog = page.getByRole("dialog");
      const sheet = dialog.getByLabel(words.sheet, { exact: true });
      await sheet.waitFor();
      expect(await sheet.locator("option").allInnerTexts()).toEqual([words.hidden, expect.stringContaining("Leavers")]);
      expect(await sheet.inputValue()).toBe("1");
      const header = dialog.getByLabel(words.header);
      expect(await header.inputValue()).toBe("3");
      await expectFaultless(watched);

      await tabTo(header);
      await page.keyboard.press("ArrowUp");
      await dialog.getByRole("cell", { name: "Stand: Oktober" }).waitFor();
      await page.keyboard.press("ArrowDown");
      await tabTo(dialog.getByLabel(words.meaning));
      await page.keyboard.type(words.ignore);
      const check = dialog.getByRole("button", { name: words.check });
      await dialog.getByText(words.question).waitFor();
      expect(await check.isDisabled()).toBe(true);
      await tabTo(dialog.getByLabel(words.no), "Shift+Tab");
      await page.keyboard.press("Space");
      expect(await dialog.getByLabel(words.no).isChecked()).toBe(true);
      await expectFaultless(watched);
      await pressAt(check);

      await stated(page, words.ready);
      expect(await counted(page, words.count)).toBe("3");
      await expect.poll(() => page.locator("main table").last().innerText()).toContain(words.hiddenRow);

      await page.goto(`${subject.api.url}/console/jobs/new/offboarding`);
      await upload(page, "leavers.xlsx", readFileSync("test/fixtures/workbooks/xlsxwriter.xlsx"));
      await dialog.getByText(words.remembered).waitFor();
      expect(await dialog.getByLabel(words.meaning).inputValue()).toBe("ignore");
      await expectFaultless(watched);
      await context.close();
    },
  );

  test.each([
    { language: "en" as const, label: "Sheet", other: "The workbook opens with another sheet: Summary" },
    { language: "de" as const, label: "Blatt", other: "Die Arbeitsmappe öffnet sich mit einem anderen Blatt: Summary" },
  ])(
    "for a workbook that opens with a summary, the page proposes the sheet with the list and explains it ($language)",
    async (words) => {
      const watched = await subject.open("/console/jobs/new/offboarding", { language: words.language });
      const { page, context } = watched;
      const rows = { Summary: [["October"], [{ number: "1" }]], List: [["Kennung"], ["file-ada"]] };
      await upload(page, "leavers.xlsx", givenXlsx(rows));
      const dialog = page.getByRole("dialog");
      const sheet = dialog.getByRole("combobox", { name: words.label, exact: true, description: words.other });
      expect(await sheet.inputValue()).toBe("1");
      await expectFaultless(watched);
      await tabTo(sheet);
      await page.keyboard.press("ArrowUp");
      await dialog.getByRole("cell", { name: "October" }).waitFor();
      expect(await dialog.getByText(words.other).count()).toBe(0);
      await context.close();
    },
  );

  test("a pasted list needs no heading if the user confirms its meaning, and the page rejects a list without known people", async () => {
    await person("file-paste");
    const watched = await subject.open("/console/jobs/new/offboarding");
    const { page, context } = watched;
    await pressAt(page.locator("input[type=radio][value=file]"), "ArrowRight");
    await page.keyboard.press("Tab");
    await page.keyboard.type("file-paste\nfile-unknown\n");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const check = dialog.getByRole("button", { name: "Check these rows" });
    await check.waitFor();
    expect(await check.isDisabled()).toBe(true);
    await pressAt(dialog.getByRole("checkbox", { name: "Without headings: “file-paste” is the first row" }), "Space");
    await expectFaultless(watched);
    await pressAt(check);
    await stated(page, "Ready");
    expect(await counted(page, "Will lose access")).toBe("1");

    await page.goto(`${subject.api.url}/console/jobs/new/offboarding`);
    await upload(page, "nobody.csv", Buffer.from("Kennung\nfile-unknown\n"));
    await page.waitForSelector("[role=alert] >> text=No row can be processed");
    await expectFaultless(watched);
    await context.close();
  });

  test("errors in pasted text mention rows, not a file", async () => {
    const watched = await subject.open("/console/jobs/new/onboarding", { language: "de" });
    const { page, context } = watched;
    await page.click("text=Einfügen");
    for (const [text, reason] of [
      ["Kennung\n", "Es gibt Spaltennamen, aber keine Zeilen."],
      ['{"users": ', "Das ist kein gültiges JSON."],
    ] as const) {
      await page.fill("textarea", text);
      await page.click('button:has-text("Diese Zeilen prüfen")');
      const alert = page.locator("main [role=alert]");
      await expect.poll(() => alert.innerText()).toContain(reason);
      expect(await alert.innerText()).toContain("Diese Zeilen sind nicht verwendbar");
      expect(await alert.innerText()).not.toContain("Datei");
    }
    await expectFaultless(watched);
    await context.close();
  });
});
