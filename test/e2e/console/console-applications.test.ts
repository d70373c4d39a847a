import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { allScopes } from "../../../domain/people/scopes.ts";
import { expectFocus, pressAt, tabTo, typeInto } from "../../support/browser/console-keyboard.ts";
import { expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useConsole } from "../../support/service/console.ts";
import { describeWithTool } from "../../support/run/tools.ts";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool(["chromium-headless-shell", "curl"], "applications in the console", () => {
  const subject = useConsole();
  const api = () => subject.api.as.admin({ realmId: subject.realm.realmId });
  const applicationNow = (id: string) => api().get(`/api/applications/${id}`);

  /**
   * Runs a command in a user's shell and returns its JSON output. The shell has no terminal, so curl reads the secret,
   * its password, from standard input.
   */
  const inShell = (command: string, secret = ""): Promise<Record<string, string>> =>
    new Promise((resolve, reject) => {
      const shell = spawn("sh", ["-c", command], {
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: 60_000,
      });
      let printed = "";
      shell.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      shell.once("error", reject);
      shell.once("close", () => {
        resolve(JSON.parse(printed) as Record<string, string>);
      });
      shell.stdin.end(`${secret}\n`);
    });

  const tokenFor = (id: string, secret: string): Promise<Record<string, string>> =>
    inShell(`curl -s -u ${id} -d grant_type=client_credentials ${subject.api.url}/oauth/token`, secret);

  const shown = (page: Page, label: string) => page.locator(`pre[aria-label="${label}"]`).innerText();
  const choose = async (page: Page, type: "Acts for a signed-in person" | "Acts on its own"): Promise<void> => {
    await page.getByRole("radio", { name: type }).click();
    await page.click('main button:has-text("Next")');
  };
  const field = (name: string) => `main :is(input, textarea)[data-path="${name}"]`;

  const givenService = async (name: string): Promise<{ id: string; secret: string }> => {
    const service = { type: "service", name, clientURI: "https://sync.example", scopes: ["realm.read"] };
    const { body } = await api().post("/api/applications", service);
    return { id: body.data.client_id, secret: body.data.client_secret };
  };

  test("a service's page links to the quickstart with the service's client_id, and the quickstart links back to the page", async () => {
    const { id } = await givenService("Reads the guide");
    const watched = await subject.open(`/console/applications/${id}`);
    const { page } = watched;
    await pressAt(page.getByRole("link", { name: "quickstart" }));
    await page.waitForURL(/\/docs\/quickstart\?realm=[\w-]+&client=/);
    expect(await page.locator("main pre", { hasText: `client_id=${id}` }).count()).toBe(1);
    await pressAt(page.getByRole("link", { name: "Back to the console" }));
    await page.waitForURL(`**/console/applications/${id}`);
    await page.getByRole("heading", { name: "Reads the guide" }).waitFor();
    await watched.context.close();
  });

  test("a chart and a table show the requests of a week; the audit log of an hour opens by keyboard", async () => {
    const { id } = await givenService("Asks a lot");
    const hour = 3_600_000;
    const current = Math.floor(systemClock.now().getTime() / hour) * hour;
    const from = new Date(current - 3 * hour);
    for (const [status, requests] of [
      [200, 12],
      [403, 2],
    ] as const)
      await subject.api.database.owner.query(sql`
        insert into application_requests (client_id, hour, status, requests)
        values (${id}, ${from}, ${status}, ${requests})
      `);
    const watched = await subject.open(`/console/applications/${id}`);
    const { page } = watched;
    const picture = page.getByRole("region", { name: "Requests", exact: true }).first();
    await picture.getByText("In the last 7 days: 12 answered, 2 refused.").waitFor();
    await picture.getByText("Refused with status: 403 (2)").waitFor();
    const bars = picture.getByRole("listbox", { name: "Requests" });
    expect(await bars.getByRole("option").count()).toBe(7 * 24);
    expect(await bars.getByRole("option", { name: /: 12 answered, 2 refused$/ }).count()).toBe(1);
    expect(await bars.locator(".bar-up").count()).toBe(1);
    expect(await bars.locator(".bar-down").count()).toBe(1);

    await pressAt(picture.getByRole("button", { name: "Table" }));
    const cells = picture.getByRole("table", { name: "Requests" }).getByRole("row").nth(4);
    await expect.poll(() => cells.innerText()).toMatch(/\t12\t2$/);
    await expectGoodConsole(watched);
    await tabTo(picture.getByRole("button", { name: "Chart" }), "Shift+Tab");
    await page.keyboard.press("Enter");

    await tabTo(bars);
    for (let hours = 0; hours < 3; hours++) await page.keyboard.press("ArrowLeft");
    await picture.getByText(/: 12 answered, 2 refused$/).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/audit\?/);
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("client"), searchParams.get("minDate")]).toEqual([id, from.toISOString()]);
    await watched.context.close();
  });

  test("without an application, the list explains what to do", async () => {
    const watched = await subject.open("/console/applications");
    await subject.api.database.owner.query(sql`delete from applications where not first_party`);
    await watched.page.reload();
    await watched.page.waitForSelector("text=No application is registered yet.");
    await expectGoodConsole(watched);
    await watched.context.close();
  });

  test("a user registers a service by keyboard alone, and the command on the page gets a valid token", async () => {
    const watched = await subject.open("/console/applications/new");
    const { page, context } = watched;
    await pressAt(page.locator('[role="radio"][aria-checked="true"]'), "ArrowDown");
    await page.waitForSelector("text=This is a key to your realm");
    await pressAt(page.locator('main button:has-text("Next")'));
    expect(await page.isVisible("text=offline_access")).toBe(false);
    expect(await page.locator('main input[data-path="useClientSecret"]').count()).toBe(0);
    await page.waitForSelector("text=An application that acts on its own always has one.");
    await typeInto(page.locator(field("name")), "Identity sync");
    await typeInto(page.locator(field("clientURI")), "https://sync.example");
    await pressAt(page.getByRole("button", { name: "Nightly sync of people" }));
    expect(await page.getByLabel("offboard people").isChecked()).toBe(true);
    await pressAt(page.getByRole("button", { name: "RADIUS server" }));
    expect(await page.locator("main input:checked[type=checkbox]:not([data-path])").count()).toBe(1);
    expect(await page.getByRole("button", { name: "RADIUS server" }).getAttribute("aria-pressed")).toBe("true");
    await pressAt(page.getByLabel("see the realm's settings"), "Space");
    await pressAt(page.locator('main [type="submit"]'));
    await page.waitForSelector("text=Shown only now");

    const id = await shown(page, "Client ID");
    const secret = await shown(page, "Client secret");
    const { access_token: token } = await inShell(await shown(page, "Command"), secret);
    const realm = await subject.api.as.token(token!).get("/api/realm");
    expect(realm.body.data.realmName).toEqual(expect.any(String));
    expect((await subject.api.as.token(token!).get("/api/user")).status).toBe(403);
    const download = page.waitForEvent("download");
    await pressAt(page.getByRole("button", { name: "Download as a file" }));
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${id}.json`);
    expect(JSON.parse(await readFile(await file.path(), "utf8"))).toEqual({
      client_id: id,
      client_secret: secret,
      token_endpoint: `${subject.api.url}/oauth/token`,
    });

    expect(await page.isDisabled('button:has-text("Open the application")')).toBe(true);
    await pressAt(page.getByRole("navigation").getByRole("link", { name: "People", exact: true }));
    await page.waitForSelector("text=Leave this page?");
    await page.keyboard.press("Enter");
    expect(await shown(page, "Client secret")).toBe(secret);
    await pressAt(page.getByLabel("I have stored it"), "Space");
    await pressAt(page.getByRole("button", { name: "Open the application" }));
    await page.waitForSelector('h1:text-is("Identity sync")');
    expect(await page.content()).not.toContain(secret);
    expect(watched.complaints).toEqual([]);
    await context.close();
  });

  test("a useragent's form shows errors beside their fields; users can sign in at the address that the page shows", async () => {
    const watched = await subject.open("/console/applications/new");
    const { page, context } = watched;
    await choose(page, "Acts for a signed-in person");
    expect((await page.locator("main fieldset code").allTextContents()).sort()).toEqual([...allScopes].sort());
    await page.fill(field("name"), "Course planner");
    await page.fill(field("clientURI"), `${subject.api.url}/`);
    await page.fill(field("redirectURIs"), "http://planner.example/back");
    await page.click('main [type="submit"]');
    await page.waitForSelector(
      '[role="alert"]:focus >> text=Redirect URIs: At most 10: https addresses, http on localhost',
    );
    expect(await page.getAttribute(field("redirectURIs"), "aria-invalid")).toBe("true");
    await page.click('[role="alert"] button');
    expect(await page.evaluate(`document.activeElement.dataset.path`)).toBe("redirectURIs");
    await page.fill(field("redirectURIs"), `${subject.api.url}/console/applications\n\n com.example.planner:/back `);
    await page.fill(field("name"), "Administration console");
    await page.click('main [type="submit"]');
    await page.waitForSelector('[role="alert"]:focus >> text=not like the name of a part of this service');
    expect(await page.getAttribute(field("name"), "aria-invalid")).toBe("true");
    await page.fill(field("name"), "Course planner");
    await page.click('main [type="submit"]');
    await page.waitForSelector("text=“Course planner” is registered.");

    const exchange = await shown(page, "Command");
    await page.goto(await shown(page, "Address for signing in"));
    await Promise.all([page.waitForURL(/\/console\/applications\?.*code=/), page.click("[value=allow]")]);
    const code = new URL(page.url()).searchParams.get("code")!;
    const tokens = await inShell(exchange.replace("code=CODE", `code=${code}`));
    expect(tokens).toMatchObject({
      token_type: "Bearer",
      access_token: expect.any(String),
      id_token: expect.any(String),
    });
    await context.close();
  });

  test("one field accepts several redirect URIs, one per line, keeps their order and rejects an invalid URI", async () => {
    const uris = ["https://planner.example/back", "com.example.planner:/back"];
    const registration = { type: "useragent", name: "Lines", clientURI: "https://planner.example", scopes: ["openid"] };
    const { body } = await api().post("/api/applications", { ...registration, redirectURIs: uris });
    const id = String(body.data.client_id);
    const { page, context } = await subject.open(`/console/applications/${id}`);
    expect(await page.inputValue(field("redirectURIs"))).toBe(uris.join("\n"));

    await page.fill(field("redirectURIs"), [...uris, "http://planner.example/"].join("\n"));
    await page.click('main [type="submit"]');
    await page.waitForSelector('[role="alert"]:focus >> text=Redirect URIs: At most 10');
    await page.fill(field("redirectURIs"), ["http://127.0.0.1/back", "", ...uris].join("\n "));
    await page.click('main [type="submit"]');
    await page.waitForSelector("text=The application was changed.");
    const changed = ["http://127.0.0.1/back", ...uris];
    expect((await applicationNow(id)).body.data).toMatchObject({ redirectURI: changed[0], redirectURIs: changed });
    expect(await page.inputValue(field("redirectURIs"))).toBe(changed.join("\n"));
    await context.close();
  });

  test("a new secret overlaps the old secret for the chosen time; without an overlap the old secret stops working", async () => {
    const { id, secret: first } = await givenService("Rotation");
    const { page, context } = await subject.open(`/console/applications/${id}`);
    const renew = async (hours: string): Promise<string> => {
      await page.click('button:has-text("New secret")');
      await page.fill('[role="dialog"] input:not([type=hidden])', hours);
      await page.click('button:has-text("Make a new secret")');
      await page.waitForSelector("text=Shown only now");
      const secret = await shown(page, "Client secret");
      await page.click("text=I have stored it");
      await page.click('[role="dialog"] button:has-text("Close")');
      await page.waitForSelector('[role="dialog"]', { state: "detached" });
      return secret;
    };
    const second = await renew("2");
    expect(await tokenFor(id, first)).toMatchObject({ token_type: "Bearer" });
    expect(await tokenFor(id, second)).toMatchObject({ token_type: "Bearer" });
    const third = await renew("0");
    expect(await tokenFor(id, second)).toMatchObject({ error: "invalid_client" });
    expect(await tokenFor(id, third)).toMatchObject({ token_type: "Bearer" });
    await context.close();
  });

  test("a user changes an application, switches it off and on again, and deletes it by typing its name", async () => {
    const { id, secret } = await givenService("Old sync");
    const { page, context } = await subject.open(`/console/applications/${id}`);
    await page.getByLabel("see people").check();
    await page.getByLabel("see the realm's settings").uncheck();
    await page.waitForSelector("text=It loses realm.read");
    await page.click('nav >> a:has-text("People")');
    await page.waitForSelector("text=Your changes are not saved yet.");
    await page.click('button:has-text("Stay here")');
    await page.click('main [type="submit"]');
    await page.waitForSelector("text=The application was changed.");
    expect((await applicationNow(id)).body.data).toMatchObject({ scopes: ["user.read"], name: "Old sync" });

    await page.click('button:has-text("Switch off")');
    await page.waitForSelector("text=“Old sync” is switched off");
    expect(await tokenFor(id, secret)).toMatchObject({ error: expect.any(String) });
    await page.click('button:has-text("Undo")');
    await page.waitForSelector("text=“Old sync” is switched on.");
    expect(await tokenFor(id, secret)).toMatchObject({ token_type: "Bearer" });

    await page.click('main button:has-text("Delete")');
    const verb = page.locator('[role="dialog"] button:has-text("Delete “Old sync”")');
    expect(await verb.isDisabled()).toBe(true);
    await page.fill('[role="dialog"] input', "Old sync");
    await verb.click();
    await page.waitForURL(/\/console\/applications$/);
    expect((await applicationNow(id)).status).toBe(404);
    await context.close();
  });

  test("the form shows another person's changes beside the user's own changes", async () => {
    const { id } = await givenService("Two tabs");
    const watched = await subject.open(`/console/applications/${id}`);
    const { page } = watched;
    await page.waitForSelector('[data-path="name"]');
    const admin = subject.api.as.admin({ realmId: subject.realm.realmId });
    await admin.put(`/api/applications/${id}`, { clientURI: "https://other.example" });
    await page.fill('[data-path="name"]', "Typed here");
    await page.click('main [type="submit"]');
    const notice = page.getByRole("alert").filter({ hasText: "This was changed elsewhere" });
    await notice.waitFor();
    expect(await notice.getByRole("listitem").allTextContents()).toEqual([
      expect.stringContaining(": https://other.example"),
    ]);
    expect(await page.inputValue('[data-path="name"]')).toBe("Typed here");
    expect((await applicationNow(id)).body.data).toMatchObject({ name: "Two tabs" });
    await expectGoodConsole(watched);
    await page.click('button:has-text("Save mine anyway")');
    await page.waitForSelector("text=The application was changed.");
    expect((await applicationNow(id)).body.data).toMatchObject({
      name: "Typed here",
      clientURI: "https://other.example",
    });
    await watched.context.close();
  });

  test("a user changes an application, renews its secret, switches it off and deletes it: keyboard alone", async () => {
    const { id, secret } = await givenService("Keys");
    const { page, context } = await subject.open("/console/applications");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    await pressAt(page.getByRole("link", { name: "Keys", exact: true }));
    await page.waitForSelector('h1:text-is("Keys")');
    await typeInto(page.locator(field("name")), "Keys 2");
    await pressAt(page.getByLabel("see people"), "Space");
    await pressAt(page.locator('main [type="submit"]'));
    await page.waitForSelector('h1:text-is("Keys 2")');
    expect((await applicationNow(id)).body.data).toMatchObject({ name: "Keys 2", scopes: ["user.read", "realm.read"] });

    await pressAt(button("New secret"));
    await expectFocus(button("Cancel"));
    await tabTo(page.getByRole("slider"));
    await page.keyboard.press("Home");
    await page.waitForSelector("text=The old secret and all tokens obtained with it end at once.");
    await pressAt(button("Make a new secret"));
    await page.waitForSelector("text=Shown only now");
    await tabTo(button("Copy: Client secret"));
    const renewed = await shown(page, "Client secret");
    await pressAt(page.getByLabel("I have stored it"), "Space");
    await pressAt(page.getByRole("dialog").getByRole("button", { name: "Close" }));
    await expectFocus(button("New secret"));
    expect(await tokenFor(id, secret)).toMatchObject({ error: "invalid_client" });
    expect(await tokenFor(id, renewed)).toMatchObject({ token_type: "Bearer" });

    await tabTo(button("Switch off"), "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("text=“Keys 2” is switched off");
    await expectFocus(button("Switch on"));
    expect(await tokenFor(id, renewed)).toMatchObject({ error: expect.any(String) });
    await pressAt(button("Delete"));
    await expectFocus(button("Cancel"));
    await typeInto(page.getByRole("dialog").getByRole("textbox"), "Keys 2");
    await pressAt(button("Delete “Keys 2”"));
    await page.waitForURL(/\/console\/applications$/);
    await expectFocus(page.getByRole("heading", { level: 1 }));
    expect((await applicationNow(id)).status).toBe(404);
    await context.close();
  });

  test("a form keeps its input after a reload", async () => {
    const { page, context } = await subject.open("/console/applications/new");
    await choose(page, "Acts on its own");
    await page.fill(field("name"), "Half done");
    await page.reload();
    await page.waitForSelector(field("name"));
    expect(await page.inputValue(field("name"))).toBe("Half done");
    await context.close();
  });

  test.each(views)("is faultless: $theme, $width px, $language", async (view) => {
    const { id } = await givenService("An application with quite a long name for a small screen");
    const watched = await subject.open("/console/applications", view);
    const { page } = watched;
    await page.waitForSelector("td");
    await expectGoodConsole(watched);
    await page.focus("td button >> nth=0");
    await page.keyboard.press("Enter");
    await page.waitForSelector('[role="dialog"] li');
    await expectGoodConsole(watched);

    await page.goto(`${subject.api.url}/console/applications/new`);
    await page.click('[role="radio"] >> nth=1');
    await expectGoodConsole(watched);
    await page.click('[role="radio"] >> nth=0');
    await page.click("main button:not([role]) >> nth=-1");
    await page.click('main [type="submit"]');
    await page.waitForSelector('[role="alert"]');
    await expectGoodConsole(watched);
    await page.fill(field("name"), "Course planner");
    await page.fill(field("clientURI"), "https://planner.example");
    await page.fill(field("redirectURIs"), "https://planner.example/back");
    await page.locator('[data-path="useClientSecret"]').setChecked(true, { force: true });
    await page.click('main [type="submit"]');
    await page.waitForSelector('main input[type="checkbox"]:below(pre)');
    await expectGoodConsole(watched);

    const next = await subject.open(`/console/applications/${id}`, view);
    await next.page.waitForSelector(field("name"));
    await expectGoodConsole(next);
    await next.page.click(`button:has-text("${view.language === "de" ? "Neues Geheimnis" : "New secret"}")`);
    await next.page.waitForSelector('[role="dialog"]');
    await expectGoodConsole(next);
    await next.page.goto(`${subject.api.url}/console/applications/not-there`);
    await next.page.waitForSelector('[role="alert"]');
    await expectGoodConsole(next);
    await Promise.all([watched.context.close(), next.context.close()]);
  });
});
