import type { Page } from "playwright-core";
import { beforeAll, expect, test, vi } from "vitest";
import { sql } from "../../../db/sql.ts";
import { keptForms, type FormRow, type GivenForForms } from "../../support/browser/console-forms.ts";
import { pressAt } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { fromNow } from "../../support/given/given.ts";
import { givenLocalAccount, testPassword } from "../../support/given/local-account.ts";
import { describeWithTool } from "../../support/run/tools.ts";
import { useConsole } from "../../support/service/console.ts";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool("chromium-headless-shell", "unsaved input in the console", () => {
  const subject = useConsole();
  let objects: GivenForForms;

  beforeAll(async () => {
    const { given, as } = subject.api;
    const { realmId } = subject.realm;
    const leaver = await given.user({ realmId, pairwiseId: "kept-ada" });
    const service = as.service({ realmId });
    const { body } = await service.post("/api/jobs/onboarding?dryRun=true", {
      users: [{ pairwiseID: "kept-alan", email: "kept-alan@example.org" }],
    });
    objects = {
      userID: leaver.id,
      clientId: (await given.application({ realmId })).clientId,
      directoryId: (await given.application({ realmId, scopes: ["scim"] })).clientId,
      guestAccountId: await guestAccount("Summer school"),
      jobId: body.data.id,
    };
  });

  const guestAccount = async (name: string): Promise<string> => {
    const expirationDate = fromNow(7 * 86_400_000).toISOString();
    const { realmId } = subject.realm;
    return (await subject.api.as.service({ realmId }).post("/api/guest-account", { name, expirationDate })).body.data
      .id;
  };

  const endSessions = () => subject.api.database.owner.query(sql`delete from logins`);

  const signIn = async (page: Page, username: string): Promise<void> => {
    await page.fill("#username", username);
    await page.fill("#password", testPassword);
    await Promise.all([page.waitForURL(/\/console/), page.press("#password", "Enter")]);
    await page.waitForSelector("h1");
  };

  const fill = async (page: Page, { typed, secret }: Pick<FormRow, "typed" | "secret">): Promise<void> => {
    for (const [field, input] of typed) {
      if (input === true) await field(page).check();
      else await field(page).fill(input);
    }
    if (secret !== undefined) await secret[0](page).fill(secret[1]);
  };
  const shown = (page: Page, { typed }: Pick<FormRow, "typed">) =>
    Promise.all(typed.map(([field, input]) => (input === true ? field(page).isChecked() : field(page).inputValue())));
  const kept = (page: Page) => page.evaluate<string>("JSON.stringify({ ...sessionStorage })");

  test.each(Object.entries(keptForms))(
    "stays when the session ends and the same user signs in again: %s",
    async (_, row) => {
      const { path, open, typed, secret } = row;
      const { page, context } = await subject.open(`/console${path(objects)}`);
      await open?.(page);
      await fill(page, row);
      await endSessions();
      await page.reload();
      await page.waitForSelector("#username");
      await signIn(page, subject.administrator.username);
      expect(new URL(page.url()).pathname.replace(/\/$/, "")).toBe(`/console${path(objects)}`);
      await open?.(page);
      await expect.poll(() => shown(page, row)).toEqual(typed.map(([, input]) => input));
      if (secret !== undefined) {
        expect(await secret[0](page).inputValue()).toBe("");
        expect(await kept(page)).not.toContain(secret[1]);
      }
      await context.close();
    },
  );

  test.each(Object.entries(keptForms))("stays when the user leaves the page and goes Back: %s", async (_, row) => {
    const { page, context } = await subject.open(`/console${row.path(objects)}`);
    await row.open?.(page);
    await fill(page, row);
    const dialog = page.getByRole("dialog").first();
    if (await dialog.isVisible()) {
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    await page.getByRole("navigation").getByRole("link", { name: "Audit log" }).click();
    const heading = page.getByRole("heading", { level: 1, name: "Audit log" });
    const leave = page.getByRole("button", { name: "Leave anyway" });
    await heading.or(leave).waitFor();
    if (await leave.isVisible()) await leave.click();
    await heading.waitFor();
    await page.goBack();
    await heading.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname.replace(/\/$/, "")).toBe(`/console${row.path(objects)}`);
    await row.open?.(page);
    await expect.poll(() => shown(page, row)).toEqual(row.typed.map(([, input]) => input));
    if (row.secret !== undefined) {
      expect(await row.secret[0](page).inputValue()).toBe("");
      expect(await kept(page)).not.toContain(row.secret[1]);
    }
    await context.close();
  });

  const note = keptForms["pages/users/user-note.tsx"];
  if (note === undefined) throw new Error("the note has no row");

  test("stays when the user goes Back, and disappears after the user sends the form", async () => {
    const watched = await subject.open("/console");
    const { page, context } = watched;
    await page.goto(`${subject.api.url}/console${note.path(objects)}`);
    await note.open?.(page);
    await fill(page, note);
    await page.goBack();
    await page.goForward();
    await note.open?.(page);
    await expect.poll(() => shown(page, note)).toEqual(note.typed.map(([, input]) => input));
    await page.getByRole("status").getByText("Your input from before is here again").waitFor();
    expect(await kept(page)).toContain("Called about the");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => kept(page)).not.toContain("Called about the");
    await context.close();
  });

  test.each(views)(
    "is discarded with one button, by keyboard; the notice is faultless: $theme, $width px, $language",
    async (view) => {
      const watched = await subject.open("/console/infrastructure/radius", view);
      const { page, context } = watched;
      const field = page.locator('[data-path="networks"]');
      await field.fill("192.0.2.0/24");
      await page.reload();
      await expect.poll(() => field.inputValue()).toBe("192.0.2.0/24");
      await expectGoodConsole(watched);
      const name = view.language === "de" ? "Eingabe verwerfen" : "Discard this input";
      await pressAt(page.getByRole("button", { name }));
      expect(await field.inputValue()).toBe("");
      await page.reload();
      await field.waitFor();
      expect(await field.inputValue()).toBe("");
      await context.close();
    },
  );

  test("is hidden from another user of the same browser, and gone after signing out", async () => {
    const other = await givenLocalAccount(subject.api, {
      username: "joan.clarke",
      realmId: subject.realm.realmId,
      administrator: true,
    });
    const { page, context } = await subject.open("/console/infrastructure/radius");
    const field = page.locator('[data-path="networks"]');
    await field.fill("198.51.100.0/24");
    await endSessions();
    await page.reload();
    await page.waitForSelector("#username");
    await signIn(page, other.username);
    await field.waitFor();
    expect(await field.inputValue()).toBe("");
    expect(await kept(page)).not.toContain("198.51.100.0/24");

    await field.fill("203.0.113.0/24");
    expect(await kept(page)).toContain("203.0.113.0/24");
    await page.getByRole("button", { name: /Account/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL((url) => !url.pathname.startsWith("/console"));
    expect(await kept(page)).not.toContain("203.0.113.0/24");
    await context.close();
  });
});
