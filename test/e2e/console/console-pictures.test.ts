import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { clockWithinAnHour } from "../../support/run/moved-clock.ts";
import { givenActivity } from "../../support/given/activity.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { givenJob, leaveIn } from "../../support/given/bulk-jobs.ts";
import { picture } from "../../support/browser/picture.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

const hour = 3_600_000;
const clock = clockWithinAnHour();
const currentHour = Math.floor(clock.now().getTime() / hour) * hour;

describeWithTool("chromium-headless-shell", "the dashboard's pictures", () => {
  const subject = useConsole({ clock });
  const section = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true }).first();

  let revokedSerial = "";
  let revokingJob = "";

  beforeAll(async () => {
    const { realmId } = subject.realm;
    const { owner } = subject.api.database;
    await subject.api.as.service({ realmId }).post("/api/setup/finish");
    await subject.api.given.profile(await subject.api.given.user({ realmId }));
    await owner.query(sql`
      insert into status_counts (realm_id, hour, address, good, refused, last_at)
      select ${realmId}, hour, '192.0.2.7', 40 + 10 * extract(hour from hour), 3, hour + interval '1 minute'
        from generate_series(${new Date(currentHour - 35 * 24 * hour)}::timestamptz, ${new Date(currentHour - hour)},
                             interval '1 hour') as hour
    `);
    const user = await subject.api.given.user({ realmId });
    revokedSerial = await subject.api.given.profile(user, { name: "tablet" });
    const others = [await subject.api.given.profile(user), await subject.api.given.profile(user)];
    const hourAgo = new Date(currentHour - hour);
    const revoke = (serials: readonly string[], at: Date) =>
      owner.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, ${at}, 0 from certificates where serial_number = any(${serials}::text[])
      `);
    await revoke([revokedSerial], hourAgo);
    // Revokes at a time before the job, even if the clock has already reached the next hour.
    await revoke(others, new Date(currentHour - hour / 2));
    await owner.query(sql`
      insert into crl_listings (issuer_id, serial_number, revoked_at, published_at)
      select issuer_id, serial_number, revoked_at, revoked_at + interval '4 seconds'
        from certificates where serial_number = any(${[revokedSerial, ...others]}::text[])
      on conflict (issuer_id, serial_number) do update set published_at = excluded.published_at
    `);
    await givenActivity(() => owner).check(revokedSerial, new Date(hourAgo.getTime() + 120_000));

    const stolen = { serials: [await subject.api.given.profile(user), await subject.api.given.profile(user)] };
    const service = subject.api.as.service({ realmId });
    const headers = { prefer: "wait=20" };
    const { body } = await service.post("/api/jobs/revocation?name=stolen.csv", stolen, { headers });
    expect(body.data).toMatchObject({ state: "completed", changed: 2 });
    revokingJob = (body as { data: { id: string } }).data.id;
  });

  /** Opens the dashboard, runs the test on it, and expects no browser errors. */
  const opened = async (run: (page: Page) => Promise<void>): Promise<void> => {
    const watched = await subject.open("/console");
    await run(watched.page);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  };

  describe("the picture of RADIUS requests", () => {
    const title = "What RADIUS servers asked";

    test("shows a bar for each hour, and opens the audit log of an hour by keyboard alone", { timeout: pagesMs }, () =>
      opened(async (page) => {
        const bars = section(page, title).getByRole("listbox", { name: title });
        await bars.waitFor();
        expect(await bars.getByRole("option").count()).toBe(168);
        await bars.focus();
        await page.keyboard.press("ArrowLeft");
        const chosen = section(page, title).getByRole("option", { selected: true });
        expect(await chosen.getAttribute("aria-label")).toMatch(/: \d+ good, 3 refused; a week before \d+ and 3$/);
        expect(await bars.getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"));
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/console\/audit\?/);
        const search = new URL(page.url()).searchParams;
        expect(search.get("minDate")).toBe(new Date(currentHour - hour).toISOString());
        expect(search.get("maxDate")).toBe(new Date(currentHour - 1).toISOString());
      }),
    );

    test("shows each server with its last request, and a table with the same numbers", { timeout: pagesMs }, () =>
      opened(async (page) => {
        const shown = section(page, title);
        await shown.getByText(/^192\.0\.2\.7 last asked .+ ago: [\d,]+ good, 501 refused$/).waitFor();
        await shown.getByText(/^Checks in the last 7 days: [\d,]+ good, 501 refused/).waitFor();
        await shown.getByRole("button", { name: "Table" }).click();
        const rows = shown.getByRole("table", { name: title }).getByRole("row");
        await expect.poll(() => rows.count()).toBe(169);
        expect(await rows.nth(2).innerText()).toMatch(/\t\d+\t3\t\d+\t3$/);
      }),
    );
  });

  test(
    "the bar of a week opens the list of the profiles that expire in the week, by keyboard alone",
    { timeout: pagesMs },
    () =>
      opened(async (page) => {
        const title = "Expiring profiles";
        const shown = section(page, title);
        const bars = shown.getByRole("listbox", { name: title });
        await bars.waitFor();
        await shown.getByText(/^In the next 12 months 1 profiles? expires?\. Peak: week of .* \(1\)\.$/).waitFor();
        const names = await bars
          .getByRole("option")
          .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
        const week = names.findIndex((name) => name?.endsWith(": 1") ?? false);
        expect(names.length - week).toBeLessThanOrEqual(2);
        expect(week).toBeGreaterThan(40);
        await bars.focus();
        await page.keyboard.press("Home");
        for (let at = 0; at < week; at++) await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/console\/profiles\?.*minExpirationTime=/);
        const list = page.getByRole("table").filter({ hasText: "laptop" });
        await expect.poll(() => list.getByRole("row").count()).toBe(2);
      }),
  );

  describe("the picture from the request to the network", () => {
    const title = "From the request to the network";

    test(
      "shows the numbers of each kind of device, and opens its profiles by keyboard alone",
      { timeout: pagesMs },
      () =>
        opened(async (page) => {
          const shown = section(page, title);
          await shown.getByText(/: 6 requested, 6 created, 1 downloaded, 1 seen$/).waitFor();
          await shown.getByText(/^Since .+, 6 profiles were requested; 1 of these were seen/).waitFor();
          await shown.getByRole("list", { name: title }).getByRole("link").focus();
          await page.keyboard.press("Enter");
          await page.waitForURL(/\/console\/profiles\?/);
          expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
            deviceType: expect.any(String) as string,
            minCreated: expect.stringMatching(/^\d{4}-/) as string,
          });
        }),
    );

    test("has a table with the same numbers", { timeout: pagesMs }, () =>
      opened(async (page) => {
        const shown = section(page, title);
        await shown.getByRole("button", { name: "Table" }).click();
        const rows = shown.getByRole("table", { name: title }).getByRole("row");
        await expect.poll(() => rows.count()).toBe(2);
        expect(await rows.nth(1).innerText()).toMatch(/\t6\t6\t1\t1$/);
      }),
    );
  });

  describe("the picture of the latest revocations", () => {
    const title = "Latest revocations";

    test("opens the audit entries of a revocation by keyboard alone", { timeout: pagesMs }, () =>
      opened(async (page) => {
        const bars = section(page, title).getByRole("listbox", { name: title });
        await bars.waitFor();
        expect(
          await bars.getByRole("option").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))),
        ).toEqual([
          expect.stringMatching(
            /^“tablet”, revoked .+: list published after 4 seconds; first refused after 2 minutes$/,
          ),
          expect.stringMatching(/^2 profiles, revoked together .+: list published after 4 seconds; no refusal known$/),
          expect.stringMatching(/^2 profiles, revoked by “Revocation: stolen\.csv” .+; no refusal known$/),
        ]);
        await bars.focus();
        await page.keyboard.press("Home");
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/console\/audit\?/);
        expect(new URL(page.url()).searchParams.get("about")).toBe(`profile:${revokedSerial}`);
      }),
    );

    test(
      "shows a bulk job as one bar that opens the job's entries and one mark that leads to the job",
      { timeout: pagesMs },
      () =>
        opened(async (page) => {
          const bars = section(page, title).getByRole("listbox", { name: title });
          await bars.focus();
          await page.keyboard.press("End");
          await page.keyboard.press("Enter");
          await page.waitForURL(/\/console\/audit\?/);
          expect(new URL(page.url()).searchParams.get("job")).toBe(revokingJob);
          await page.goBack();
          const marks = section(page, title).getByRole("list", { name: "Bulk jobs" }).getByRole("link");
          await marks.first().focus();
          expect(await marks.allInnerTexts()).toEqual(["Revocation: stolen.csv"]);
          await page.keyboard.press("Enter");
          await page.waitForURL(`**/console/jobs/${revokingJob}`);
        }),
    );

    test("has its sentence, and a table with the times in seconds", { timeout: pagesMs }, () =>
      opened(async (page) => {
        const shown = section(page, title);
        await shown.getByText(/^The last 5 revocations; 1 of these devices have been refused since\./).waitFor();
        await shown.getByRole("button", { name: "Table" }).click();
        const rows = shown.getByRole("table", { name: title }).getByRole("row");
        await expect.poll(() => rows.count()).toBe(4);
        expect(await rows.nth(1).innerText()).toMatch(/^2 profiles, revoked by “Revocation: stolen\.csv” .*\t–$/);
        expect(await rows.nth(2).innerText()).toMatch(/^2 profiles, .*\t4\t–$/);
        expect(await rows.nth(3).innerText()).toMatch(/^“tablet”, .*\t4\t120$/);
      }),
    );
  });

  test("bars are visible in forced colours", { timeout: pagesMs }, () =>
    opened(async (page) => {
      await page.locator("svg.bars .bar-up").first().waitFor();
      const fills = () =>
        page.evaluate<string[]>(`[".bar-up", ".bar-down", ".bars"].map((part) => {
          const { fill, stroke, color } = getComputedStyle(document.querySelector(part));
          return part === ".bars" ? color : part === ".bar-down" ? stroke : fill;
        })`);
      const [before] = await fills();
      await page.emulateMedia({ forcedColors: "active" });
      const [up, down, text] = await fills();
      expect([up, down]).toEqual([text, text]);
      expect(up).not.toBe(before);
    }),
  );

  test.each(views)("are faultless: $theme, $width px, $language", { timeout: pagesMs }, async (view) => {
    const watched = await subject.open("/console", view);
    const { page } = watched;
    await page.locator("svg.bars").first().waitFor();
    await page.waitForLoadState("networkidle");
    await expectGoodConsole(watched);
    await picture(page, `pictures ${view.theme} ${view.width}`);
    for (const button of await page.getByRole("button", { name: view.language === "de" ? "Tabelle" : "Table" }).all()) {
      await button.click();
    }
    await expectGoodConsole(watched);
    await watched.context.close();
  });

  describe("a job", () => {
    const shownJob = async (state: "running" | "grace", run: (page: Page) => Promise<void>, view = {}) => {
      await subject.worker.stop();
      const { owner } = subject.api.database;
      const rows = Array.from({ length: 100 }, (_, index) => ({ pairwiseId: `row-${index}` }));
      const job = await givenJob(owner, { realmId: subject.realm.realmId, kind: "offboarding", rows });
      await leaveIn(owner, job, "running");
      await owner.query(sql`update jobs set changed = 40, unchanged = 25, failed = 10 where id = ${job}`);
      if (state === "grace") {
        await owner.query(sql`
          update jobs set state = 'grace', grace_days = 4, revoke_at = now() + interval '1 day' where id = ${job}
        `);
      }
      const watched = await subject.open(`/console/jobs/${job}`, view);
      await run(watched.page);
      await expectGoodConsole(watched);
      await watched.context.close();
    };

    test("has one bar of changed, unchanged and failed rows", { timeout: pagesMs }, () =>
      shownJob("running", async (page) => {
        const bar = page.getByRole("main").getByRole("progressbar");
        await bar.waitFor();
        const widthOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.width ?? 0;
        const whole = await widthOf(bar);
        const parts = await Promise.all((await bar.locator("> *").all()).map(widthOf));
        expect(parts.map((width) => Math.round((width / whole) * 100))).toEqual([40, 25, 10]);
        for (const text of ["Lost access", "Already offboarded", "Failed", "Remaining"]) {
          await page.getByText(text, { exact: true }).first().waitFor();
        }
      }),
    );

    test(
      "has a pattern for each part in forced colours, and its legend has the same patterns",
      { timeout: pagesMs },
      () =>
        shownJob("running", async (page) => {
          const bar = page.getByRole("main").getByRole("progressbar");
          await bar.waitFor();
          await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
          const patternsOf = (parts: string): Promise<string[]> =>
            page.evaluate<string[]>(
              `[...document.querySelectorAll("main ${parts}")].map((part) => getComputedStyle(part).backgroundImage)`,
            );
          const parts = await patternsOf("[role=progressbar] > *");
          expect(new Set([...parts, "none"]).size).toBe(4);
          const legend = await patternsOf("span[data-part]");
          expect(legend.slice(0, 3)).toEqual(parts);
          expect(new Set(legend).size).toBe(4);
          await picture(page, "job bar in forced colours");
        }),
    );

    test("shows how much of its grace period is left", { timeout: pagesMs }, () =>
      shownJob(
        "grace",
        async (page) => {
          const meter = page.getByRole("meter", { name: "Verbleibende Zeit" });
          await meter.waitFor();
          expect(await meter.getAttribute("aria-valuenow")).toBe("25");
          expect(await meter.getAttribute("aria-valuetext")).toMatch(/^(?:in|morgen)/);
        },
        { language: "de", width: 390 },
      ),
    );
  });
});
