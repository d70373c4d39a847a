import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { sql } from "../../../db/sql.ts";
import { expectGoodConsole, pagesMs, settled } from "../../support/browser/console-views.ts";
import { expectFocus, pressAt } from "../../support/browser/console-keyboard.ts";
import type { View } from "../../support/browser/browser.ts";
import { fromNow, type GivenUser } from "../../support/given/given.ts";
import { givenJob } from "../../support/given/bulk-jobs.ts";
import { givenLocalAccount, type LocalAccount } from "../../support/given/local-account.ts";
import { useConsole } from "../../support/service/console.ts";
import { describeWithTool } from "../../support/run/tools.ts";

describeWithTool("chromium-headless-shell", "names in the console", () => {
  const subject = useConsole();
  const named = { pairwiseId: "pseudonym-of-ada", email: "ada@campus.example", displayName: "Ada Lovelace" };
  const nameless: { pairwiseId: string; email?: string } = { pairwiseId: "pseudonym-of-nobody" };
  /** A person who is not in the realm yet. */
  const newcomer = { pairwiseId: "pseudonym-of-new", email: "new@campus.example" };
  let ada: GivenUser;
  let nobody: GivenUser;
  let helper: LocalAccount;
  let serial = "";
  let revocation = "";
  let offboarding = "";
  let entry = "";
  let onboarding = "";
  let reactivation = "";
  let guestId = "";
  let server = "";
  let clientId = "";
  /** The names of everyone here who has a name, by pseudonym. */
  const names: Readonly<Record<string, string>> = {
    "pseudonym-of-ada": "Ada Lovelace",
    "pseudonym-of-hedy": "Hedy Lamarr",
    "pseudonym-of-emmy": "Emmy Noether",
    "pseudonym-of-mary": "Mary Somerville",
    "pseudonym-of-new": "new@campus.example",
  };

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
    const acting = api.as.user(
      await api.given.user({
        realmId,
        administrator: true,
        pairwiseId: "pseudonym-of-emmy",
        displayName: "Emmy Noether",
      }),
    );
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
    revocation = await check("revocation?dryRun=true", { serials: [serial] });
    offboarding = await check("offboarding?dryRun=true", { users: [{ userID: ada.id }, { userID: nobody.id }] });
    const left = await api.given.user({
      realmId,
      pairwiseId: "pseudonym-of-mary",
      displayName: "Mary Somerville",
      offboardedAt: fromNow(-86_400_000),
    });
    reactivation = await check("reactivation?dryRun=true", { users: [{ userID: left.id }] });
    const [known, unknown, addressed] = [named, nameless, newcomer].map(({ pairwiseId, email }) => ({
      pairwiseID: pairwiseId,
      ...(email !== undefined && { email }),
      maxProfiles: 9,
    }));
    onboarding = await check("onboarding?dryRun=true", { users: [known, unknown, addressed] });
    guestId = (await acting.post("/api/guest-account", { name: "Science Fair", expirationDate: fromNow(86_400_000) }))
      .body.data.id;
    await api.given.profile({ realmId }, { guestAccountId: guestId, name: "Science Fair" });
    server = await api.given.profile({ realmId }, { kind: "infrastructure", name: "radius.campus.example" });
    ({ clientId } = await api.given.application({ realmId, name: "Timetable" }));
    entry = (await acting.get(`/api/audit?filter[about]=user:${ada.id}&filter[event]=user_lock`)).body.data[0].id;
  });

  /**
   * Returns the main texts of a page: its title, headings, links, options, and the first cell with text of each row.
   */
  const mainTexts = (page: Page): Promise<string[]> =>
    page.evaluate<string[]>(`[
      document.title,
      ...[...document.querySelectorAll("h1, h2, h3, main a, [role=dialog] a, [role=option]"),
          ...[...document.querySelectorAll("tbody tr")].map((row) =>
            [...row.cells].find(({ textContent }) => textContent.trim() !== ""))]
        .map((element) => element?.textContent ?? ""),
    ]`);
  /** Returns the pseudonyms on a page that have no name before them in their row, card, option, section or dialog. */
  const bare = (page: Page): Promise<string[]> =>
    page.evaluate<string[]>(`(() => {
      const names = ${JSON.stringify(names)};
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode() !== null) {
        const { data, parentElement } = texts.currentNode;
        for (const [pseudonym, name] of Object.entries(names)) {
          const around = parentElement.closest("tr, li, [role=option], section, [role=dialog], main, body");
          const text = around?.textContent ?? "";
          if (data.includes(pseudonym) && !text.slice(0, text.indexOf(pseudonym)).includes(name))
            found.push(around?.textContent.slice(0, 200));
        }
      }
      return found;
    })()`);
  const shown = (page: Page, text: string) => page.getByText(text, { exact: true }).filter({ visible: true }).first();

  /** A page with people: the people whom it names, and whether the person without a name also appears. */
  interface Place {
    path: string;
    named?: string;
    nameless?: true;
  }
  const both = { named: named.displayName, nameless: true } as const;
  /** Returns addresses for each route of the console. */
  const places = (): Readonly<Record<string, readonly Place[]>> => ({
    "/": [{ path: "/", ...both }],
    "/users": [{ path: "/users", ...both }],
    "/users/$userID": [
      { path: `/users/${ada.id}`, named: named.displayName },
      { path: `/users/${helper.id}`, named: "Hedy Lamarr" },
    ],
    "/profiles": [
      { path: "/profiles", ...both },
      { path: `/profiles?open=${serial}`, ...both },
    ],
    "/guests": [{ path: "/guests", named: "Science Fair" }],
    "/guests/$guestAccountId": [{ path: `/guests/${guestId}`, named: "Science Fair" }],
    "/infrastructure": [
      { path: "/infrastructure", named: "radius.campus.example" },
      { path: `/infrastructure?open=${server}`, named: "radius.campus.example" },
    ],
    "/infrastructure/radius": [{ path: "/infrastructure/radius" }],
    "/jobs": [{ path: "/jobs", named: "Emmy Noether" }],
    "/jobs/new/$kind": ["onboarding", "offboarding", "reactivation"].map((kind) => ({ path: `/jobs/new/${kind}` })),
    "/jobs/new/revocation": [{ path: "/jobs/new/revocation" }],
    "/jobs/$id": [
      { path: `/jobs/${revocation}`, named: named.displayName },
      { path: `/jobs/${offboarding}`, ...both },
      { path: `/jobs/${reactivation}`, named: "Mary Somerville" },
      { path: `/jobs/${onboarding}`, ...both },
    ],
    "/audit": [
      { path: "/audit", ...both },
      { path: `/audit?open=${entry}`, ...both },
      { path: `/audit?about=user:${ada.id}`, named: named.displayName },
      { path: "/audit?about=campus.example" },
    ],
    "/audit/$id": [{ path: `/audit/${entry}`, named: named.displayName }],
    "/applications": [{ path: "/applications", named: "Timetable" }],
    "/applications/new": [{ path: "/applications/new" }],
    "/applications/$clientId": [{ path: `/applications/${clientId}`, named: "Timetable" }],
    "/settings": [{ path: "/settings" }],
    "/settings/directory": [{ path: "/settings/directory" }],
    "/settings/sign-in": [{ path: "/settings/sign-in" }],
  });

  test("control: the tested addresses cover every route of the console", async () => {
    const router = await readFile("console/router.tsx", "utf8");
    const routes = [...router.matchAll(/\bpage\(\s*"([^"]+)"/g)].map(([, path]) => path);
    expect(routes).toContain("/users/$userID");
    expect(Object.keys(places()).sort()).toEqual(routes.sort());
  });

  test(
    "are the main text on every page and in the search; people without a name appear with their pseudonym",
    { timeout: 2 * pagesMs },
    async () => {
      const { page, context } = await subject.open("/console");
      const expectNames = async (where: string): Promise<void> => {
        await settled(page);
        const before = (text: string, pseudonym: string): string => text.slice(0, text.indexOf(pseudonym));
        const pseudonyms = (await mainTexts(page)).filter((text) =>
          Object.entries(names).some(([id, name]) => text.includes(id) && !before(text, id).includes(name)),
        );
        expect(pseudonyms, where).toEqual([]);
        expect(await bare(page), where).toEqual([]);
      };
      for (const place of Object.values(places()).flat()) {
        await page.goto(`${subject.api.url}/console${place.path}`);
        await page.locator("h1").first().waitFor();
        await page.waitForLoadState("networkidle");
        if (place.named !== undefined) await shown(page, place.named).waitFor();
        await expectNames(place.path);
        // Control: the same check finds the pseudonym of a person without a name.
        if (place.nameless)
          expect(
            (await mainTexts(page)).filter((text) => text.includes(nameless.pairwiseId)),
            place.path,
          ).not.toEqual([]);
      }

      for (const [text, name] of [
        ["lovelace", named.displayName],
        ["analytical", "Analytical engine"],
        [named.pairwiseId, named.displayName],
      ] as const) {
        // Opens a new page, so no earlier search is still open.
        await page.goto(`${subject.api.url}/console/applications`);
        await shown(page, "Timetable").waitFor();
        await page.keyboard.press("Control+k");
        await expectFocus(page.getByRole("combobox", { name: "Search" }));
        await page.keyboard.insertText(text);
        await page.getByRole("option").filter({ hasText: name }).first().waitFor();
        await expectNames(`the search for ${text}`);
      }

      await page.goto(`${subject.api.url}/console/jobs/${onboarding}`);
      await page.getByRole("row").filter({ hasText: newcomer.email }).waitFor();
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

  test("of devices are in the check of a revocation, with owners and serial numbers", async () => {
    const { page, context } = await subject.open(`/console/jobs/${revocation}`);
    const row = page.getByRole("row").filter({ hasText: named.displayName });
    await row.getByRole("link", { name: "Analytical engine", exact: true }).waitFor();
    expect((await row.textContent())?.replaceAll(/\D/g, "")).toContain(serial.slice(-8));
    await context.close();
  });

  test.each([{ width: 1440 }, { width: 390 }])(
    "identify people and devices in the failed rows of a running job, at $width px",
    async ({ width }) => {
      const { owner } = subject.api.database;
      const { realmId } = subject.realm;
      const invalid = "the profile limit is reached";
      const ids = await Promise.all([
        givenJob(owner, { realmId, kind: "offboarding", state: "running", rows: [{ userId: ada.id, invalid }] }),
        givenJob(owner, {
          realmId,
          kind: "revocation",
          state: "running",
          rows: [{ userId: ada.id, serialNumber: serial, invalid }],
        }),
      ]);
      await owner.query(sql`update job_rows set input = array[${named.pairwiseId}] where job_id = any(${ids})`);
      await owner.query(sql`update jobs set failed = 1, started_at = now() where id = any(${ids})`);
      const { page, context } = await subject.open("/console/jobs", { width });
      for (const id of ids) {
        await page.goto(`${subject.api.url}/console/jobs/${id}`);
        const failures = page.getByRole("table", { name: "Latest failures" });
        await failures.getByRole("link", { name: named.displayName, exact: true }).waitFor();
        if (id === ids[1]) await failures.getByRole("link", { name: "Analytical engine", exact: true }).waitFor();
        expect(await bare(page)).toEqual([]);
      }
      await context.close();
    },
  );

  test("of guests' devices lead to their details, with the serial number beside them", async () => {
    const { page, context } = await subject.open(`/console/guests/${guestId}`);
    const row = page.getByRole("table", { name: "Profiles" }).getByRole("row").filter({ hasText: "Science Fair" });
    await row.getByRole("button", { name: /^Revoke “Science Fair”, …[0-9a-f]{8}$/i }).waitFor();
    await row.getByRole("link", { name: "Science Fair", exact: true }).click();
    await page.getByRole("dialog").getByText("Science Fair", { exact: true }).first().waitFor();
    await context.close();
  });

  test("of guest accounts and servers are in the audit log, in its filter and on an entry's page", async () => {
    const { api, realm } = subject;
    const { realmId } = realm;
    const { id: account } = await api.given.guestAccount({ realmId, name: "Science Fair" });
    const server = await api.given.profile({ realmId }, { kind: "infrastructure", name: "radius.lab.example" });
    const record = async (event: string, properties: object): Promise<string> => {
      const [entry] = await api.database.owner.query<{ id: string }>(sql`
        insert into audit_entries (realm_id, at, event, user_id, properties)
        values (${realmId}, now(), ${event}, ${helper.id}, ${JSON.stringify(properties)}::jsonb)
        returning id
      `);
      return entry?.id ?? "";
    };
    const ofGuests = await record("guest_token_read", { guestAccountID: account });
    const ofServer = await record("infrastructure_profile_create", { serial: server });
    const { page, context } = await subject.open("/console/audit");
    const main = page.getByRole("main");
    for (const [path, name, target] of [
      ["/audit", "Science Fair", `/guests/${account}`],
      [`/audit?about=guest:${account}`, "Science Fair", `/guests/${account}`],
      [`/audit/${ofGuests}`, "Science Fair", `/guests/${account}`],
      ["/audit", "radius.lab.example", `/infrastructure?q=${server}`],
      [`/audit/${ofServer}`, "radius.lab.example", `/infrastructure?q=${server}`],
    ] as const) {
      await page.goto(`${api.url}/console${path}`);
      const link = main.getByRole("link", { name, exact: true }).first();
      await link.waitFor();
      expect(await link.getAttribute("href"), path).toBe(`/console${target}`);
      expect(await main.getByText(/^(?:Guest account \d+|Server certificate)$/).count(), path).toBe(0);
    }
    await context.close();
  });

  test("share a baseline with the words beside them", async () => {
    const { page, context } = await subject.open("/console/audit");
    await page.locator("main a.bounded + span").first().waitFor();
    const offsets = await page.evaluate<number[]>(`[...document.querySelectorAll("main a.bounded")]
      .filter(({ nextElementSibling }) => nextElementSibling?.matches("span:not(.bounded)"))
      .map((link) => [link, link.nextElementSibling].map((element) => {
        const range = document.createRange();
        range.selectNodeContents(element.firstChild);
        return range.getClientRects()[0].bottom;
      }))
      .map(([link, words]) => Math.abs(link - words))`);
    expect(offsets.length).toBeGreaterThan(0);
    expect(Math.max(...offsets)).toBeLessThan(1);
    await context.close();
  });

  test("in a staff member's timeline show whom an action affected; a user can choose actions by or on that person by keyboard", async () => {
    const { page, context } = await subject.open(`/console/users/${helper.id}`);
    const lines = page.getByRole("table", { name: "Timeline" }).locator("tbody tr");
    await lines.filter({ hasText: "Person locked: Ada Lovelace" }).waitFor();
    await pressAt(page.getByRole("radio", { name: "All", exact: true }), "ArrowRight");
    await expect.poll(() => lines.filter({ hasText: "Ada Lovelace" }).count()).toBe(0);
    await page.keyboard.press("ArrowRight");
    await lines.filter({ hasText: "Person locked: Ada Lovelace" }).waitFor();
    await context.close();
  });

  test("disappear from the audit log and from people's pages once the person is forgotten", async () => {
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
