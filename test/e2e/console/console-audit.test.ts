import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import * as crls from "../../../db/queries/certificates/crls.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { expectFaultless } from "../../support/browser/browser.ts";
import { useConsole } from "../../support/service/console.ts";
import { chooseOption, expectFocus, pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole } from "../../support/browser/console-views.ts";
import type { GivenUser } from "../../support/given/given.ts";
import { views } from "../../support/browser/views.ts";
import { describeWithTool } from "../../support/run/tools.ts";

describeWithTool("chromium-headless-shell", "the audit log in the console", () => {
  const subject = useConsole();
  let mia: GivenUser;
  let helper: GivenUser;
  let ada: GivenUser;
  let jobId = "";
  const [analytical, difference] = ["123456789012345678901234567890127731", "987654321098765432109876543210987732"];

  beforeAll(async () => {
    const { api, realm } = subject;
    const { realmId } = realm;
    mia = await api.given.user({ realmId, pairwiseId: "mia-4711", email: "mia.keller@example.org" });
    helper = await api.given.user({ realmId, administrator: true, email: "helper@example.org" });
    const acting = api.as.user(helper);
    await acting.put(`/api/user/${mia.id}/limit`, { profileOverride: 9 });
    await acting.put(`/api/user/${mia.id}/status`, { locked: true });
    const service = api.as.service({ realmId });
    const laptop = await api.given.profile(mia, { name: "Laptop" });
    await service.delete(`/api/profiles/${laptop}`, { reason: 4 });
    await service.put("/api/realm", { displayName: "University of Example", maxProfiles: 4 });

    ada = await api.given.user({
      realmId,
      administrator: true,
      pairwiseId: "a7x9",
      email: "lovelace@mail.example",
      displayName: "Ada Lovelace",
    });
    await api.given.profile(ada, { serialNumber: analytical, name: "Analytical Engine" });
    await api.given.profile(ada, { serialNumber: difference, name: "Difference Engine" });
    await api.as.user(ada).put(`/api/user/${mia.id}/limit`, { profileOverride: 8 });
    await service.delete(`/api/profiles/${difference}`, { reason: 4 });
    await service.put(`/api/user/${ada.id}/limit`, { profileOverride: 8 });
    const guests = await service.post("/api/guest-account", {
      name: "Science Fair",
      expirationDate: "2999-12-31T00:00:00Z",
    });
    expect(guests.status, guests.text).toBe(200);
    const { body } = await service.post("/api/jobs/revocation?dryRun=true&name=leavers-of-summer.csv", {
      serials: [analytical],
    });
    jobId = body.data.id;
  });

  const rows = (page: Page) => page.getByRole("table").locator("tbody tr");
  const texts = async (page: Page): Promise<string[]> =>
    (await rows(page).allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
  /**
   * Waits until the opened filters have the focus: otherwise they would take the focus later and close an open list.
   */
  const filtersAreOpen = (page: Page): Promise<void> => expectFocus(page.getByLabel("Time, from"));
  const filter = async (page: Page): Promise<void> => {
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await filtersAreOpen(page);
  };

  test("entries describe who did what to whom, with names", async () => {
    const watched = await subject.open("/console/audit");
    const { page } = watched;
    await page.getByRole("link", { name: "mia.keller@example.org" }).first().waitFor();
    await expect
      .poll(() => texts(page))
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/helper@example\.org with .*Person lockedmia\.keller@example\.org$/),
          expect.stringMatching(/Own profile limit setmia\.keller@example\.org$/),
          expect.stringMatching(/application .*Profile revokedmia\.keller@example\.orgLaptop$/),
          expect.stringMatching(/Realm settings changedThe realm$/),
          expect.stringMatching(/Signed in as an administrator/),
        ]),
      );
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  test("an entry has its own address, which shows the values before and after, also by keyboard", async () => {
    const watched = await subject.open("/console/audit?event=realm_update");
    const { page } = watched;
    const link = rows(page).getByRole("link").first();
    await pressAt(link);
    await page.waitForURL(/open=\d+/);
    const entry = page.getByRole("dialog", { name: "Entry" });
    await entry.getByRole("row", { name: /^Profiles per person\s*5\s*4$/ }).waitFor();
    await page.reload();
    await entry.getByRole("row", { name: /^Display name\s*realm-\S+\s*University of Example$/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/audit\?event=realm_update$/);
    await page.goto(`${subject.api.url}/console/audit?event=realm_update&open=999999`);
    await entry.getByText("There is no such entry").waitFor();
    await watched.context.close();
  });

  test("a job is one line that opens its entries; an entry shows words in place of codes, and links its job, its serial number and its revocation list", async () => {
    const service = subject.api.as.service({ realmId: subject.realm.realmId });
    const leaver = await subject.api.given.user({ realmId: subject.realm.realmId, email: "leaver@example.org" });
    const { issuerId } = subject.realm;
    await crls.request(subject.api.database.owner, { issuerIds: [issuerId], at: systemClock.now() });
    const { body } = await service.post("/api/jobs/offboarding", { users: [{ userID: leaver.id }] });
    const job: string = body.data.id;
    await vi.waitFor(
      async () => {
        expect((await service.get(`/api/jobs/${job}`)).body.data.state).toBe("completed");
        expect((await service.get("/api/audit?filter[event]=crl_publish")).body.total).toBeGreaterThan(0);
      },
      { timeout: 60_000 },
    );
    const { page, context } = await subject.open("/console/audit");
    const line = rows(page).filter({ hasText: "Bulk offboarding finished" });
    await line.waitFor();
    const isStep = expect.stringMatching(/Bulk offboarding started|Person offboarded.*leaver@example\.org/);
    expect(await texts(page)).not.toContainEqual(isStep);
    await pressAt(line.getByRole("link", { name: "All entries of this job" }));
    await page.waitForURL(`**/console/audit?job=${job}`);
    await expect.poll(async () => (await texts(page)).filter((text) => isStep.asymmetricMatch(text)).length).toBe(2);
    expect(await page.getByRole("link", { name: "All entries of this job" }).count()).toBe(0);

    const entryOf = async (event: string): Promise<void> => {
      const { body: found } = await service.get(`/api/audit?filter[event]=${event}&sort[date]=desc`);
      await page.goto(`${subject.api.url}/console/audit/${found.data[0].id}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    const main = page.getByRole("main");
    await entryOf("admin_login");
    await main.getByText(/^(a sign-in link|a password of this service|the identity provider)$/).waitFor();
    await entryOf("job_finish");
    for (const word of ["Offboarding", "Completed"]) await main.getByText(word, { exact: true }).waitFor();
    await pressAt(main.getByRole("link", { name: "Bulk job" }));
    await page.waitForURL(`**/console/jobs/${job}`);
    await entryOf("profile_revoke");
    await pressAt(main.locator('dd a[href*="/profiles?open="]').last());
    await page.getByRole("dialog").getByText("Difference Engine").first().waitFor();
    await entryOf("crl_publish");
    const list = main.getByRole("link", { name: /^Revocation list of certification authority \d+$/ });
    await list.waitFor();
    const answer = await page.request.get(new URL((await list.getAttribute("href")) ?? "", page.url()).href);
    expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "application/pkix-crl"]);
    await context.close();
  });

  test("a user can filter the log by event, by actor, and by application", async () => {
    const { page, context } = await subject.open("/console/audit");
    await filter(page);
    await page.getByRole("combobox", { name: "Event" }).click();
    await page.getByRole("option", { name: "Person locked" }).click();
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining("Person locked")]);
    await page.goto(`${subject.api.url}/console/audit`);
    await filter(page);
    const person = page.getByRole("textbox", { name: "Person who acted" });
    await person.fill("helper@");
    await person.press("Enter");
    await page.getByText("Entries by this person:").waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await person.fill("qqqqqqqq");
    await person.press("Enter");
    await page.getByText("Nobody in this realm matches “qqqqqqqq”.").waitFor();
    await page.goto(`${subject.api.url}/console/audit`);
    await filter(page);
    await page.getByRole("combobox", { name: "Application" }).click();
    await page.getByRole("option", { name: "Administration console" }).click();
    await page.getByText("Nothing matches these filters").waitFor();
    await page.goto(`${subject.api.url}/console/audit?event=user_lock`);
    await expect.poll(() => rows(page).count()).toBe(1);
    const [used = ""] = /application [\da-f-]{36}/.exec((await texts(page)).join()) ?? [];
    await page.goto(`${subject.api.url}/console/audit`);
    await filter(page);
    await page.getByRole("combobox", { name: "Application" }).click();
    await page.getByRole("option", { name: used, exact: true }).click();
    await expect
      .poll(() => texts(page))
      .toEqual([expect.stringContaining("Person locked"), expect.stringContaining("Own profile limit set")]);
    await context.close();
  });

  const octets = (serial: string): string =>
    (BigInt(serial).toString(16).padStart(32, "0").match(/../g) ?? []).join(":").toUpperCase();
  const opened = async (page: Page, search: Record<string, string>): Promise<void> => {
    await page.goto(`${subject.api.url}/console/audit?${new URLSearchParams(search).toString()}`);
  };

  test("the filters by actor, subject and job accept names, e-mail addresses and numbers, and parts of them, as the global search does", async () => {
    const { page, context } = await subject.open("/console/audit");
    const note = page.getByRole("status").filter({ hasText: /^Entries / });
    const expectUnderstood = async (search: Record<string, string>, found: { as: string; what: RegExp }) => {
      await opened(page, search);
      const message = JSON.stringify(search);
      await expect.poll(() => note.textContent(), { message }).toContain(found.as);
      await expect.poll(() => texts(page), { message }).toContainEqual(expect.stringMatching(found.what));
    };
    const adaNumber = `user:${ada.id}`;
    for (const user of ["ada lovelace", "lovelace@mail", "a7x", ada.id, adaNumber, "analytical", octets(difference)])
      await expectUnderstood({ user }, { as: "Ada Lovelace", what: /Own profile limit setmia\.keller/ });
    for (const about of ["love ada", "lovelace@mail", "A7X9", ada.id, adaNumber])
      await expectUnderstood({ about }, { as: "Ada Lovelace", what: /Own profile limit setAda Lovelace/ });
    for (const about of ["difference", "diff eng", difference.slice(-8), octets(difference), `profile:${difference}`])
      await expectUnderstood({ about }, { as: "Difference Engine", what: /Profile revoked/ });
    await expectUnderstood({ about: "science" }, { as: "Science Fair", what: /Guest account/ });
    for (const job of ["leavers", "LEAVERS-of-summer.csv", jobId])
      await expectUnderstood(
        { job },
        { as: job === jobId ? "Bulk job" : "leavers-of-summer.csv", what: /revocation/i },
      );
    await context.close();
  });

  test("a user can choose one of several matches by keyboard, and the address keeps the choice", async () => {
    const { page, context } = await subject.open("/console/audit?about=engine");
    await page.getByText("Several things match “engine”. Choose one:").waitFor();
    expect(await page.getByText("Nothing matches").count()).toBe(0);
    await pressAt(page.getByRole("link", { name: /^Difference Engine \(Ada Lovelace, …/ }));
    await page.waitForURL(/audit\?about=profile%3A\d+$/);
    await page.getByText("Entries about:").waitFor();
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining("Profile revoked")]);

    // Part of an e-mail address matches several people; an exact name needs no choice.
    await opened(page, { user: "example.org" });
    await page.getByRole("link", { name: /^mia\.keller@example\.org/ }).waitFor();
    await pressAt(page.getByRole("link", { name: /^helper@example\.org/ }));
    await page.getByText("Entries by this person:").waitFor();
    await expect.poll(() => rows(page).count()).toBe(2);
    await opened(page, { about: "analytical engine" });
    await page.getByText("Entries about:").waitFor();

    // Control: a text that names nothing of the filter's kind has no match.
    for (const [key, text] of [
      ["user", "Nobody in this realm matches “science”."],
      ["about", "Nothing in this realm matches “qqqqqqqq”."],
      ["job", "No bulk job matches “lovelace”."],
    ] as const) {
      await opened(page, { [key]: /“(.*)”/.exec(text)?.[1] ?? "" });
      await page.getByText(text).waitFor();
    }
    await context.close();
  });

  test("a user downloads the filtered log in both formats, and the log records each download", async () => {
    const { page, context } = await subject.open("/console/audit?event=user_lock,realm_update");
    const download = async (form: RegExp): Promise<string> => {
      await page.getByRole("button", { name: "Download log" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: form }).click(),
      ]);
      return readFile(await file.path(), "utf8");
    };
    const lines = (await download(/^NDJSON/)).trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(["user_lock", "realm_update"]);
    const [head, ...entries] = (await download(/^CSV/)).trim().split("\r\n");
    expect(head).toMatch(/^Entry,Time \(.+\),Event,/);
    expect(entries).toHaveLength(2);
    await page.getByText("The download is now recorded in it.").first().waitFor();
    await page.goto(`${subject.api.url}/console/audit?event=audit_export`);
    await expect
      .poll(() => texts(page))
      .toEqual([1, 2].map(() => expect.stringMatching(/with Administration consoleAudit log downloaded$/)));
    await context.close();
  });

  test("a user filters, reads and downloads the log: keyboard alone", async () => {
    const { page, context } = await subject.open("/console/audit");
    const menu = page.getByRole("button", { name: "Filter", exact: true });
    await pressAt(menu);
    await filtersAreOpen(page);
    await pressAt(page.getByRole("combobox", { name: "Event" }), "ArrowDown");
    await chooseOption(page, "Person locked");
    await expect.poll(() => texts(page)).toEqual([expect.stringContaining("Person locked")]);
    await page.keyboard.press("Escape");
    await expectFocus(menu);

    const download = page.getByRole("button", { name: "Download log" });
    await pressAt(download);
    await page.getByRole("menuitem", { name: /^CSV/ }).waitFor();
    // The menu takes the focus a moment after it appears.
    await expectFocus(page.getByRole("menu").locator("[data-autofocus]"));
    await page.keyboard.press("ArrowDown");
    await expectFocus(page.getByRole("menuitem", { name: /^CSV/ }));
    await page.keyboard.press("ArrowDown");
    const saved = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await saved).suggestedFilename()).toBe("audit.ndjson");
    await expectFocus(download);

    const entry = rows(page).getByRole("link").first();
    await pressAt(entry);
    await page.getByRole("dialog", { name: "Entry" }).getByRole("row").nth(1).waitFor();
    await page.keyboard.press("Escape");
    await expectFocus(entry);
    await tabTo(page.getByRole("button", { name: "Remove filter Event: Person locked" }), "Shift+Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page).count()).toBeGreaterThan(1);
    await context.close();
  });

  test("the page reports a lost connection, and retries", async () => {
    const watched = await subject.open("/console/audit");
    const { page } = watched;
    await page.route(/\/console\/api\/audit\b/, (route) => route.abort("aborted"));
    await page.goto(`${subject.api.url}/console/audit?event=user_lock`);
    await page.getByRole("alert").getByText("The service cannot be reached.").waitFor();
    await expectFaultless(watched);
    await page.unroute(/\/console\/api\/audit\b/);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await watched.context.close();
  });

  test.each(views)(
    "every state is faultless: $theme, $width px, $language",
    async (view) => {
      const watched = await subject.open("/console/audit", view);
      const { page } = watched;
      const states: Record<string, () => Promise<unknown>> = {
        "/console/audit": () => page.getByRole("link", { name: "mia.keller@example.org" }).first().waitFor(),
        "/console/audit?event=user_limit_update": async () => {
          await rows(page).first().getByRole("link").first().click();
          await page.getByRole("dialog").getByRole("row").nth(1).waitFor();
        },
        "/console/audit?about=engine": () => page.getByRole("link", { name: /^Difference Engine/ }).waitFor(),
        "/console/audit?event=crl_publish&minDate=2001-01-01T00:00:00.000Z&maxDate=2001-02-01T00:00:00.000Z": () =>
          page.getByText(view.language === "de" ? "Nichts passt zu diesen Filtern" : "Nothing matches these").waitFor(),
      };
      for (const [path, shown] of Object.entries(states)) {
        await page.goto(`${subject.api.url}${path}`);
        await shown();
        expect(await page.locator("html").getAttribute("lang")).toBe(view.language);
        await expectGoodConsole(watched);
      }
      await watched.context.close();
    },
    90_000,
  );
});
