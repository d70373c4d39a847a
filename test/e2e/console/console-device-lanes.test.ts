import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { picture } from "../../support/browser/picture.ts";
import { givenActivity } from "../../support/given/activity.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

const day = 86_400_000;
const title = "Devices over time";

describeWithTool("chromium-headless-shell", "the devices of a person over time", () => {
  const subject = useConsole();
  const { given } = subject.api;
  const made = givenActivity(() => subject.api.database.owner);
  let mia: GivenUser;
  let tablet = "";

  beforeAll(async () => {
    const { realmId } = subject.realm;
    mia = await given.user({ realmId, displayName: "Mia Keller" });
    tablet = await given.profile(mia, { name: "tablet", createdAt: fromNow(-20 * day) });
    await made.check(tablet, fromNow(-15 * day));
    await subject.api.as.service({ realmId }).delete(`/api/profiles/${tablet}`);
    await made.check(tablet, fromNow(1_000));
    const phone = await given.profile(mia, { name: "phone", createdAt: fromNow(-10 * day) });
    await made.check(phone, fromNow(-9 * day));
    await made.check(phone, fromNow(-day));
    await given.profile(mia, { name: "laptop", createdAt: fromNow(-5 * day) });
  });

  const shown = (page: Page): Locator => page.getByRole("region", { name: title, exact: true }).first();
  const opened = async (run: (page: Page) => Promise<void>): Promise<void> => {
    const watched = await subject.open(`/console/users/${mia.id}`);
    await shown(watched.page).waitFor();
    await run(watched.page);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  };

  test("each device has a lane with its events, and opens by keyboard alone", { timeout: pagesMs }, () =>
    opened(async (page) => {
      const lanes = shown(page).getByRole("list", { name: title }).getByRole("listitem");
      expect(await lanes.allInnerTexts()).toEqual([
        expect.stringMatching(/^laptop: created .+; never seen; valid until .+/),
        expect.stringMatching(/^phone: created .+; first seen .+; last check .+; valid until .+/),
        expect.stringMatching(/^tablet: created .+; first seen .+; last check .+; revoked .+; first refused .+/),
      ]);
      const marksOf = (lane: number, kind: "up" | "down") => lanes.nth(lane).locator(`.bar-${kind}`).count();
      expect([await marksOf(0, "up"), await marksOf(1, "up"), await marksOf(2, "up")]).toEqual([0, 2, 1]);
      expect([await marksOf(1, "down"), await marksOf(2, "down")]).toEqual([0, 1]);
      await lanes.nth(2).getByRole("link").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/console\/profiles\?/);
      expect(new URL(page.url()).searchParams.get("open")).toBe(tablet);
    }),
  );

  test("the table lists the same events as the lanes", { timeout: pagesMs }, () =>
    opened(async (page) => {
      await shown(page).getByRole("button", { name: "Table" }).click();
      const rows = shown(page).getByRole("table", { name: title }).getByRole("row");
      await expect.poll(() => rows.count()).toBe(4);
      expect(await rows.nth(1).innerText()).toMatch(/^laptop\t[^\t]+\t–\t–\t–\tvalid until /);
      expect(await rows.nth(2).innerText()).toMatch(/^phone\t[^\t–]+\t[^\t–]+\t[^\t–]+\t–\tvalid until /);
      expect(await rows.nth(3).innerText()).toMatch(/^tablet\t[^\t–]+\t[^\t–]+\t[^\t–]+\t[^\t–]+\trevoked /);
    }),
  );

  test("in forced colours checks are filled and refusals hollow", { timeout: pagesMs }, () =>
    opened(async (page) => {
      await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" });
      const [up, down, outline, text] = await page.evaluate<string[]>(`(() => {
        const styleOf = (part) => getComputedStyle(document.querySelector(".bars-lane " + part));
        return [
          styleOf(".bar-up").fill,
          styleOf(".bar-down").fill,
          styleOf(".bar-down").stroke,
          getComputedStyle(document.querySelector(".bars-lane")).color,
        ];
      })()`);
      expect([up, outline]).toEqual([text, text]);
      expect(down).not.toBe(text);
    }),
  );

  test("the page of a person without a profile has no picture", { timeout: pagesMs }, async () => {
    const { id } = await given.user({ realmId: subject.realm.realmId });
    const watched = await subject.open(`/console/users/${id}`);
    await watched.page.getByText("No active profile.").first().waitFor();
    await watched.page.waitForLoadState("networkidle");
    expect(await shown(watched.page).count()).toBe(0);
    await watched.context.close();
  });

  test.each(views)("is faultless: $theme, $width px, $language", { timeout: pagesMs }, async (view) => {
    const watched = await subject.open(`/console/users/${mia.id}`, view);
    const { page } = watched;
    await page.locator("svg.bars-lane").first().waitFor();
    await page.waitForLoadState("networkidle");
    await expectGoodConsole(watched);
    await picture(page, `lanes ${view.theme} ${view.width}`);
    await page.getByRole("button", { name: view.language === "de" ? "Tabelle" : "Table" }).click();
    await expectGoodConsole(watched);
    await watched.context.close();
  });
});
