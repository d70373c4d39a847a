import { beforeAll, describe, expect, test } from "vitest";
import english from "../../../console/texts/en.json" with { type: "json" };
import german from "../../../console/texts/de.json" with { type: "json" };
import { sql } from "../../../db/sql.ts";
import { givenActivity } from "../../support/given/activity.ts";
import { expectFaultless, type View, type WatchedPage } from "../../support/browser/browser.ts";
import { expectGoodConsole } from "../../support/browser/console-views.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

const hour = 3_600_000;

describeWithTool("chromium-headless-shell", "the activity of a device, in the console", () => {
  const subject = useConsole();
  const { given } = subject.api;
  const made = givenActivity(() => subject.api.database.owner);
  let ada: GivenUser;
  let phone = "";
  let laptop = "";

  const administrator = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const opened = async (path: string, run: (watched: WatchedPage) => Promise<void>, view?: Partial<View>) => {
    const watched = await subject.open(path, view);
    try {
      await run(watched);
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.context.close();
    }
  };
  const why = { name: /^Why is .* not on the network\?$/ };

  beforeAll(async () => {
    const { realmId } = subject.realm;
    await made.asker(realmId);
    ada = await given.user({ realmId, pairwiseId: "ada-1815", email: "ada@campus.example" });
    laptop = await given.profile(ada, { name: "Laptop", createdAt: fromNow(-100 * hour) });
    phone = await given.profile(ada, { name: "Ada's phone", deviceType: "iOS", createdAt: fromNow(-50 * hour) });
    await made.check(laptop, fromNow(-hour));
    await administrator().delete(`/api/profiles/${phone}`, { reason: 1 });
    await made.check(phone, fromNow(1_000));
  });

  test("typing part of an e-mail address and pressing Enter on the start page leads to the person's activity", () =>
    opened("/console", async ({ page }) => {
      await page.keyboard.press("/");
      await page.keyboard.type("ada@campus");
      await page.keyboard.press("Enter");
      const answer = page.getByRole("region", why);
      await answer.getByText("Why is “Ada's phone” not on the network?").waitFor();
      await answer
        .getByText(/^Revoked by the application “.*” on .*; the device tried on .* and was refused\.$/)
        .waitFor();
      await answer.getByRole("button", { name: "Create a profile", exact: true }).click();
      await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).waitFor();
    }));

  test("the timeline, the profile's details and the audit log name the app that fetched a profile", async () => {
    const { owner } = subject.api.database;
    const { realmId } = subject.realm;
    const grace = await given.user({ realmId, pairwiseId: "grace-1906" });
    const tablet = await given.profile(grace, { name: "Tablet" });
    await made.issuanceOf(tablet);
    await owner.query(sql`
      update issuances set created_by_client_id = 'app.geteduroam.win'
       where id = (select issuance_id from certificates where serial_number = ${tablet})
    `);
    await owner.query(sql`
      insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
      values (${realmId}, ${fromNow(-hour)}, 'profile_create', ${grace.id}, 'app.geteduroam.win',
              ${JSON.stringify({ serial: tablet, user: grace.id })})
    `);
    await opened(`/console/users/${grace.id}`, async ({ page }) => {
      const creation = page.getByRole("table", { name: "Timeline" }).getByRole("row", { name: /“Tablet” created/ });
      await creation.getByText(/geteduroam$/).waitFor();
      await creation.getByRole("link").first().click();
      await page.waitForURL(/\/console\/audit\/\d+$/);
      await page.getByText(/geteduroam$/).waitFor();
      await page.goto(`${subject.api.url}/console/profiles?open=${tablet}`);
      await page.getByRole("dialog").getByText("geteduroam", { exact: true }).waitFor();
    });
  });

  test("a person's page shows when each profile was last checked, which profiles ended, and the events", () =>
    opened(`/console/users/${ada.id}`, async (watched) => {
      const { page } = watched;
      const active = page.getByRole("table", { name: "Active profiles" });
      await active
        .getByRole("row", { name: /Laptop/ })
        .getByRole("time")
        .first()
        .waitFor();
      const ended = page.getByRole("table", { name: "1 revoked or expired profile" });
      await ended.getByRole("row", { name: /Ada's phone.*\(refused\)/ }).waitFor();
      const timeline = page.getByRole("table", { name: "Timeline" });
      await timeline.getByText("A RADIUS server asked about “Ada's phone”: refused").waitFor();
      await timeline.getByText("A RADIUS server asked about “Laptop”: good").waitFor();
      const revocation = timeline.getByRole("row", { name: /Profile “Ada's phone” revoked/ });
      await revocation.getByText("(Device or key in the wrong hands)").waitFor();
      await expectFaultless(watched);

      await revocation.getByRole("link").first().click();
      await page.waitForURL(/\/console\/audit\/\d+$/);
      await page.getByText("profile_revoke", { exact: true }).waitFor();
      await page.getByText(/^Entry \d+ of the audit log/).waitFor();
    }));

  test("a profile's details show who revoked the profile, and the owner's other profiles", () =>
    opened(`/console/profiles?open=${phone}`, async ({ page }) => {
      const details = page.getByRole("dialog");
      await details
        .getByRole("region", why)
        .getByText(/^Revoked by the application “.*” on .* and was refused\.$/)
        .waitFor();
      await details.getByText("Other profiles of this person").waitFor();
      await details.getByRole("link", { name: "Show the entry" }).click();
      await page.waitForURL(/\/console\/audit\/\d+$/);
      await page.getByText("profile_revoke", { exact: true }).waitFor();

      await page.goto(`${subject.api.url}/console/profiles?open=${phone}`);
      await details.getByRole("link", { name: "Laptop" }).click();
      await details.getByText(/^The certificate was good on /).waitFor();
      await details.getByRole("button", { name: "Copy the identity" }).waitFor();
    }));

  test("a user can filter the log by subject, in natural spellings", () =>
    opened("/console/audit", async ({ page }) => {
      const rows = page.getByRole("table", { name: "Audit log" }).getByRole("row");
      for (const [written, found] of [
        ["ada@campus.example", 2],
        [phone, 2],
        [`profile:${phone}`, 2],
        [`user:${ada.id}`, 2],
      ] as const) {
        await page.goto(`${subject.api.url}/console/audit?about=${encodeURIComponent(written)}`);
        await page.getByText("Entries about:").waitFor();
        await expect.poll(() => rows.count(), { message: written }).toBe(found);
      }
      await page.goto(`${subject.api.url}/console/audit?about=nobody@nowhere.example`);
      await page.getByText("Nothing in this realm matches “nobody@nowhere.example”.").waitFor();
    }));

  describe.each(["en", "de"] as const)("%s", (language) => {
    test.each([320, 1440])("at %d px the page is faultless", (width) =>
      opened(
        `/console/users/${ada.id}`,
        async (watched) => {
          const { title } = (language === "de" ? german : english).diagnosis;
          const name = new RegExp(`^${title.split(" ").slice(0, 2).join(" ")} `);
          await watched.page.getByRole("region", { name }).waitFor();
          await expectGoodConsole(watched);
        },
        { language, width },
      ),
    );
  });
});
