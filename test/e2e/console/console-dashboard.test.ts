import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { expectFaultless } from "../../support/browser/browser.ts";
import { pressAt } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useConsole } from "../../support/service/console.ts";
import { eventually } from "../../support/run/eventually.ts";
import { givenJob, leaveIn } from "../../support/given/bulk-jobs.ts";
import { picture } from "../../support/browser/picture.ts";
import { describeWithTool } from "../../support/run/tools.ts";

/** The maximum age of the numbers. */
const countedWithinMs = 25_000;

describeWithTool("chromium-headless-shell", "the dashboard", () => {
  const subject = useConsole();
  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const card = (page: Page, title: string): Promise<string> =>
    page.locator(`main section:has(h2:has-text("${title}"))`).first().innerText();
  const shown = (page: Page) => page.waitForSelector("main h2");

  const activity = "Issued and revoked profiles";

  const onboard = async (prefix: string, count: number): Promise<void> => {
    const users = Array.from({ length: count }, (_, index) => ({
      pairwiseID: `${prefix}-${index}`,
      profileName: "Phone",
      deviceType: "iOS",
      format: "pem",
    }));
    const headers = { prefer: "wait=20" };
    const { body } = await service().post(`/api/jobs/onboarding?name=${prefix}.csv`, { users }, { headers });
    expect(body.data).toMatchObject({ state: "completed", changed: count });
  };

  describe("with people in the realm", () => {
    beforeAll(async () => {
      await service().post("/api/setup/finish");
      await onboard("student", 12);
      const { body } = await service().get("/api/user?search=student-3");
      const { status } = await service().delete(`/api/user/${body.data[0].userID}`);
      expect(status).toBe(200);
    });

    test(
      "shows the API's counts as sentence, chart and table, and leads to the matching lists: keyboard alone",
      { timeout: pagesMs },
      async () => {
        const watched = await subject.open("/console");
        const { page } = watched;
        await shown(page);
        await eventually(
          async () => {
            expect(await card(page, "Active profiles")).toMatch(/\n11\n\+11 within 7 days\n12 issued, 1 revoked$/);
          },
          { withinMs: countedWithinMs },
        );
        expect(await card(page, "Waiting to be issued")).toMatch(/\n0\n1 worker\nNobody is waiting$/);
        expect(await card(page, "Expire within 30 days")).toMatch(/\n0\n0 of them within 7 days$/);
        expect(await card(page, "Revocation list")).toMatch(/Fresh\nPublished .+\nValid until /);

        const chart = page.getByRole("region", { name: activity, exact: true }).first();
        await chart.getByText("In the last 24 hours: 12 issued, 1 revoked.").waitFor();
        await pressAt(chart.getByRole("button", { name: "7 days", exact: true }));
        await page.waitForSelector("text=In the last 7 days: 12 issued, 1 revoked.");
        await pressAt(chart.getByRole("button", { name: "Table" }));
        await page.waitForSelector("main [aria-label='Issued and revoked profiles'] tbody tr");
        const rows = await page.locator("main [aria-label='Issued and revoked profiles'] tbody tr").allInnerTexts();
        expect(rows).toHaveLength(7);
        expect(rows.at(-1)).toMatch(/^\d+ \w{3,4}\s+12\s+1\s+Onboarding: student\.csv, 12 rows$/);
        await expectFaultless(watched);

        // Without data the picture has a sentence and no bars.
        const asked = page.getByRole("region", { name: "What RADIUS servers asked" });
        await asked.getByText("No RADIUS server has asked about a device in the last 7 days.").waitFor();
        expect(await asked.getByRole("listbox").count()).toBe(0);

        const latest = await card(page, "Latest events");
        expect(latest).toContain("student-3");
        expect(await page.locator("main section:has(h2:has-text('Latest events')) li").count()).toBe(10);

        for (const [link, address] of [
          ["Active profiles", /\/console\/profiles$/],
          ["Expire within 30 days", /\/console\/profiles\?.*maxExpirationTime=/],
          ["Waiting to be issued", /\/console\/jobs$/],
          ["Revocation list", /\/console\/profiles\?state=revoked$/],
          ["Onboard people", /\/console\/jobs\/new\/onboarding$/],
          ["Offboard people", /\/console\/jobs\/new\/offboarding$/],
        ] as const) {
          await pressAt(page.locator(`main a:has-text("${link}")`));
          await page.waitForURL(address);
          await page.goBack();
          await shown(page);
        }
        await watched.context.close();
      },
    );

    test(
      "shows each hour as a bar that opens the hour's entries, by keyboard and by click, and each started bulk job as a mark that leads to the job",
      { timeout: pagesMs },
      async () => {
        const users = [{ pairwiseID: "student-99" }];
        const checked = await service().post("/api/jobs/onboarding?name=checked.csv&dryRun=true", { users });
        expect(checked.status).toBe(202);
        const watched = await subject.open("/console");
        const { page } = watched;
        const shown = page.getByRole("region", { name: activity, exact: true }).first();
        const marks = shown.getByRole("list", { name: "Bulk jobs" });
        const mark = marks.getByRole("link", { name: "Onboarding: student.csv, 12 rows" });
        await mark.waitFor();
        expect(await marks.getByRole("link").count(), "the job that was only checked has no mark").toBe(1);

        const bars = shown.getByRole("listbox", { name: activity });
        const names = await bars
          .getByRole("option")
          .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
        const at = names.findIndex((name) => name.includes("student.csv"));
        expect(names).toHaveLength(24);
        expect(names[at]).toMatch(/^\d\d:00: 12 issued, 1 revoked; Onboarding: student\.csv, 12 rows$/);
        const [bar, label] = [await bars.getByRole("option").nth(at).boundingBox(), await mark.boundingBox()];
        expect(label!.x + label!.width, "the mark is below its bar").toBeGreaterThan(bar!.x - bar!.width);
        expect(label!.y).toBeGreaterThanOrEqual(bar!.y + bar!.height);

        await bars.focus();
        await page.keyboard.press("Home");
        for (let step = 0; step < at; step++) await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/console\/audit\?/);
        const { event, minDate, maxDate } = Object.fromEntries(new URL(page.url()).searchParams);
        expect(event).toBe("profile_create,profile_revoke,user_offboard");
        expect(Date.parse(maxDate!) - Date.parse(minDate!)).toBe(3_600_000 - 1);
        await page.getByText("Event: Profile created, Profile revoked, Person offboarded", { exact: true }).waitFor();
        await expect.poll(() => page.locator("main tbody tr").count()).toBe(13);

        await page.goBack();
        await bars.getByRole("option").nth(at).click();
        await page.waitForURL((url) => url.searchParams.get("minDate") === minDate);

        await page.goBack();
        await pressAt(mark);
        await page.waitForURL(/\/console\/jobs\/[0-9a-f-]{36}$/);
        await page.getByText("student.csv").first().waitFor();
        await expectFaultless(watched);
        await watched.context.close();
      },
    );

    test(
      "refreshes itself, reports a missing worker, and shows running jobs",
      async () => {
        const watched = await subject.open("/console");
        const { page } = watched;
        await shown(page);
        await page.focus("main a:has-text('All jobs')");
        await onboard("late", 3);
        await eventually(
          async () => {
            expect(await card(page, "Active profiles")).toContain("\n14\n");
          },
          { withinMs: countedWithinMs },
        );
        expect(await page.evaluate("document.activeElement.textContent"), "the focus stays").toBe("All jobs");

        await subject.worker.stop();
        const { owner } = subject.api.database;
        const rows = Array.from({ length: 200 }, (_, index) => ({
          pairwiseId: `waiting-${index}`,
          ...(index < 50 && { invalid: "pairwiseID: is missing" }),
        }));
        const job = await givenJob(owner, { realmId: subject.realm.realmId, kind: "onboarding", rows });
        await leaveIn(owner, job, "running");
        await page.waitForSelector("text=No worker is running", { timeout: 60_000 });
        const bar = page.locator("main [role=progressbar]");
        expect(await bar.getAttribute("aria-valuetext")).toBe("50 of 200 · 50 failed");
        await expectFaultless(watched);
        await page.click(
          "main section:has(h2:has-text('Running jobs')) li a, main section:has(h2:has-text('Running jobs')) a:has-text('Onboarding')",
        );
        await page.waitForURL(new RegExp(`/console/jobs/${job}$`));
        await watched.context.close();
      },
      pagesMs,
    );

    test("marks the ten newest bulk jobs, and shows how many more began", { timeout: pagesMs }, async () => {
      const { owner } = subject.api.database;
      const { total } = (await service().get("/api/jobs?filter[minStarted]=2026-01-01")).body as { total: number };
      for (let index = 0; index < 10; index++) {
        const rows = [{ pairwiseId: `one-of-many-${index}` }];
        const job = await givenJob(owner, { realmId: subject.realm.realmId, kind: "reactivation", rows });
        await leaveIn(owner, job, "completed");
      }
      const watched = await subject.open("/console");
      const shown = watched.page.getByRole("region", { name: activity, exact: true }).first();
      await shown.getByRole("link", { name: `${total} more bulk jobs began in this period` }).waitFor();
      expect(await shown.getByRole("list", { name: "Bulk jobs" }).getByRole("link").allInnerTexts()).toEqual(
        Array.from({ length: 10 }, () => "Reactivation, 1 row"),
      );
      await watched.context.close();
    });

    test.each(views)("is faultless: $theme, $width px, $language", { timeout: pagesMs }, async (view) => {
      const watched = await subject.open("/console", view);
      const { page } = watched;
      await shown(page);
      await page.locator(".bar-marks a").first().waitFor();
      await page.waitForLoadState("networkidle");
      await expectGoodConsole(watched);
      await picture(page, `dashboard ${view.theme} ${view.width}`);

      await page.route("**/api/overview?*", (route) => route.abort("aborted"));
      await page.reload();
      await page.waitForSelector("main [role=alert] button", { timeout: 60_000 });
      await expectGoodConsole(watched);
      await page.unroute("**/api/overview?*");
      await page.click("main [role=alert] button");
      await shown(page);
      await watched.context.close();
    });
  });
});
