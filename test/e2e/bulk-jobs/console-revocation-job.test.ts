import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { expectFaultless, type View } from "../../support/browser/browser.ts";
import { expectFocus, pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

/**
 * More profiles than a job can revoke before the user confirms the number, and more than a fifth of the realm's
 * profiles.
 */
const many = 120;

const views: (Partial<View> & {
  words: Record<"ready" | "done" | "lead" | "permanent" | "share" | "number" | "button" | "before" | "after", string>;
  foreign: RegExp;
})[] = [
  {
    language: "en",
    words: {
      ready: "Ready",
      done: "Completed",
      lead: `${many} profiles are revoked permanently`,
      permanent: "This cannot be undone. Revoked profiles cannot be restored.",
      share: `${many} profiles are 100 % of all active profiles of this realm.`,
      number: `Type ${many} to continue`,
      button: `Revoke ${many} profiles`,
      before: "Will be revoked",
      after: "Revoked",
    },
    foreign: /reactivat|can sign in|\b0 %|active people|\d people/i,
  },
  {
    language: "de",
    theme: "dark",
    words: {
      ready: "Bereit",
      done: "Abgeschlossen",
      lead: `${many} Profile werden endgültig widerrufen`,
      permanent: "Das lässt sich nicht rückgängig machen. Widerrufene Profile lassen sich nicht wiederherstellen.",
      share: `${many} Profile sind 100 % aller aktiven Profile dieses Realms.`,
      number: `Geben Sie zum Fortfahren ${many} ein`,
      button: `${many} Profile widerrufen`,
      before: "Wird widerrufen",
      after: "Widerrufen",
    },
    foreign: /wiederhergestellt|anmelden|\b0 %|aktiven Personen|\d Personen/i,
  },
];

describeWithTool("chromium-headless-shell", "a bulk job that revokes profiles, in the console", () => {
  const subject = useConsole();
  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const stated = (page: Page, state: string) =>
    page.waitForSelector(`main span:text-is("${state}")`, { timeout: 60_000 });
  const redness = async (at: Locator): Promise<number> => {
    const color: string = await at.evaluate(
      (element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor ?? "",
    );
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map(Number);
    return red - Math.max(green, blue);
  };
  const ready = async (kind: string, body: object, view: Partial<View>, state: string) => {
    const { body: made } = await service().post(`/api/jobs/${kind}?dryRun=true`, body);
    const watched = await subject.open(`/console/jobs/${made.data.id as string}`, view);
    await stated(watched.page, state);
    return watched;
  };

  test.each(views)(
    "warns in red that the revocation is permanent, with the number of profiles, and mentions no people before or after: keyboard alone ($language)",
    async ({ words, foreign, ...view }) => {
      const owner = await subject.api.given.user({ realmId: subject.realm.realmId });
      for (let each = 0; each < many; each++) await subject.api.given.profile(owner, { name: `Board ${each}` });
      const watched = await ready("revocation", { matching: {} }, view, words.ready);
      const { page, context } = watched;
      const button = page.getByRole("button", { name: words.button, exact: true });
      await page.getByText(words.lead).waitFor();
      await page.getByText(words.permanent, { exact: true }).waitFor();
      await page.getByText(words.share, { exact: true }).waitFor();
      await page
        .getByRole("row", { name: /Board 7\b|\d{6}/ })
        .first()
        .waitFor();
      const before = await page.getByRole("main").innerText();
      expect(before).toContain(words.before);
      expect(before).not.toMatch(foreign);
      expect(await page.locator("main dl .icon-circle-check, main table .icon-circle-check").count()).toBe(0);
      await expectFaultless(watched);

      expect(await button.isDisabled()).toBe(true);
      await tabTo(page.getByRole("textbox", { name: words.number }));
      await page.keyboard.type(String(many));
      expect(await redness(button)).toBeGreaterThan(50);
      await pressAt(button);
      await stated(page, words.done);
      const after = await page.getByRole("main").innerText();
      expect(after).toContain(words.after);
      expect(after).not.toMatch(foreign);
      expect(await page.locator("main dl .icon-circle-check").count()).toBe(0);
      await expectFaultless(watched);
      expect((await service().get("/api/profiles?limit=1")).body.total).toBe(0);
      await context.close();
    },
  );

  test("starts from a file in the navigation, the palette, the list of profiles or the list of jobs: keyboard alone", async () => {
    const { page, context } = await subject.open("/console/profiles");
    const begun = page.getByRole("heading", { name: "Revoke profiles", level: 1 });
    const back = async (path: string) => {
      await begun.waitFor();
      expect(await page.locator('nav [aria-current="page"]').allInnerTexts()).toEqual(["Revoke from a file"]);
      await page.goto(`${subject.api.url}/console/${path}`);
    };
    await pressAt(page.getByRole("main").getByRole("link", { name: "Revoke from a file" }));
    await back("profiles");
    await pressAt(page.getByRole("navigation").getByRole("link", { name: "Revoke from a file" }));
    await back("jobs");
    await pressAt(page.getByRole("main").getByRole("link", { name: "Revoke from a file" }).first());
    await back("profiles");
    await page.getByRole("heading", { name: "Profiles", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox"));
    await page.keyboard.type("revoke from");
    await page.getByRole("option", { name: "Revoke from a file" }).waitFor();
    await page.keyboard.press("Enter");
    await begun.waitFor();
    await context.close();
  });

  test("control: a job that reactivates shows people, and is not red", async () => {
    const { realmId } = subject.realm;
    const people: string[] = [];
    for (let each = 0; each < many; each++) people.push((await subject.api.given.user({ realmId })).id);
    await subject.api.database.owner.query(
      sql`update users set offboarded_at = now() where id = any(${people}::bigint[])`,
    );
    const body = { users: people.map((userID) => ({ userID })) };
    const { page, context } = await ready("reactivation", body, {}, "Ready");
    const button = page.getByRole("button", { name: `Reactivate ${many} people` });
    await page.getByRole("textbox", { name: `Type ${many} to continue` }).fill(String(many));
    const text = await page.getByRole("main").innerText();
    expect(text).not.toMatch(/revoke \d|cannot be undone/i);
    expect(text).toMatch(views[0]!.foreign);
    expect(await redness(button)).toBeLessThan(0);
    expect(await page.locator("main dl .icon-circle-check").count()).toBe(1);
    await context.close();
  });
});
