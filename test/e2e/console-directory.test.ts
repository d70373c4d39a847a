import { expect, test, vi } from "vitest";
import { sql } from "../../db/sql.ts";
import { expectFaultless } from "../support/browser/browser.ts";
import { pagesMs } from "../support/browser/console-views.ts";
import { givenDirectory } from "../support/given/directory.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { useConsole } from "../support/service/console.ts";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool("chromium-headless-shell", "a directory, in the console", () => {
  const subject = useConsole();

  test("the console shows a static token once; the token gives access to SCIM, and is refused after its deletion", async () => {
    const { realmId } = subject.realm;
    const { clientId } = await subject.api.given.application({ realmId, name: "Okta", scopes: ["scim"] });
    const watched = await subject.open(`/console/applications/${clientId}`);
    const { page } = watched;
    await page.getByRole("button", { name: "Make a token", exact: true }).click();
    await page.getByRole("dialog").locator('[data-path="name"]').fill("main");
    await page.getByRole("dialog").getByRole("button", { name: "Make a token", exact: true }).click();
    const token = await page.getByLabel("Token", { exact: true }).innerText();
    expect(token).toMatch(/^rpk_/);
    const scim = subject.api.as.token(token);
    expect(await scim.get("/scim/v2/Users")).toMatchObject({ status: 200 });
    await expectFaultless(watched);
    await page.getByRole("checkbox", { name: "I have stored it" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    expect(await page.content()).not.toContain(token);
    await page.reload();
    await page.getByRole("button", { name: "Delete “main”", exact: true }).waitFor();
    expect(await page.content()).not.toContain(token);
    await page.getByRole("button", { name: "Delete “main”", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete “main”", exact: true }).click();
    await page.getByText("There is no static token.").waitFor();
    expect(await scim.get("/scim/v2/Users")).toMatchObject({ status: 401 });
    await watched.context.close();
  });

  test("the directory's page shows the SCIM address, and disables the choice of the attribute once the directory has people", async () => {
    const watched = await subject.open("/console/settings/directory");
    const { page } = watched;
    await page.getByText(`${subject.api.url}/scim/v2`).waitFor();
    await expectFaultless(watched);
    const attribute = page.getByRole("combobox", { name: "Attribute of the directory" });
    expect(await attribute.isDisabled()).toBe(false);
    const { realmId } = subject.realm;
    const directory = await givenDirectory(subject.api, { realmId });
    const id = await directory.person({ displayName: "Ada Lovelace" });
    await page.reload();
    await page.getByText("Known to the directory", { exact: true }).waitFor();
    expect(await attribute.isDisabled()).toBe(true);
    await page.goto(`${subject.api.url}/console/users/${id}`);
    await page.getByText("Managed by").waitFor();
    await watched.context.close();
  });

  test("the dashboard shows a held job, and a user confirms it by typing the number of people", async () => {
    const { realmId } = subject.realm;
    const { owner } = subject.api.database;
    const user = await subject.api.given.user({ realmId });
    await subject.api.given.profile(user);
    const active = () => owner.query(sql`select from certificates where user_id = ${user.id} and revoked_at is null`);
    const [job] = await owner.query<{ id: string }>(sql`
      insert into jobs (id, realm_id, kind, state, dry_run, columns, created_at, started_at, marked_at, expected_change,
                        origin, progress_at, total, error_code)
      values (gen_random_uuid(), ${realmId}, 'offboarding', 'grace', false, '{userID}', now(), now(), now(), 1, 'scim',
              now(), 1, 'confirmation_required')
      returning id
    `);
    await owner.query(sql`
      insert into job_rows (job_id, position, input, user_id, status) values (${job!.id}, 1, ${[user.id]}::text[], ${user.id}, 'working')
    `);
    await owner.query(sql`
      update users set offboarded_at = now(), offboarding_job_id = ${job!.id} where id = ${user.id}
    `);
    const watched = await subject.open("/console");
    const { page } = watched;
    await page.getByText("A directory deactivates more people than may leave within an hour").waitFor();
    await page.getByRole("link", { name: "Look and decide" }).click();
    await page.getByRole("button", { name: "Revoke for 1 person", exact: true }).click();
    await page.getByRole("textbox", { name: "Type 1 to continue" }).fill("1");
    await expectFaultless(watched);
    expect(await active()).toHaveLength(1);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke for 1 person", exact: true }).click();
    await expect.poll(active).toEqual([]);
    await watched.context.close();
  });
});
