import type { Locator, Page, Request } from "playwright-core";
import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { fail } from "../../../worker/bulk-job/run/fail.ts";
import { expectFaultless } from "../../support/browser/browser.ts";
import { pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { givenJob } from "../../support/given/bulk-jobs.ts";
import type { GivenUser } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";
import { silentLog } from "../../support/service/worker.ts";

/** The texts about an offboarding with a grace period, in every place that shows its entry. */
const planned = {
  en: /^Person offboarded, revocation of 1 profile planned for \d+ \w+ \d{4}/,
  de: /^Zugang beendet, Widerruf von 1 Profil für den \d\d\.\d\d\.\d{4} geplant/,
};

const expectNothingRevoked = async (page: Page): Promise<void> => {
  expect(await page.getByRole("main").innerText()).not.toMatch(/profiles? revoked|Profile? widerrufen/);
};

describeWithTool("chromium-headless-shell", "leaving and coming back, in the console", () => {
  const subject = useConsole();
  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const stated = (page: Page, state: string) =>
    page.waitForSelector(`main span:text-is("${state}")`, { timeout: 60_000 });
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const countJobs = async (): Promise<number> => (await service().get("/api/jobs?limit=1")).body.total as number;
  const people = async (...names: string[]): Promise<GivenUser[]> => {
    const made: GivenUser[] = [];
    for (const pairwiseId of names) {
      const user = await subject.api.given.user({ realmId: subject.realm.realmId, pairwiseId });
      await subject.api.given.profile(user);
      made.push(user);
    }
    return made;
  };

  const isOut = async ({ id }: GivenUser): Promise<boolean> =>
    (await service().get(`/api/user/${id}`)).body.data.blacklisted as boolean;
  const revoked = (users: readonly GivenUser[]) =>
    subject.api.database.owner.query(sql`
      select from certificates where user_id = any(${users.map(({ id }) => id)}::bigint[]) and revoked_at is not null
    `);

  test("a user reactivates people during their grace period, and every device keeps its access: keyboard alone", async () => {
    const leavers = await people("grace-ada", "grace-alan");
    const watched = await subject.open("/console/jobs/new/offboarding");
    const { page, context } = watched;
    await pressAt(page.locator("input[type=radio][value=file]"), "ArrowRight");
    await tabTo(page.getByRole("textbox", { name: "Rows" }));
    await page.keyboard.insertText("pairwiseID\ngrace-ada\ngrace-alan\n");
    await pressAt(button(page, "Check these rows"));
    await stated(page, "Ready");
    await pressAt(page.getByRole("radio", { name: "At once" }), "ArrowDown");
    expect(await page.getByRole("radio", { name: "In 7 days" }).isChecked()).toBe(true);
    await tabTo(page.getByRole("textbox", { name: "Type 2 to continue" }));
    await page.keyboard.type("2");
    await pressAt(button(page, "Offboard 2 people"));

    await stated(page, "Devices still on");
    await page
      .getByRole("status")
      .getByText(/^Devices go offline on /)
      .waitFor();
    expect(await Promise.all(leavers.map(isOut))).toEqual([true, true]);
    await page.getByText("2 people can sign in again.").waitFor();
    await page.getByText("2 devices never went offline.").waitFor();
    expect(await page.getByText("revoked certificates cannot be restored").count()).toBe(0);
    await expectFaultless(watched);

    await pressAt(button(page, "Check the undo"));
    await page.getByRole("heading", { name: "Reactivation", level: 1 }).waitFor();
    await stated(page, "Ready");
    expect(await Promise.all(leavers.map(isOut))).toEqual([true, true]);
    await pressAt(button(page, "Reactivate 2 people"));
    await stated(page, "Completed");
    expect(await Promise.all(leavers.map(isOut))).toEqual([false, false]);

    await pressAt(page.getByRole("link", { name: "This job undoes an offboarding" }));
    await stated(page, "Undone");
    expect(await page.getByText(/^Devices go offline on /).count()).toBe(0);
    expect(await revoked(leavers)).toEqual([]);
    await expectFaultless(watched);
    await context.close();
  });

  test("a user offboards one person with a grace period, sees its end on the dashboard, and reactivates the person: keyboard alone", async () => {
    const [leaver] = await people("grace-grete");
    if (leaver === undefined) throw new Error("there is nobody");
    const watched = await subject.open(`/console/users/${leaver.id}`);
    const { page, context } = watched;
    const dialog = page.getByRole("dialog");
    await pressAt(button(page, "Offboard"));
    await dialog.getByText("1 profile is revoked permanently.", { exact: true }).waitFor();
    await pressAt(dialog.getByRole("radio", { name: "At once" }), "ArrowDown");
    await page.keyboard.press("ArrowDown");
    await tabTo(dialog.getByRole("textbox", { name: "Days, 1 to 30" }));
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Backspace");
    const confirming = dialog.getByRole("button", { name: "Offboard grace-grete" });
    await expect.poll(() => confirming.isDisabled()).toBe(true);
    await page.keyboard.type("5");
    await dialog.getByText("1 profile is revoked permanently after that many days.").waitFor();
    await expectFaultless(watched);
    await pressAt(confirming);

    const notice = page.getByRole("status").filter({ hasText: /^Devices go offline on / });
    await notice.getByText(/\(in [45] days\)/).waitFor();
    expect(await isOut(leaver)).toBe(true);
    expect(await revoked([leaver])).toEqual([]);
    await page.getByText(planned.en).waitFor();
    await expectNothingRevoked(page);
    await expectFaultless(watched);

    await page.goto(`${subject.api.url}/console/audit?about=user:${leaver.id}`);
    await page.getByText(planned.en).first().waitFor();
    await expectNothingRevoked(page);
    const german = await subject.open(`/console/users/${leaver.id}`, { language: "de" });
    await german.page.getByText(planned.de).waitFor();
    await expectNothingRevoked(german.page);

    await page.goto(`${subject.api.url}/console`);
    await page.getByText(planned.en).first().waitFor();
    await expectNothingRevoked(page);
    const line = page.getByRole("link", { name: "Devices of 1 person who has left are still online, until" });
    await line.waitFor({ timeout: 60_000 });
    await expectFaultless(watched);
    await pressAt(line);
    await stated(page, "Devices still on");

    await page.goto(`${subject.api.url}/console/users/${leaver.id}`);
    await pressAt(button(page, "Reactivate this person"));
    await notice.waitFor({ state: "detached" });
    await button(page, "Offboard").waitFor();
    expect(await isOut(leaver)).toBe(false);
    expect(await revoked([leaver])).toEqual([]);
    await page.reload();
    await page.getByText("Person reactivated, 1 profile was not revoked").waitFor();
    await page.getByText(planned.en).waitFor();
    await expectNothingRevoked(page);
    await german.page.reload();
    await german.page.getByText("Zugang wiederhergestellt, 1 Profil wurde nicht widerrufen").waitFor();
    await expectNothingRevoked(german.page);
    await german.context.close();
    await context.close();
  });

  test("control: the timeline of a person who was offboarded immediately shows the revocation", async () => {
    const [leaver] = await people("at-once");
    if (leaver === undefined) throw new Error("there is nobody");
    await service().delete(`/api/user/${leaver.id}`);
    await service().put(`/api/user/${leaver.id}/undelete`);
    const { page, context } = await subject.open(`/console/users/${leaver.id}`);
    await page.getByText("Person offboarded, 1 profile revoked").waitFor();
    await page.getByText("Person reactivated", { exact: true }).waitFor();
    expect(await page.getByText(planned.en).count()).toBe(0);
    await context.close();
  });

  test("a scheduled job lists everyone it will change, and a user excludes one person: keyboard alone", async () => {
    const leavers = await people("later-ada", "later-alan");
    const executeAt = new Date(systemClock.now().getTime() + 24 * 3_600_000).toISOString();
    const { body } = await service().post(`/api/jobs/offboarding?executeAt=${executeAt}`, {
      users: leavers.map(({ id }) => ({ userID: id })),
    });
    const watched = await subject.open(`/console/jobs/${body.data.id}`);
    const { page, context } = watched;
    await stated(page, "Scheduled");
    await page.getByRole("row", { name: /later-alan/ }).waitFor();
    await tabTo(page.getByRole("checkbox", { name: "Select later-ada" }));
    await page.keyboard.press("Space");
    await tabTo(page.getByRole("button", { name: "Leave out (1)" }), "Shift+Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("row", { name: /later-ada/ }).innerText()).toContain("Left out");
    await expectFaultless(watched);
    const job = (await service().get(`/api/jobs/${body.data.id}`)).body.data;
    expect(job).toMatchObject({ state: "scheduled", changed: 1, skipped: 1 });
    await context.close();
  });

  test("pressing a button twice makes or starts a job only once", async () => {
    /** Presses twice, before the page can show that it is busy. */
    const pressTwice = async (target: Locator): Promise<void> => {
      await target.waitFor();
      await target.evaluate((at) => {
        at.click();
        at.click();
      });
    };
    const { page, context } = await subject.open("/console/jobs/new/offboarding");
    /** The Idempotency-Keys of the requests since the last check, and the number of missing responses. */
    const keys: (string | undefined)[] = [];
    let unanswered = 0;
    page.on("request", (request) => {
      if (request.method() !== "POST") return;
      keys.push(request.headers()["idempotency-key"]);
      unanswered += 1;
    });
    const note = (request: Request) => {
      if (request.method() === "POST") unanswered -= 1;
    };
    page.on("requestfinished", note).on("requestfailed", note);
    const expectOneKey = async (): Promise<void> => {
      await expect.poll(() => unanswered).toBe(0);
      expect(new Set(keys.splice(0)).size).toBe(1);
    };
    let made = await countJobs();
    const expectOneMore = async (): Promise<void> => {
      await expectOneKey();
      made += 1;
      expect(await countJobs()).toBe(made);
    };
    const leavers = await people("twice-ada", "twice-alan");

    await page.getByText("Paste", { exact: true }).click();
    await page.getByRole("textbox", { name: "Rows" }).fill("pairwiseID\ntwice-ada\ntwice-alan\n");
    await pressTwice(button(page, "Check these rows"));
    await stated(page, "Ready");
    await expectOneMore();

    await page.getByRole("textbox", { name: "Type 2 to continue" }).fill("2");
    await pressTwice(button(page, "Offboard 2 people"));
    await stated(page, "Completed");
    await expectOneKey();
    const offboarding = page.url();

    await button(page, "Check the undo").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await stated(page, "Ready");
    await expectOneMore();
    await page.goto(offboarding);
    await pressTwice(button(page, "Check the undo"));
    await stated(page, "Ready");
    await expectOneMore();

    await page.goto(`${subject.api.url}/console/users?q=twice-`);
    for (const name of ["twice-ada", "twice-alan"])
      await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    await pressTwice(page.getByRole("main").getByRole("button", { name: "Reactivate" }));
    await stated(page, "Ready");
    await expectOneMore();

    const { owner } = subject.api.database;
    const stopped = await givenJob(owner, {
      realmId: subject.realm.realmId,
      kind: "offboarding",
      rows: leavers.map(({ id }) => ({ userId: id })),
      state: "running",
    });
    await fail({ db: owner, clock: systemClock, log: silentLog, onEnd: () => undefined }, stopped);
    made += 1;
    await page.goto(`${subject.api.url}/console/jobs/${stopped}`);
    await pressTwice(button(page, "Resume"));
    await page.waitForURL((url) => !url.pathname.endsWith(stopped));
    await page.waitForSelector("h1");
    await expectOneMore();
    await context.close();
  });
});
