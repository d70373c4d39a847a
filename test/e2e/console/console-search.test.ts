import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import type { View } from "../../support/browser/browser.ts";
import { expectFocus } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { givenJob } from "../../support/given/bulk-jobs.ts";
import { fromNow } from "../../support/given/given.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

const active = "123456789012345678901234567890127731";
const revoked = "987654321098765432109876543210987732";
const guest = "777776543210987654321098765432106666";
const server = "333336543210987654321098765432107777";
const octets = (serial: string): string =>
  (BigInt(serial).toString(16).padStart(32, "0").match(/../g) ?? []).join(":").toUpperCase();

describeWithTool("chromium-headless-shell", "search in the console's lists", () => {
  const subject = useConsole();
  let adaId = "";

  beforeAll(async () => {
    const { realmId } = subject.realm;
    const { given, database } = subject.api;
    const ada = await given.user({ realmId, pairwiseId: "a7x9@campus.example", email: "lovelace@mail.example" });
    adaId = ada.id;
    await database.owner.query(sql`update users set display_name = 'Ada Lovelace' where id = ${adaId}`);
    await given.profile(ada, { serialNumber: active, name: "Analytical Engine" });
    await given.profile(ada, { serialNumber: revoked, name: "Difference Engine" });
    await database.owner.query(sql`
      insert into revocations (certificate_id, revoked_at, reason)
      select id, ${fromNow(-60_000)}, 4 from certificates where serial_number = ${revoked}
    `);
    const { id: guestAccountId } = await given.guestAccount({ realmId, name: "Science Fair" });
    await given.profile({ realmId }, { guestAccountId, serialNumber: guest, name: "Borrowed Tablet" });
    await given.profile({ realmId }, { kind: "infrastructure", serialNumber: server, name: "radius.lab.example" });
    const jobId = await givenJob(database.owner, {
      realmId,
      kind: "offboarding",
      state: "ready",
      rows: [{ userId: adaId, pairwiseId: "a7x9@campus.example" }],
    });
    await database.owner.query(sql`update jobs set name = 'leavers-2026.csv' where id = ${jobId}`);
  });

  test.each<[list: string, path: string, texts: string[], row: string]>([
    ["people", "/console/users", ["lovelace@mail", "analytical", octets(revoked)], "a7x9@campus.example"],
    ["active profiles", "/console/profiles", ["ada lovelace", "analytical", octets(active)], "Analytical Engine"],
    ["revoked profiles", "/console/profiles", ["ada lovelace", "difference", octets(revoked)], "Difference Engine"],
    ["guest accounts", "/console/guests", ["science", "borrowed", octets(guest)], "Science Fair"],
    ["servers", "/console/infrastructure", ["radius.lab", octets(server)], "radius.lab.example"],
    ["jobs", "/console/jobs", ["leavers-2026.csv", "ada lovelace", octets(active)], "Offboarding"],
  ])(
    "the list of %s finds a row by names, addresses and numbers that belong to the row",
    async (_, path, texts, row) => {
      const { page, context } = await subject.open(path);
      const field = page.getByRole("searchbox");
      for (const text of texts) {
        await field.fill("qqqq");
        await page.getByRole("button", { name: "Search everywhere" }).waitFor();
        await field.fill(text);
        await page.getByRole("table").getByText(row).first().waitFor();
      }
      await context.close();
    },
    pagesMs,
  );

  test("a list without a match shows the matches elsewhere, and searches everywhere with the same text", async () => {
    const { page, context } = await subject.open("/console/guests");
    await page.getByRole("searchbox").fill("lovelace");
    await page.getByText("“lovelace” is not in this list").waitFor();
    await page.getByText("Found elsewhere: 1 person").waitFor();
    expect(await page.getByText("Nothing matches").count()).toBe(0);
    await page.getByRole("button", { name: "Search everywhere" }).click();
    const palette = page.getByRole("combobox", { name: "Search" });
    await expectFocus(palette);
    expect(await palette.inputValue()).toBe("lovelace");
    await page.waitForSelector('[role=option] >> text="Ada Lovelace"');
    await page.keyboard.press("Escape");

    // Control: a text that occurs nowhere has no match.
    await page.getByRole("searchbox").fill("qqqqqqqq");
    await page.getByText("Nothing matches “qqqqqqqq”").waitFor();
    await context.close();
  });

  test.each(["users", "profiles", "guests", "infrastructure"])(
    "in the list of %s, the name of a job's file also finds the job",
    async (list) => {
      const { page, context } = await subject.open(`/console/${list}`);
      await page.getByRole("searchbox").fill("leavers-2026.csv");
      await page.getByText("Found elsewhere: 1 bulk job").waitFor();
      expect(await page.getByText("Nothing matches").count()).toBe(0);
      await context.close();
    },
    pagesMs,
  );

  test("the palette counts the matches of a group, and the group leads to its list with the same search", async () => {
    const { page, context } = await subject.open("/console/applications");
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox", { name: "Search" }));
    await page.keyboard.insertText("engine");
    await page.getByRole("group", { name: "Profiles · 2" }).waitFor();
    await page.getByRole("option", { name: "Show all in Profiles" }).click();
    await page.waitForURL(/\/console\/profiles\?q=engine$/);
    for (const name of ["Analytical Engine", "Difference Engine"]) await page.getByRole("link", { name }).waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("engine");
    await context.close();
  });

  test(
    "the palette leads to every section of the settings, and moves the focus to the section",
    async () => {
      const { page, context } = await subject.open("/console/settings");
      const main = page.getByRole("main");
      for (const last of ["Uploaded logo", "Identity provider", "Apps and files for devices", "Forgetting"])
        await main.getByRole("region", { name: last, exact: true }).waitFor();
      const sections = await main
        .locator("section.mantine-Card-root")
        .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label") ?? ""));
      await page.getByRole("link", { name: "Applications" }).first().click();
      for (const section of sections) {
        await page.keyboard.press("Control+k");
        await expectFocus(page.getByRole("combobox", { name: "Search" }));
        await page.keyboard.insertText(`settings: ${section}`);
        await page.getByRole("option", { name: `Settings: ${section}`, exact: true }).waitFor();
        await page.keyboard.press("Enter");
        await page.waitForURL(/\/console\/settings#\w+$/);
        const shown = main.getByRole("region", { name: section, exact: true });
        await expectFocus(shown);
        expect((await shown.boundingBox())?.y, section).toBeLessThan(page.viewportSize()?.height ?? 0);
      }
      expect(sections.length).toBeGreaterThan(14);
      await context.close();
    },
    pagesMs,
  );

  test("the palette leads by keyboard alone to the question before a revocation; the profile's address alone does not open the question", async () => {
    const { page, context } = await subject.open("/console/applications");
    await page.keyboard.press("Control+k");
    await expectFocus(page.getByRole("combobox", { name: "Search" }));
    await page.keyboard.insertText("analytical");
    const actions = page.getByRole("group", { name: "Actions on Analytical Engine" });
    await actions.waitFor();
    await page.keyboard.press("Tab");
    await expectFocus(actions.getByRole("button", { name: "Revoke" }));
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`open=${active}$`));
    const question = page.getByRole("dialog", { name: /Analytical Engine/ });
    await question.waitFor();
    const service = subject.api.as.service({ realmId: subject.realm.realmId });
    expect((await service.get(`/api/profiles/${active}`)).body.data.revokeTime).toBeNull();
    await page.reload();
    await page.waitForSelector('[role=dialog] >> text="Analytical Engine"');
    expect(await question.count()).toBe(0);
    await context.close();
  });

  test("the palette locks a person and unlocks them", async () => {
    const { page, context } = await subject.open("/console/applications");
    for (const [name, state] of [
      ["Lock", "locked"],
      ["Unlock", "active"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await expectFocus(page.getByRole("combobox", { name: "Search" }));
      await page.keyboard.insertText("lovelace@mail.example");
      await page
        .getByRole("group", { name: /^Actions on / })
        .getByRole("button", { name, exact: true })
        .click();
      await page.waitForURL(new RegExp(`/console/users/${adaId}$`));
      await expect
        .poll(async () => {
          const { body } = await subject.api.as.service({ realmId: subject.realm.realmId }).get(`/api/user/${adaId}`);
          return (body.data as { locked: boolean }).locked ? "locked" : "active";
        })
        .toBe(state);
      await page.goto(`${subject.api.url}/console/applications`);
      await page.waitForSelector("h1");
    }
    await context.close();
  });

  test.each<View>(views)(
    "an empty list and the palette with actions are faultless: $theme, $width px, $language",
    async (view) => {
      const watched = await subject.open("/console/guests?q=lovelace", view);
      const { page } = watched;
      const everywhere = page.getByRole("button", {
        name: view.language === "de" ? "Überall suchen" : "Search everywhere",
      });
      await everywhere.waitFor();
      await expectGoodConsole(watched);
      await everywhere.click();
      await page.waitForSelector("[role=dialog] [role=group] button");
      await expectGoodConsole(watched);
      await watched.context.close();
    },
    pagesMs,
  );
});
