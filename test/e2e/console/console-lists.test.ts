import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import english from "../../../console/texts/en.json" with { type: "json" };
import german from "../../../console/texts/de.json" with { type: "json" };
import { expectFaultless, type View, type WatchedPage } from "../../support/browser/browser.ts";
import { expectFocus, pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { givenActivity } from "../../support/given/activity.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { givenLocalAccount } from "../../support/given/local-account.ts";
import { views } from "../../support/browser/views.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

/** Lists as tables and, on phones, as cards: the tests check their content and their requests. */

const hour = 3_600_000;
const widths = [320, 1440] as const;

describeWithTool("chromium-headless-shell", "lists of the console", () => {
  const subject = useConsole();
  const { given } = subject.api;
  const made = givenActivity(() => subject.api.database.owner);
  let people: GivenUser[] = [];
  let revoked = "";
  let guestAccountId = "";
  let guestSerial = "";
  let serverSerial = "";

  const service = () => subject.api.as.service({ realmId: subject.realm.realmId });
  const opened = async (
    path: string,
    run: (watched: WatchedPage) => Promise<void>,
    view: Partial<View> = {},
    account?: { username: string },
  ) => {
    const watched = await subject.open(path, view, account);
    try {
      await run(watched);
      expect(watched.complaints).toEqual([]);
    } finally {
      await watched.context.close();
    }
  };
  const table = (page: Page, name: string) => page.getByRole("table", { name, exact: true });
  const addressOf = (name: string): string => `${name}@lists.example`;
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });

  beforeAll(async () => {
    const { realmId } = subject.realm;
    people = await Promise.all(
      ["ada", "ben", "cleo"].map((name, index) =>
        given.user({
          realmId,
          pairwiseId: `list-${name}`,
          email: addressOf(name),
          createdAt: fromNow(-index * hour),
        }),
      ),
    );
    for (const [index, owner] of people.entries()) {
      const serial = await given.profile(owner, { name: `Phone ${index}`, createdAt: fromNow(-(index + 1) * hour) });
      if (index === 0) await made.check(serial, fromNow(-hour / 2));
      await service().put(`/api/user/${owner.id}/limit`, { profileOverride: 7 });
    }
    revoked = await given.profile(people[1]!, { name: "Lost phone", createdAt: fromNow(-5 * hour) });
    await service().delete(`/api/profiles/${revoked}`, { reason: 1 });
    await made.check(revoked, fromNow(1_000));

    ({ id: guestAccountId } = await given.guestAccount({ realmId }));
    guestSerial = await given.profile({ realmId }, { guestAccountId, name: "guest", deviceType: "iPadOS" });
    await made.check(guestSerial, fromNow(-hour));
    serverSerial = await given.profile({ realmId }, { kind: "infrastructure", name: "radius-1.campus.example" });
    await service().delete(`/api/infrastructure-profile/${serverSerial}`);
  });

  describe.each(widths)("at %d px", (width) => {
    test("a user finds, sorts, selects and locks people: keyboard alone", () =>
      opened(
        "/console/users?q=list-",
        async (watched) => {
          const { page } = watched;
          const names = table(page, english.users.table).getByRole("link");
          await expect.poll(() => names.allTextContents()).toEqual(["ada", "ben", "cleo"].map(addressOf));
          if (width === 320) {
            const sort = page.getByRole("combobox", { name: english.list.sort });
            await tabTo(sort);
            const wanted = await sort.locator("option[value=-pairwiseid]").innerText();
            await page.keyboard.type(wanted);
          } else {
            const heading = button(page, /^Pseudonymous ID/);
            await pressAt(heading);
            await page.waitForURL(/sort=pairwiseid/);
            await page.keyboard.press("Enter");
          }
          await page.waitForURL(/sort=-pairwiseid/);
          await expect.poll(() => names.allTextContents()).toEqual(["cleo", "ben", "ada"].map(addressOf));

          await page.reload();
          await expect.poll(() => names.allTextContents()).toEqual(["cleo", "ben", "ada"].map(addressOf));
          await pressAt(page.getByRole("checkbox", { name: "Select ben@lists.example (list-ben)" }), "Space");
          await page.getByText("1 selected").waitFor();
          await expectFaultless(watched);
          await tabTo(button(page, "Lock"), "Shift+Tab");
          await page.keyboard.press("Enter");
          await page.getByText(/^ben@lists\.example is locked/).waitFor();
          const row = page.getByRole("row", { name: /list-ben/ });
          await row.getByText("Locked", { exact: true }).waitFor();
          await pressAt(button(page, "Undo").first());
          await row.getByText("Active", { exact: true }).waitFor();

          await pressAt(page.getByRole("checkbox", { name: english.list.selectAll }), "Space");
          await page.getByText("3 selected").waitFor();
          await pressAt(page.getByRole("checkbox", { name: "Select ada@lists.example (list-ada)" }), "Space");
          await page.getByText("2 selected").waitFor();
        },
        { width },
      ));

    test("a long ID without a break does not widen the page", async () => {
      const pairwiseId = `${String(width).repeat(16)}@campus.example`;
      const { id } = await given.user({ realmId: subject.realm.realmId, pairwiseId });
      await opened(
        `/console/users?q=${pairwiseId}`,
        async (watched) => {
          await table(watched.page, english.users.table).getByRole("link", { name: pairwiseId }).first().waitFor();
          await expectFaultless(watched);
          await watched.page.goto(`${subject.api.url}/console/users/${id}`);
          await watched.page.getByRole("heading", { name: pairwiseId, level: 1 }).waitFor();
          await expectFaultless(watched);
        },
        { width },
      );
    });

    test("the list's response contains the owners: the console does not request them separately", () =>
      opened(
        "/console/infrastructure",
        async ({ page }) => {
          const asked: string[] = [];
          page.on("request", (request) => {
            const { pathname, search } = new URL(request.url());
            const isOfOne = people.some(({ id }) => pathname.endsWith(`/api/user/${id}`)) || search.includes("userIDs");
            if (isOfOne) asked.push(pathname);
          });
          for (const [path, name] of [
            ["/console/profiles", "ada@lists.example"],
            ["/console/profiles?state=revoked", "ben@lists.example"],
            ["/console/audit?event=user_limit_update", "cleo@lists.example"],
          ] as const) {
            await page.goto(`${subject.api.url}${path}`);
            await page.getByRole("table").getByRole("link", { name }).first().waitFor();
            await page.waitForLoadState("networkidle");
          }
          expect(asked).toEqual([]);
          // Control: the same check finds the request of a person's page.
          await page.goto(`${subject.api.url}/console/users/${people[0]!.id}`);
          await expect.poll(() => asked.length).toBeGreaterThan(0);
        },
        { width },
      ));

    test("a filter lists revoked profiles with the last check of each; the user cannot select them", () =>
      opened(
        "/console/profiles",
        async (watched) => {
          const { page } = watched;
          const row = (name: RegExp) => page.getByRole("row", { name });
          await row(/Phone 0/).waitFor();
          expect(await row(/Phone 1/).innerText()).toContain(english.activity.never);
          expect(await row(/Phone 0/).innerText()).not.toContain(english.activity.never);
          await page.getByRole("checkbox", { name: english.list.selectAll }).waitFor();

          await page.goto(`${subject.api.url}/console/profiles?state=revoked`);
          await table(page, english.profiles.tableRevoked).waitFor();
          await row(/Lost phone.*\(refused\)/).waitFor();
          expect(await row(/Phone 1/).count()).toBe(0);
          expect(await page.getByRole("checkbox").count()).toBe(0);
          await button(page, "Remove filter Status: Revoked").waitFor();
          await expectFaultless(watched);
        },
        { width },
      ));

    test("a guest's profile opens from the guest's page and shows its last check and who revoked it", () =>
      opened(
        `/console/guests/${guestAccountId}`,
        async (watched) => {
          const { page } = watched;
          const serial = await given.profile(
            { realmId: subject.realm.realmId },
            { guestAccountId, name: "guest", deviceType: "Android" },
          );
          await service().delete(`/api/guest-profile/${serial}`);
          await page.reload();
          const link = table(page, english.nav.profiles)
            .getByRole("row")
            .filter({ hasText: serial.slice(-8) })
            .getByRole("link");
          await pressAt(link);
          const details = page.getByRole("dialog", { name: english.profiles.details.title });
          await details.getByText("Revoked", { exact: true }).first().waitFor();
          await details.getByText(/^Revoked by the application “.*No attempt seen since\.$/).waitFor();
          await details.getByRole("link", { name: english.activity.entry }).waitFor();
          await details.getByText("The guest opens the link of the guest account", { exact: false }).first().waitFor();
          await expectFaultless(watched);
          await page.keyboard.press("Escape");
          await expectFocus(link);
        },
        { width },
      ));
  });

  test("a user turns the pages of cards, which show their position", () =>
    opened(
      "/console/audit?event=user_limit_update&page=2",
      async ({ page }) => {
        await page.getByText(english.list.pastTheEnd).waitFor();
        await button(page, english.list.previous).click();
        await expect.poll(() => table(page, english.audit.table).getByRole("row").count()).toBe(3);
        await page.getByText("1–3 of 3").waitFor();
        expect(await button(page, english.list.next).isDisabled()).toBe(true);
        expect(new URL(page.url()).searchParams.has("page")).toBe(false);
      },
      { width: 320 },
    ));

  test("a checkbox is large enough for a finger: 44 px high and wide", () =>
    opened(
      "/console/profiles",
      async ({ page }) => {
        await page.getByRole("checkbox", { name: /^Select Phone 0/ }).waitFor();
        const sizes = await page.evaluate<[number, number][]>(
          `[...document.querySelectorAll("main input[type=checkbox]")].map((box) => {
            const { width, height } = box.closest("label").getBoundingClientRect();
            return [width, height];
          })`,
        );
        expect(sizes.length).toBeGreaterThan(3);
        for (const [width, height] of sizes) {
          expect(width).toBeGreaterThanOrEqual(44);
          expect(height).toBeGreaterThanOrEqual(44);
        }
      },
      { width: 390 },
    ));

  test("a guest or server that a search finds opens with its activity", () =>
    opened("/console", async ({ page }) => {
      const find = async (text: string): Promise<void> => {
        await page.keyboard.press("/");
        await expectFocus(page.getByRole("combobox", { name: "Search" }));
        await page.keyboard.type(text);
        await page.keyboard.press("Enter");
      };
      await find(guestSerial);
      await page.waitForURL(new RegExp(`/console/guests/${guestAccountId}\\?open=${guestSerial}$`));
      const guest = page.getByRole("dialog", { name: english.profiles.details.title });
      await guest.getByText(/^The certificate was good on /).waitFor();
      await guest.getByRole("button", { name: /^Revoke “.*”, …/ }).waitFor();
      await page.keyboard.press("Escape");
      await guest.waitFor({ state: "detached" });

      await find(serverSerial);
      await page.waitForURL(new RegExp(`/console/infrastructure\\?open=${serverSerial}$`));
      const server = page.getByRole("dialog", { name: english.infrastructure.one });
      await server.getByText(english.activity.never).waitFor();
      await server.getByRole("link", { name: english.activity.entry }).click();
      await page.waitForURL(/\/console\/audit\/\d+$/);
      await page.getByText("infrastructure_profile_revoke", { exact: true }).waitFor();

      // A link with only the serial number.
      await page.goto(`${subject.api.url}/console/profiles?open=${guestSerial}`);
      await guest.getByText(/^The certificate was good on /).waitFor();
    }));

  test("the page of a guest's profile sends no request that the service refuses to a role without access to people", async () => {
    const { realmId } = subject.realm;
    await givenLocalAccount(subject.api, { username: "keeper", realmId, roles: ["guest_manager"] });
    const refused: string[] = [];
    await opened(
      `/console/guests/${guestAccountId}?open=${guestSerial}`,
      async ({ page }) => {
        page.on("response", (response) => {
          if (response.status() === 403) refused.push(response.url());
        });
        await page.reload();
        await page
          .getByRole("dialog")
          .getByText(/^The certificate was good on /)
          .waitFor();
        await page.waitForLoadState("networkidle");
        expect(refused).toEqual([]);
        // Control: the same check finds a refused request for people.
        await page.evaluate(`fetch("/console/api/user", { headers: { "x-realmpass-console": "1" } })`);
        await expect.poll(() => refused.length).toBe(1);
      },
      {},
      { username: "keeper" },
    );
  });

  test.each(views)(
    "every list is faultless: $theme, $width px, $language",
    async (view) => {
      const texts = view.language === "de" ? german : english;
      const watched = await subject.open("/console/profiles", view);
      const { page } = watched;
      for (const path of [
        "/profiles",
        "/profiles?state=revoked",
        `/users/${people[0]?.id ?? ""}`,
        `/guests/${guestAccountId}`,
        `/guests/${guestAccountId}?open=${guestSerial}`,
        `/infrastructure?open=${serverSerial}`,
      ]) {
        await page.goto(`${subject.api.url}/console${path}`);
        await (path.includes("open=") ? page.getByRole("dialog").locator("dd") : page.getByRole("row"))
          .first()
          .waitFor();
        await page.waitForLoadState("networkidle");
        await expectGoodConsole(watched);
      }
      await page.goto(`${subject.api.url}/console/profiles`);
      await page.getByRole("checkbox", { name: texts.list.selectAll }).check();
      await expectGoodConsole(watched);
      await watched.context.close();
    },
    pagesMs,
  );
});
