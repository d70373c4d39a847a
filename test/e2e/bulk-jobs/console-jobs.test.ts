import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { fail } from "../../../worker/bulk-job/run/fail.ts";
import { expectFaultless } from "../../support/browser/browser.ts";
import { expectFocus, pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useConsole } from "../../support/service/console.ts";
import { givenJob } from "../../support/given/bulk-jobs.ts";
import { silentLog, startTestWorker, type TestWorker } from "../../support/service/worker.ts";
import { picture } from "../../support/browser/picture.ts";
import { describeWithTool } from "../../support/run/tools.ts";

const peopleMax = 5_000;

/**
 * Returns a spreadsheet of 5,000 people as German Excel writes it; every fourth person gets a profile, and two rows are
 * unusable.
 */
const manyPeople = (prefix: string): string => {
  const lines = Array.from({ length: peopleMax }, (_, index) => {
    const row = index + 1;
    if (row === 7) return ";nobody@example.org;;;";
    const person = `${prefix}-${row === 10 ? 9 : row}`;
    return `${person};${person}@example.org;${row % 4 === 0 ? "Telefon;iOS;pem" : ";;"}`;
  });
  return `\ufeffKENNUNG;E-Mail;Profilname;Gerätetyp;Dateiformat\r\n${lines.join("\r\n")}\r\n`;
};

const people = (prefix: string, count: number): string =>
  `pairwiseID\n${Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`).join("\n")}\n`;

/** Runs in the page: records the notifications that the page requests, and reports the page as hidden on request. */
const hearNotifications = `
  window.elsewhere = false;
  window.notificationsHeard = [];
  Object.defineProperty(Document.prototype, "hidden", { get: () => window.elsewhere });
  window.Notification = class extends Notification {
    constructor(text, options) {
      super(text, options);
      window.notificationsHeard.push(text);
    }
  };
`;

describeWithTool("chromium", "bulk jobs in the console", () => {
  const subject = useConsole({}, "chromium");
  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });

  const upload = async (page: Page, content: string | Buffer, name = "people.csv"): Promise<void> => {
    const file = { name, mimeType: "application/octet-stream", buffer: Buffer.from(content) };
    await page.setInputFiles("input[type=file]", file);
  };
  const headed = (page: Page, text: string) => page.waitForSelector(`h1:has-text("${text}")`);
  const stated = (page: Page, state: string, ms = 30_000) =>
    page.waitForSelector(`main span:text-is("${state}")`, { timeout: ms });
  const counted = (page: Page, name: string): Promise<string> =>
    page.locator(`dt:has-text("${name}") + dd`).first().innerText();
  const download = async (page: Page, button: string): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(`button:has-text("${button}")`)]);
    return readFile(await file.path(), "utf8");
  };
  const rowsOf = (csv: string): Record<string, string>[] => parse(csv, { bom: true, columns: true });

  /**
   * Runs something while a lock keeps workers from onboarding people: the job is running, and its counts do not change.
   */
  const whileNobodyJoins = (run: () => Promise<void>): Promise<void> =>
    subject.api.database.owner.transaction(async (tx) => {
      await tx.query(sql`lock table users in share mode`);
      await run();
    });

  /** Returns the problems of a job's rows, as its page shows them. */
  const problems = async (page: Page, title = "Problems"): Promise<string[]> => {
    const rows = page.locator(`main table[aria-label="${title}"] tbody tr`);
    await rows.first().waitFor();
    return rows.allInnerTexts();
  };

  const choose = async (page: Page, kind: "onboarding" | "offboarding", content: string): Promise<void> => {
    await page.goto(`${subject.api.url}/console/jobs/new/${kind}`);
    await headed(page, kind === "onboarding" ? "Onboard people" : "Offboard people");
    await upload(page, content);
  };

  /** Uploads a file of people and waits for the result of the check. */
  const begin = async (page: Page, kind: "onboarding" | "offboarding", content: string): Promise<void> => {
    await choose(page, kind, content);
    await stated(page, "Ready");
  };

  test("the page explains the first step and the accepted files, and a user onboards a pasted list by keyboard", async () => {
    const watched = await subject.open("/console/jobs");
    const { page } = watched;
    await page.waitForSelector("text=Nobody has run a bulk job yet");
    await expectFaultless(watched);
    await pressAt(page.getByRole("link", { name: "Onboard people" }).first());
    await headed(page, "Onboard people");
    await picture(page, "new");
    expect(await page.locator("main table tbody tr").count()).toBe(6);
    const template = rowsOf(await download(page, "Download a template"));
    expect(Object.keys(template[0] ?? {})).toEqual([
      "pairwiseID",
      "email",
      "maxProfiles",
      "profileName",
      "deviceType",
      "format",
    ]);

    await pressAt(page.locator("input[type=radio][value=file]"), "ArrowRight");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Kennung;maxProfiles\nada;7\nalan;many\n");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await headed(page, "Onboarding");
    await stated(page, "Ready");
    expect(await counted(page, "New or updated")).toBe("1");
    expect(await counted(page, "Problems")).toBe("1");
    await page.getByRole("row", { name: /\bada\b.*\bNew\b/ }).waitFor();
    expect(await problems(page)).toEqual([
      expect.stringMatching(/^1\s+Has to be a whole number from 0 to 100\s+maxProfiles\s+3$/),
    ]);
    await pressAt(page.locator('button:has-text("Start for 1 person, leave out 1")'));
    await stated(page, "Completed with errors");
    const { body } = await service().get("/api/user?search=ada");
    expect(body.data).toMatchObject([{ pairwiseID: "ada", maxProfiles: 7 }]);
    await watched.context.close();
  });

  test("the preview shows which people are new, which get another limit and which stay the same", async () => {
    const { realmId } = subject.realm;
    for (const pairwiseId of ["limit-raised", "limit-kept"]) await subject.api.given.user({ realmId, pairwiseId });
    const { page, context } = await subject.open("/console/jobs");
    await begin(page, "onboarding", "kennung;maxProfiles\nlimit-new;\nlimit-raised;10\nlimit-kept;\n");
    const row = (name: string): Promise<string> => page.getByRole("row", { name: new RegExp(name) }).innerText();
    await page.getByRole("row", { name: /limit-raised/ }).waitFor();
    expect(await row("limit-raised")).toMatch(/Updated\s+Limit 5 → 10/);
    expect(await row("limit-new")).toMatch(/\bNew\b/);
    expect(await row("limit-new")).not.toContain("→");
    await page.goto(`${page.url()}?status=unchanged`);
    await page.getByRole("row", { name: /limit-kept/ }).waitFor();
    expect(await row("limit-kept")).toContain("Unchanged");
    expect(await row("limit-kept")).not.toContain("→");
    await context.close();
  });

  test("a user discards a waiting job and downloads results: keyboard alone", async () => {
    const executeAt = inDays(30).toISOString();
    await service().post(`/api/jobs/onboarding?executeAt=${executeAt}`, { users: [{ pairwiseID: "patient" }] });
    const { page, context } = await subject.open("/console/jobs");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const row = page.getByRole("row", { name: /Scheduled/ });
    await row.waitFor();
    await pressAt(row.getByRole("button", { name: "Discard the job" }));
    await expectFocus(button("Cancel"));
    await page.keyboard.press("Escape");
    await expectFocus(row.getByRole("button", { name: "Discard the job" }));
    await tabTo(row.getByRole("link", { name: "Onboarding" }), "Shift+Tab");
    await page.keyboard.press("Enter");
    await headed(page, "Onboarding");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    await pressAt(button("Discard the job"));
    await expectFocus(button("Cancel"));
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await stated(page, "Cancelled");
    const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem");
    expect(await steps.allTextContents()).toEqual([
      "File",
      "Check",
      "Confirm (did not run)",
      "Run (did not run)",
      "5Result",
    ]);
    expect(await steps.locator(".icon-check").count()).toBe(2);
    await expectFocus(page.getByRole("heading", { level: 1 }));
    const file = page.waitForEvent("download");
    await pressAt(button("Download results"));
    expect(rowsOf(await readFile(await (await file).path(), "utf8"))).toMatchObject([{ Status: "Skipped" }]);
    await context.close();
  });

  test("a job shows changes since the check, and the user retries failed rows", async () => {
    const watched = await subject.open("/console/jobs");
    const { page } = watched;
    const realm = { realmId: subject.realm.realmId };
    const locked = await subject.api.given.user({ ...realm, pairwiseId: "locked" });
    await begin(
      page,
      "onboarding",
      "kennung;profileName;deviceType;format\nlocked;Phone;iOS;pem\nsteady;Phone;iOS;pem\n",
    );
    expect(await counted(page, "New or updated")).toBe("2");
    await service().put(`/api/user/${locked.id}/status`, { locked: true });
    await page.click('button:has-text("Start for 2 people")');
    await page.waitForSelector("text=The data has changed since the check");
    await stated(page, "Completed with errors");
    await expectFaultless(watched);
    expect(await problems(page, "Rows that failed")).toEqual([
      expect.stringMatching(/^1\s+Is locked and gets no profile\s+–\s+2$/),
    ]);

    await service().put(`/api/user/${locked.id}/status`, { locked: false });
    const first = page.url();
    await pressAt(page.getByRole("button", { name: "Retry failed" }));
    await page.waitForURL((url) => url.pathname.includes("/console/jobs/") && url.href !== first);
    await stated(page, "Completed");
    expect(await counted(page, "Changed")).toBe("1");
    const { body } = await service().get(`/api/user/${locked.id}`);
    expect(body.data).toMatchObject({ profileCount: 1 });
    await watched.context.close();
  });

  test("an interrupted job shows the reason, and a retry completes the rest", async () => {
    const { owner } = subject.api.database;
    const { realmId } = subject.realm;
    const rows = [{ pairwiseId: "left-1" }, { pairwiseId: "left-2" }];
    const job = await givenJob(owner, { realmId, kind: "onboarding", rows, state: "running" });
    await fail({ db: owner, clock: systemClock, log: silentLog, onEnd: () => undefined }, job);
    const watched = await subject.open(`/console/jobs/${job}`);
    const { page } = watched;
    await page.waitForSelector("[role=alert] >> text=The job could not continue");
    expect(await counted(page, "Skipped")).toBe("2");
    await expectFaultless(watched);
    await page.click('button:has-text("Resume")');
    await page.waitForURL((url) => url.pathname.includes("/console/jobs/") && !url.pathname.endsWith(job));
    await stated(page, "Completed");
    expect(await counted(page, "Changed")).toBe("2");
    await watched.context.close();
  });

  test(
    "while a job onboards 5,000 people, its counts only rise, despite a reload and a worker's restart; its results can be uploaded again",
    { timeout: pagesMs },
    async () => {
      const watched = await subject.open("/console/jobs");
      const { page } = watched;
      await begin(page, "onboarding", manyPeople("many"));
      expect(await counted(page, "New or updated")).toBe("4,998");
      expect(await counted(page, "Problems")).toBe("2");
      expect(await problems(page)).toEqual([
        expect.stringMatching(
          /^1\s+Nobody has this e-mail address. To add the person, fill in the column pairwiseID.\s+–\s+8$/,
        ),
        expect.stringMatching(/^1\s+An earlier row is about the same person\s+–\s+11$/),
      ]);
      expect(rowsOf(await download(page, "Download all problems")).map(({ Row }) => Row)).toEqual(["8", "11"]);
      await expectFaultless(watched);
      await picture(page, "ready");

      await page.click('button:has-text("Start for 4,998 people, leave out 2")');
      await stated(page, "Running");
      const seen: number[] = [];
      const bar = `document.querySelector("main [role=progressbar]")?.getAttribute("aria-valuenow") ?? null`;
      /** Records the bar's values until a value meets the condition or the bar is gone. */
      const watch = async (until: (done: number) => boolean): Promise<void> => {
        for (;;) {
          const now = await page.evaluate<string | null>(bar);
          if (now === null) return;
          if (Number(now) !== seen.at(-1)) seen.push(Number(now));
          if (until(Number(now))) return;
          await page.waitForTimeout(50);
        }
      };
      await watch((done) => done > 300);
      await whileNobodyJoins(async () => {
        await picture(page, "running");
        await expectFaultless(watched);
      });
      await watch((done) => done > 600);
      await subject.worker.stop();
      await page.reload();
      await stated(page, "Running");
      await watch(() => true);
      await expect.poll(() => page.locator("main [role=alert]").count()).toBe(0);
      await subject.api.database.owner.query(
        sql`update jobs set progress_at = now() - interval '61 seconds' where state = 'running'`,
      );
      await page.waitForSelector("[role=alert] >> text=No progress for 60 s; a worker may be down");
      await expectFaultless(watched);
      const worker = await restart();
      await page.waitForSelector("text=No progress for 60 s", { state: "detached" });
      await watch(() => false);
      await stated(page, "Completed with errors", 120_000);
      expect(seen, "counts go down").toEqual(seen.toSorted((one, other) => one - other));
      expect(seen.length).toBeGreaterThan(3);
      expect(await counted(page, "Changed")).toBe("4,998");
      expect(await counted(page, "Failed")).toBe("2");
      await page.waitForSelector("text=Onboarding is done: 4,998 changed, 2 failed.");
      await picture(page, "result");
      await expectFaultless(watched);

      const results = await download(page, "Download results");
      const rows = rowsOf(results);
      expect(rows).toHaveLength(peopleMax);
      expect(rows.filter(({ Status }) => Status === "Changed")).toHaveLength(4_998);
      expect(rows.filter((row) => row["Private key"]?.startsWith("-----BEGIN"))).toHaveLength(peopleMax / 4);
      expect((await download(page, "Failed rows only")).trim().split("\n")).toHaveLength(3);

      await pressAt(page.getByRole("button", { name: "Erase them now" }));
      await expectFocus(page.getByRole("button", { name: "Cancel", exact: true }));
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.waitForSelector("text=The files have been erased.");
      await expectFocus(page.getByRole("heading", { level: 1 }));
      const without = rowsOf(await download(page, "Download results"));
      expect(without).toHaveLength(peopleMax);
      expect(without.every((row) => row["Private key"] === "")).toBe(true);

      await choose(page, "onboarding", results);
      await stated(page, "Completed with errors");
      await page.waitForSelector("[role=status] >> text=Nothing to do");
      expect(await counted(page, "Unchanged")).toBe("4,998");
      await worker.stop();
      await watched.context.close();
    },
  );

  test(
    "a dropped file becomes a job; cancelling it by keyboard keeps completed rows and skips the rest",
    { timeout: pagesMs },
    async () => {
      const worker = await restart();
      const watched = await subject.open("/console/jobs/new/onboarding");
      const { page } = watched;
      // Blocks the job's events, so the page polls instead.
      await page.route("**/api/jobs/*/events", (route) => route.abort());
      const dropped = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([${JSON.stringify(manyPeople("stopped"))}], "people.csv"));
      return transfer;
    })()`);
      await page.dispatchEvent('button:has-text("Choose a file")', "drop", { dataTransfer: dropped });
      await stated(page, "Ready");
      await whileNobodyJoins(async () => {
        await pressAt(page.getByRole("button", { name: "Start for 4,998 people" }));
        await stated(page, "Running");
        await pressAt(page.getByRole("button", { name: "Cancel the job" }));
        await page.waitForSelector("[role=dialog] >> text=It finishes the rows that are being processed");
        await expectFocus(page.getByRole("button", { name: "Cancel", exact: true }));
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await stated(page, "Cancelling");
      });
      await stated(page, "Cancelled", 60_000);
      await expectFocus(page.getByRole("heading", { level: 1 }));
      const numbers = await Promise.all(
        ["Changed", "Unchanged", "Failed", "Skipped"].map(async (name) =>
          Number((await counted(page, name)).replace(",", "")),
        ),
      );
      expect(numbers.reduce((sum, count) => sum + count)).toBe(peopleMax);
      expect(numbers[0]).toBeGreaterThan(0);
      expect(numbers[3]).toBeGreaterThan(0);
      expect((await service().get("/api/user?search=stopped-&limit=1")).body.total).toBe(numbers[0]);
      await worker.stop();
      await watched.context.close();
    },
  );

  test(
    "offboarding starts after the user types the number, and the page warns about a large part of the realm",
    { timeout: pagesMs },
    async () => {
      const worker = await restart();
      const watched = await subject.open("/console/jobs");
      const { page, context } = watched;
      await context.grantPermissions(["notifications"]);
      await context.addInitScript(hearNotifications);
      await begin(page, "onboarding", people("leaver", 3_000));
      await whileNobodyJoins(async () => {
        await page.click('button:has-text("Start for 3,000 people")');
        await stated(page, "Running");
        await page.click('nav >> a:has-text("People")');
        await page.waitForSelector('h1:text-is("People")');
        await page.evaluate("window.elsewhere = true");
      });
      const end = "Onboarding is done: 3,000 changed.";
      await page.waitForSelector(`.mantine-Notification-root >> text=${end}`, { timeout: 60_000 });
      expect(await page.evaluate("window.notificationsHeard")).toEqual([end]);

      await begin(page, "offboarding", people("leaver", 2_500));
      await page.waitForSelector("text=That is a large part of the realm");
      await expectFaultless(watched);
      await picture(page, "offboarding");
      const start = page.locator('button:has-text("Offboard 2,500 people")');
      expect(await start.isDisabled()).toBe(true);
      await page.fill("label:has-text('Type 2,500 to continue') >> xpath=.. >> input", "2,500");
      await start.click();
      await stated(page, "Completed");
      const { body } = await service().get("/api/user?search=leaver-2500");
      expect(body.data).toMatchObject([{ blacklisted: true }]);

      await begin(page, "offboarding", "kennung\nleaver-2600\nleaver-1\nwho-is-that\n");
      expect(await counted(page, "Already offboarded")).toBe("1");
      expect(await problems(page)).toEqual([expect.stringMatching(/^1\s+This person is not known here\s+–\s+4$/)]);
      await page.fill("label:has-text('Type 1 to continue') >> xpath=.. >> input", "2");
      expect(await page.locator('button:has-text("Offboard 1 person")').isDisabled()).toBe(true);
      await page.locator("main input[role=switch]").check({ force: true });
      await page.fill("label:has-text('Type 1 to continue') >> xpath=.. >> input", "1");
      await page.fill("input[type=datetime-local]", inDays(92).toISOString().slice(0, 16));
      await page.click('button:has-text("Offboard 1 person")');
      expect(await page.locator("input[type=datetime-local]:invalid").count()).toBe(1);
      await page.fill("input[type=datetime-local]", inDays(30).toISOString().slice(0, 16));
      await page.click('button:has-text("Offboard 1 person")');
      await stated(page, "Scheduled");
      await page.click('button:has-text("Discard the job")');
      await page.click('[role=dialog] button:has-text("Discard the job")');
      await stated(page, "Cancelled");
      await worker.stop();
      await watched.context.close();
    },
  );

  test("the page rejects unusable files with a reason in German", async () => {
    const watched = await subject.open("/console/jobs/new/onboarding", { language: "de", width: 390 });
    const { page } = watched;
    const refused = async (content: string | Buffer, name: string, reason: RegExp): Promise<void> => {
      await upload(page, content, name);
      await expect.poll(() => page.locator("main [role=alert]").innerText()).toMatch(reason);
      expect(await page.evaluate(`document.activeElement.getAttribute("role")`)).toBe("alert");
    };
    const asked = async (content: string | Buffer, name: string, question: RegExp): Promise<void> => {
      await upload(page, content, name);
      await expect.poll(() => page.locator("[role=dialog]").innerText()).toMatch(question);
      await expectGoodConsole(watched);
      await page.keyboard.press("Escape");
      await page.waitForSelector("[role=dialog]", { state: "detached" });
    };
    await refused("x", "people.pdf", /„people.pdf“ lässt sich hier nicht lesen/);
    await refused("x", "people.xlsx", /Diese Excel-Arbeitsmappe lässt sich nicht lesen/);
    await refused("Kennung\n", "a.csv", /keine Zeilen/);
    await asked("Kennung;Lieblingsfarbe\na;rot\n", "a.csv", /Wählen Sie für jede Spalte eine Bedeutung/);
    await asked("Kennung;Profilname\na;Laptop\n", "a.csv", /Zu einem Profil gehören auch: Gerätetyp oder Dateiformat/);
    await asked(Buffer.from("Kennung\nMüller\n", "latin1"), "a.csv", /Sind diese Namen richtig\?[^]*Müller/);
    await refused("[1]", "a.json", /Liste stehen/);
    await expectGoodConsole(watched);

    await page.route("**/api/jobs/onboarding?*", () => undefined);
    await upload(page, "Kennung\na\n");
    await page.click('button:has-text("Hochladen abbrechen")');
    await page.waitForSelector("text=Datei hier ablegen oder auswählen");
    await upload(page, "Kennung\na\n");
    await page.waitForSelector("main [role=progressbar]");
    await page.focus("h1");
    await page.keyboard.press("g");
    await page.keyboard.press("j");
    await page.waitForSelector("[role=dialog] >> text=bricht das Hochladen ab");
    await page.keyboard.press("Escape");
    await page.waitForSelector("[role=dialog]", { state: "detached" });
    await page.click('button:has-text("Hochladen abbrechen")');
    await page.unroute("**/api/jobs/onboarding?*");
    await watched.context.close();
  });

  test.each(views)("every page is faultless: $theme, $width px, $language", { timeout: pagesMs }, async (view) => {
    const realm = { realmId: subject.realm.realmId };
    const { body } = await subject.api.as.service(realm).get("/api/jobs?limit=100");
    const found = (state: string): string => {
      const job = (body.data as { id: string; state: string }[]).find((one) => one.state === state);
      expect(job, state).toBeDefined();
      return `/console/jobs/${job?.id}`;
    };
    const watched = await subject.open("/console/jobs", view);
    const { page } = watched;
    for (const [name, path] of [
      ["list", "/console/jobs"],
      ["no match", "/console/jobs?state=scheduled"],
      ["new", "/console/jobs/new/offboarding"],
      ["with errors", found("completed_with_errors")],
      ["cancelled", found("cancelled")],
      ["completed", found("completed")],
      ["unknown job", "/console/jobs/00000000-0000-4000-8000-000000000000"],
      ["unknown kind", "/console/jobs/new/teaching"],
    ] as const) {
      await page.goto(`${subject.api.url}${path}`);
      await page.waitForSelector("h1");
      await page.waitForLoadState("networkidle");
      await expectGoodConsole(watched);
      await picture(page, `${name} ${view.theme} ${view.width}`);
    }
    await page.route("**/api/jobs?*", (route) => route.abort("aborted"));
    await page.goto(`${subject.api.url}/console/jobs`);
    await page.waitForSelector("main [role=alert]");
    await expectGoodConsole(watched);
    await watched.context.close();
  });

  /** Returns the time in so many days; a job can start up to 90 days ahead. */
  const inDays = (days: number): Date => new Date(systemClock.now().getTime() + days * 24 * 3_600_000);
  /** Starts a worker to replace the stopped worker. */
  const restart = (): Promise<TestWorker> => startTestWorker({ databaseUrl: subject.api.database.url });
});
