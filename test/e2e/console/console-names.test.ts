import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { sql } from "../../../db/sql.ts";
import { pagesMs, expectGoodConsole } from "../../support/browser/console-views.ts";
import { pressAt } from "../../support/browser/console-keyboard.ts";
import type { View } from "../../support/browser/browser.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { givenLocalAccount, type LocalAccount } from "../../support/given/local-account.ts";
import { useConsole } from "../../support/service/console.ts";
import { describeWithTool } from "../../support/run/tools.ts";

describeWithTool("chromium-headless-shell", "names in the console", () => {
  const subject = useConsole();
  const named = { pairwiseId: "pseudonym-of-ada", email: "ada@campus.example", displayName: "Ada Lovelace" };
  const nameless = { pairwiseId: "pseudonym-of-nobody" };
  let ada: GivenUser;
  let nobody: GivenUser;
  let helper: LocalAccount;
  let serial = "";
  let revocation = "";
  let offboarding = "";
  let entry = "";

  beforeAll(async () => {
    const { api, realm } = subject;
    const { realmId } = realm;
    ada = await api.given.user({ realmId, ...named });
    nobody = await api.given.user({ realmId, ...nameless });
    helper = await givenLocalAccount(api, {
      username: "helper",
      realmId,
      roles: ["help_desk"],
      pairwiseId: "pseudonym-of-hedy",
      displayName: "Hedy Lamarr",
    });
    serial = await api.given.profile(ada, { name: "Analytical engine" });
    await api.given.profile(nobody, { name: "Tablet" });
    const acting = api.as.user(await api.given.user({ realmId, administrator: true, displayName: "Grace Hopper" }));
    for (const { id } of [ada, nobody]) await acting.put(`/api/user/${id}/limit`, { profileOverride: 7 });
    const desk = api.as.user({ ...helper, realmId });
    for (const locked of [true, false]) await desk.put(`/api/user/${ada.id}/status`, { locked });
    const other = await api.given.profile(ada, { name: "Old phone" });
    await acting.delete(`/api/profiles/${other}`, { reason: 4 });
    const check = async (path: string, body: object): Promise<string> => {
      const answer = await acting.post(`/api/jobs/${path}`, body);
      expect(answer.status, answer.text).toBe(202);
      const { id } = answer.body.data;
      await vi.waitFor(
        async () => {
          expect((await acting.get(`/api/jobs/${id}`)).body.data.state).toBe("ready");
        },
        { timeout: 60_000 },
      );
      return id;
    };
    const both = [{ userID: ada.id }, { userID: nobody.id }];
    revocation = await check("revocation?dryRun=true", { serials: [serial] });
    offboarding = await check("offboarding?dryRun=true", { users: both });
    entry = (await acting.get(`/api/audit?filter[about]=user:${ada.id}&filter[event]=user_lock`)).body.data[0].id;
  });

  /** The main texts of a page: its headings, links and titles of cards. */
  const mainTexts = (page: Page): Promise<string[]> =>
    page.locator("h1, h2, h3, main a, [role=dialog] a").allTextContents();
  const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).filter({ visible: true }).first();

  /** The pages with people on them; whether a person without a name is there as well. */
  const places = () => ({
    "/": { both: true },
    "/users": { both: true },
    [`/users/${ada.id}`]: { both: false },
    "/profiles": { both: true },
    [`/profiles?open=${serial}`]: { both: true },
    [`/jobs/${revocation}`]: { both: false },
    [`/jobs/${offboarding}`]: { both: true },
    "/audit": { both: true },
    [`/audit/${entry}`]: { both: false },
    [`/audit?open=${entry}`]: { both: true },
    [`/audit?about=user:${ada.id}`]: { both: false },
  });

  test(
    "are the main text on every page, and pseudonyms stand for people without one",
    { timeout: pagesMs },
    async () => {
      const { page, context } = await subject.open("/console");
      for (const [path, { both }] of Object.entries(places())) {
        await page.goto(`${subject.api.url}/console${path}`);
        await shown(page, named.displayName).waitFor();
        const texts = await mainTexts(page);
        expect(
          texts.filter((text) => text.includes(named.pairwiseId)),
          path,
        ).toEqual([]);
        // The control: the same look finds the pseudonym of a person without a name.
        if (both)
          expect(
            texts.filter((text) => text.includes(nameless.pairwiseId)),
            path,
          ).not.toEqual([]);
      }
      await page.goto(`${subject.api.url}/console/users/${nobody.id}`);
      await page.getByRole("heading", { name: nameless.pairwiseId, level: 1 }).waitFor();
      await context.close();
    },
  );

  test.each<View>([
    { theme: "light", width: 1440, language: "en" },
    { theme: "dark", width: 390, language: "de" },
  ])("leave every page faultless: $theme, $width px", { timeout: pagesMs }, async (view) => {
    const watched = await subject.open("/console", view);
    for (const path of [`/users/${ada.id}`, `/jobs/${revocation}`, "/audit", `/audit/${entry}`, "/audit/999999999"]) {
      await watched.page.goto(`${subject.api.url}/console${path}`);
      await watched.page.waitForSelector("main h1");
      if (!path.endsWith("9")) await shown(watched.page, named.displayName).waitFor();
      await expectGoodConsole(watched);
    }
    await watched.context.close();
  });

  test("of devices, their owners and serial numbers are in the check of a revocation", async () => {
    const { page, context } = await subject.open(`/console/jobs/${revocation}`);
    const row = page.getByRole("row").filter({ hasText: named.displayName });
    await row.getByRole("link", { name: "Analytical engine", exact: true }).waitFor();
    expect((await row.textContent())?.replaceAll(/\D/g, "")).toContain(serial.slice(-8));
    await context.close();
  });

  test("tell in a staff timeline whom it concerns, and one side of it is chosen with the keyboard", async () => {
    const { page, context } = await subject.open(`/console/users/${helper.id}`);
    const lines = page.getByRole("table", { name: "Timeline" }).locator("tbody tr");
    await lines.filter({ hasText: "Person locked: Ada Lovelace" }).waitFor();
    await pressAt(page.getByRole("radio", { name: "All", exact: true }), "ArrowRight");
    await expect.poll(() => lines.filter({ hasText: "Ada Lovelace" }).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await lines.filter({ hasText: "Person locked: Ada Lovelace" }).waitFor();
    await context.close();
  });

  test("are gone everywhere once the person is forgotten", async () => {
    const { api, realm } = subject;
    const { realmId } = realm;
    const left = await api.given.user({
      realmId,
      pairwiseId: "pseudonym-of-leo",
      displayName: "Leo Left",
      offboardedAt: fromNow(-90 * 86_400_000),
    });
    const acting = api.as.user(helper);
    await acting.put(`/api/user/${ada.id}/status`, { locked: true });
    await api.database.owner.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, properties)
      values (${realmId}, now(), 'user_offboard', ${helper.id}, jsonb_build_object('userID', ${left.id}::text))
    `);
    const { page, context } = await subject.open("/console/audit");
    await shown(page, "Leo Left").waitFor();
    await api.database.owner.query(sql`update realms set forget_after_months = 1 where id = ${realmId}`);
    await api.database.owner.query(sql`select forget_users(${[left.id]}::bigint[], ${fromNow(0)})`);
    for (const path of ["/audit", `/users/${helper.id}`, `/users/${left.id}`]) {
      await page.goto(`${subject.api.url}/console${path}`);
      await page
        .getByText(path === `/users/${helper.id}` ? "Person offboarded" : `Forgotten, number ${left.id}`)
        .first()
        .waitFor();
      expect(await page.locator("body").textContent()).not.toMatch(/Leo Left|pseudonym-of-leo/);
    }
    await context.close();
  });
});
