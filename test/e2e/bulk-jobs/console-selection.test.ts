import type { Page, Route } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import german from "../../../console/texts/de.json" with { type: "json" };
import type { View, WatchedPage } from "../../support/browser/browser.ts";
import { chooseOption, expectFocus, pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole } from "../../support/browser/console-views.ts";
import { sql } from "../../../db/sql.ts";
import { rowsOf } from "../../support/given/bulk-jobs.ts";
import type { GivenUser } from "../../support/given/given.ts";
import { views } from "../../support/browser/views.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

/** Actions on many selected rows of a list. */

describeWithTool("chromium-headless-shell", "selections in the console", () => {
  const subject = useConsole();
  const { given } = subject.api;

  // On a retry, renames the people of the first attempt, so the test starts with new people.
  beforeEach(async ({ task }) => {
    if (task.result?.retryCount === undefined || task.result.retryCount === 0) return;
    await subject.api.database.owner.query(sql`update users set pairwise_id = 'gone-' || id, email = ''`);
  });

  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const someone = (pairwiseId: string): Promise<GivenUser> =>
    given.user({ realmId: subject.realm.realmId, pairwiseId, email: `${pairwiseId}@example.org` });
  const people = (prefix: string, count: number): Promise<GivenUser[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) => someone(`${prefix}-${String(index + 1).padStart(2, "0")}`)),
    );
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const inDialog = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true });
  const wholePage = (page: Page) => page.getByRole("checkbox", { name: "Select all on this page" });
  const stated = (page: Page, state: string) => page.waitForSelector(`main span:text-is("${state}")`);
  const jobOn = async (page: Page): Promise<string> => {
    await page.waitForURL(/\/console\/jobs\/[0-9a-f-]{36}$/);
    return new URL(page.url()).pathname.split("/").at(-1) ?? "";
  };
  const jobOf = async (id: string) => (await service().get(`/api/jobs/${id}`)).body.data;
  const jobCount = async (): Promise<number> => (await service().get("/api/jobs?limit=1")).body.total;
  const found = async (path: string): Promise<number> => (await service().get(path)).body.total;
  const opened = async (
    path: string,
    run: (watched: WatchedPage) => Promise<void>,
    { complains = false, ...view }: Partial<View> & { complains?: boolean } = {},
  ) => {
    const watched = await subject.open(path, view);
    try {
      await run(watched);
      if (!complains) expect(watched.complaints).toEqual([]);
    } finally {
      await watched.context.close();
    }
  };

  test("a user selects all matching people, checks them as a job, excludes one person and offboards the rest: keyboard alone", async () => {
    await people("every", 31);
    await opened("/console/users?q=every-&state=active", async ({ page }) => {
      await pressAt(wholePage(page), "Space");
      await page.getByText("25 selected").waitFor();
      await tabTo(button(page, "Select all 31 that match"), "Shift+Tab");
      await page.keyboard.press("Enter");
      await expectFocus(page.getByText("All 31 that match are selected"));
      expect(await button(page, "Lock").count()).toBe(0);
      expect(await button(page, "Reactivate").count()).toBe(0);
      await pressAt(button(page, "Offboard"));

      const id = await jobOn(page);
      await expectFocus(page.getByRole("heading", { name: "Offboarding", level: 1 }));
      await stated(page, "Ready");
      await page.getByText("Search: “every-” · Not locked · Not offboarded").waitFor();
      expect(await jobOf(id)).toMatchObject({ dryRun: true, origin: "filter", total: 31, changed: 31 });
      expect(await found("/api/user?search=every-&filter[blacklisted]=true")).toBe(0);

      await pressAt(page.getByRole("checkbox", { name: "Select every-31" }), "Space");
      await tabTo(button(page, "Leave out (1)"), "Shift+Tab");
      await page.keyboard.press("Enter");
      const start = button(page, "Offboard 30 people");
      await start.waitFor();
      await tabTo(page.getByRole("textbox", { name: "Type 30 to continue" }), "Shift+Tab");
      await page.keyboard.type("30");
      await pressAt(start);
      await stated(page, "Completed");
      expect(await found("/api/user?search=every-&filter[blacklisted]=true")).toBe(30);
    });
  });

  test("a user reactivates all matching offboarded people", async () => {
    const gone = await people("return", 27);
    await service().post("/api/jobs/offboarding", { users: gone.map(({ id }) => ({ userID: id })) });
    await expect.poll(() => found("/api/user?search=return-&filter[blacklisted]=true")).toBe(27);
    await opened("/console/users?q=return-&state=offboarded", async ({ page }) => {
      await wholePage(page).check();
      await button(page, "Select all 27 that match").click();
      expect(await button(page, "Offboard").count()).toBe(0);
      await button(page, "Reactivate").click();
      const id = await jobOn(page);
      await stated(page, "Ready");
      await button(page, "Reactivate 27 people").click();
      await stated(page, "Completed");
      expect(await jobOf(id)).toMatchObject({ kind: "reactivation", origin: "filter", changed: 27 });
    });
    expect(await found("/api/user?search=return-&filter[blacklisted]=true")).toBe(0);
  });

  test("a selection over all pages does not apply to another search, and shrinks when the user deselects a row", async () => {
    await people("other-a", 26);
    await people("other-b", 26);
    await opened("/console/users?q=other-", async ({ page }) => {
      const all = page.getByText("All 52 that match are selected");
      await wholePage(page).check();
      await button(page, "Select all 52 that match").click();
      await all.waitFor();
      await button(page, "Next page").click();
      await page.getByText("26–50 of 52").waitFor();
      await all.waitFor();
      expect(await wholePage(page).isChecked()).toBe(true);

      await page
        .getByRole("checkbox", { name: /^Select other-/ })
        .first()
        .uncheck();
      await page.getByText("24 selected").waitFor();
      await wholePage(page).check();
      await button(page, "Select all 52 that match").click();
      await button(page, "Clear the selection").click();
      await expectFocus(page.getByText("52 entries"));

      await wholePage(page).check();
      await button(page, "Select all 52 that match").click();
      await page.getByRole("searchbox", { name: "ID, e-mail address" }).fill("other-a");
      await page.getByText("All 52 that match are selected").waitFor({ state: "detached" });
      // The old rows stay selected until the new rows arrive.
      await page.getByText("1–25 of 26").waitFor();
      await wholePage(page).check();
      await button(page, "Select all 26 that match").waitFor();
    });
  });

  test("offboarding several selected people makes a job of exactly those who are not offboarded yet", async () => {
    const [first, second, gone] = (await people("some", 3)) as [GivenUser, GivenUser, GivenUser];
    await service().delete(`/api/user/${gone.id}`);
    await opened("/console/users?q=some-", async ({ page }) => {
      await wholePage(page).check();
      await button(page, "Offboard").click();
      const id = await jobOn(page);
      await stated(page, "Ready");
      expect(await jobOf(id)).toMatchObject({ kind: "offboarding", origin: "upload", dryRun: true, changed: 2 });
      const rows = await rowsOf(subject.api.database.owner, id);
      expect(rows.map(({ userId }) => userId).sort()).toEqual([first.id, second.id].sort());
    });
  });

  test("pressing the button again after a lost response does not make a second job", async () => {
    await people("twice", 2);
    const run = async ({ page }: WatchedPage) => {
      const before = await jobCount();
      const lost = async (route: Route) => {
        await route.fetch();
        await route.abort();
      };
      await page.route("**/api/jobs/offboarding?**", lost, { times: 1 });
      await wholePage(page).check();
      await button(page, "Offboard").click();
      await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
      expect(await jobCount()).toBe(before + 1);
      await button(page, "Offboard").click();
      await jobOn(page);
      expect(await jobCount()).toBe(before + 1);
    };
    // The browser logs the interrupted request.
    await opened("/console/users?q=twice-", run, { complains: true });
  });

  test("the page reports more matches than a job can have, and stays on the list", async () => {
    await people("many", 26);
    await opened(
      "/console/users?q=many-",
      async ({ page }) => {
        await page.route("**/api/jobs/offboarding?**", (route) =>
          route.fulfill({ status: 413, json: { error: "payload_too_large", error_description: "Too many." } }),
        );
        await page.getByRole("checkbox", { name: german.list.selectAll }).check();
        await button(page, "Alle 26 Treffer auswählen").click();
        await button(page, german.users.actions.offboard).click();
        await page.getByRole("alert").getByText("Es gibt mehr als 200.000 Treffer").waitFor();
        expect(new URL(page.url()).pathname).toBe("/console/users");
      },
      { language: "de", complains: true },
    );
  });

  test("a user stops the locking of a page of people, and the page lists the people who stayed unchanged", async () => {
    const crowd = await people("crowd", 6);
    await opened("/console/users?q=crowd-&sort=pairwiseid", async ({ page }) => {
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      const third = page.waitForRequest(`**/api/user/${crowd[2]?.id ?? ""}/status`);
      await page.route(`**/api/user/${crowd[2]?.id ?? ""}/status`, async (route) => {
        await held;
        await route.continue();
      });
      await wholePage(page).check();
      await button(page, "Lock").click();
      await third;
      await page.getByText("Locking: 2 of 6").waitFor();
      await pressAt(button(page, "Stop"));
      letGo();

      const alert = page.getByRole("alert").filter({ hasText: "Stopped: 3 of 6 done" });
      await alert.waitFor();
      await alert
        .getByText("Nothing was done for: crowd-04@example.org, crowd-05@example.org, crowd-06@example.org")
        .waitFor();
      expect(await found("/api/user?search=crowd-&filter[locked]=true")).toBe(3);
      await pressAt(alert.getByRole("button", { name: "Close" }));
      await alert.waitFor({ state: "detached" });
    });
  });

  test("a page that is locking people asks before the user leaves, and stops if the user leaves", async () => {
    const crowd = await people("leave", 4);
    await opened("/console/users?q=leave-&sort=pairwiseid", async ({ page }) => {
      let letGo = (): void => undefined;
      const held = new Promise<void>((resolve) => (letGo = resolve));
      await page.route(`**/api/user/${crowd[1]?.id ?? ""}/status`, async (route) => {
        await held;
        await route.continue();
      });
      await wholePage(page).check();
      await button(page, "Lock").click();
      await page.getByText("Locking: 1 of 4").waitFor();
      await page.getByRole("link", { name: "leave-03" }).click();
      await page.getByRole("dialog").getByText("If you leave now, it stops").waitFor();
      await inDialog(page, "Leave anyway").click();
      await page.getByRole("heading", { name: "leave-03", level: 1 }).waitFor();
      letGo();
      await page.getByText("2 people are locked").waitFor();
      expect(await found("/api/user?search=leave-&filter[locked]=true")).toBe(2);
    });
  });

  test("the page lists the people whose change failed, and changes the rest", async () => {
    const three = await people("refused", 3);
    const watched = await subject.open("/console/users?q=refused-&sort=pairwiseid");
    const { page } = watched;
    await page.route(`**/api/user/${three[1]?.id ?? ""}/status`, (route) => route.abort());
    await wholePage(page).check();
    await button(page, "Lock").click();
    await page.getByRole("alert").getByText("It did not work for 1 of 3").waitFor();
    await page.getByRole("alert").getByText("refused-02@example.org: The service cannot be reached.").waitFor();
    expect(await found("/api/user?search=refused-&filter[locked]=true")).toBe(2);
    await watched.context.close();
  });

  test("a user selects all matching profiles, which become a job with a reason: keyboard alone", async () => {
    const owner = await someone("collector");
    const serials: string[] = [];
    for (let each = 0; each < 27; each++) {
      serials.push(await given.profile(owner, { name: `Board ${each}`, deviceType: "ChromeOS" }));
    }
    await given.profile(owner, { name: "Phone", deviceType: "iOS" });
    await opened("/console/profiles?deviceType=ChromeOS", async ({ page }) => {
      await pressAt(wholePage(page), "Space");
      await tabTo(button(page, "Select all 27 that match"), "Shift+Tab");
      await page.keyboard.press("Enter");
      await expectFocus(page.getByText("All 27 that match are selected"));
      await pressAt(button(page, "Revoke 27 profiles"));
      await expectFocus(inDialog(page, "Cancel"));
      await tabTo(page.getByRole("combobox", { name: "Reason" }), "Shift+Tab");
      await page.keyboard.press("ArrowDown");
      await chooseOption(page, "Replaced by another profile");
      await pressAt(inDialog(page, "Check 27 profiles"));

      const id = await jobOn(page);
      await stated(page, "Ready");
      await page.getByText("Device type: ChromeOS").waitFor();
      expect(await jobOf(id)).toMatchObject({
        kind: "revocation",
        origin: "filter",
        dryRun: true,
        reason: 4,
        changed: 27,
        matching: { filter: { deviceType: "ChromeOS" } },
      });
      expect(await found("/api/profiles?filter[deviceType]=ChromeOS")).toBe(27);
      await service().post(`/api/jobs/${id}/start`, {});
      await stated(page, "Completed");
    });
    expect(await found("/api/profiles?filter[deviceType]=ChromeOS")).toBe(0);
    expect((await service().get(`/api/profiles/${serials[0] ?? ""}`)).body.data).toMatchObject({ revokeReason: 4 });
  });

  test("more than a few selected profiles become a job of exactly those profiles", async () => {
    const owner = await someone("dozen");
    const chosen: string[] = [];
    for (let each = 0; each < 12; each++) {
      const serial = await given.profile(owner, { name: `Pad ${each}`, deviceType: "iPadOS" });
      if (each !== 5) chosen.push(serial);
    }
    await opened("/console/profiles?deviceType=iPadOS", async ({ page }) => {
      await wholePage(page).check();
      await page.getByRole("checkbox", { name: /^Select Pad 5 / }).uncheck();
      await button(page, "Revoke 11 profiles").click();
      await inDialog(page, "Check 11 profiles").click();
      const id = await jobOn(page);
      await stated(page, "Ready");
      expect(await jobOf(id)).toMatchObject({ kind: "revocation", origin: "upload", reason: 0, changed: 11 });
      const rows = await subject.api.database.owner.query<{ serial: string }>(sql`
        select serial_number as serial from job_rows where job_id = ${id}
      `);
      expect(rows.map(({ serial }) => serial).sort()).toEqual(chosen.sort());
    });
    expect(await found("/api/profiles?filter[deviceType]=iPadOS")).toBe(12);
  });

  test.each(views)(
    "a full selection, a stopped run, and the job of a selection are faultless: $theme, $width px, $language",
    async (view) => {
      const prefix = `view-${view.width}`;
      const crowd = await people(prefix, 26);
      const watched = await subject.open(`/console/users?q=${prefix}-&sort=pairwiseid`, view);
      const { page } = watched;
      const texts = view.language === "de" ? german : (await import("../../../console/texts/en.json")).default;
      const all = page.getByRole("checkbox", { name: texts.list.selectAll });
      await page.route(`**/api/user/${crowd[1]?.id ?? ""}/status`, async (route) => {
        await button(page, texts.users.run.stop).click();
        await expectGoodConsole(watched);
        await route.continue();
      });
      await all.check();
      await button(page, texts.users.actions.lock).click();
      await page.getByRole("alert").getByText(`${prefix}-25@example.org`).waitFor();
      await expectGoodConsole(watched);

      await all.check();
      await button(page, texts.list.selectMatching.replace("{{formatted}}", "26")).click();
      await expectGoodConsole(watched);
      await button(page, texts.users.actions.offboard).click();
      await jobOn(page);
      await stated(page, view.language === "de" ? "Bereit" : "Ready");
      await expectGoodConsole(watched);
      await watched.context.close();
    },
    240_000,
  );
});
