import type { Page } from "playwright-core";
import { expect, test, vi } from "vitest";
import { expectFocus, pressAt, tabTo } from "../../support/browser/console-keyboard.ts";
import { downloadBy, expectGoodConsole, pagesMs } from "../../support/browser/console-views.ts";
import { views } from "../../support/browser/views.ts";
import { useConsole } from "../../support/service/console.ts";
import { openssl } from "../../support/pki/openssl.ts";
import { describeWithTool } from "../../support/run/tools.ts";

vi.setConfig({ testTimeout: pagesMs });

describeWithTool(["chromium-headless-shell", "openssl"], "infrastructure profiles in the console", () => {
  const subject = useConsole();
  const profiles = async () => {
    const { body } = await subject.api.as
      .service({ realmId: subject.realm.realmId })
      .get("/api/infrastructure-profile");
    return body.data;
  };

  const beginCreation = async (page: Page, name: string): Promise<void> => {
    await page.click('main button:has-text("New server certificate")');
    await page.fill('[role="dialog"] [data-path="name"]', name);
  };
  const create = async (page: Page): Promise<void> => {
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector("text=Only available now");
    const guide = page.locator("a:has-text('RADIUS guide')");
    expect(await guide.getAttribute("href")).toMatch(/^\/docs\/radius\?realm=[\w-]+$/);
  };
  const file = (page: Page, name: string) => downloadBy(page, page.getByRole("button", { name, exact: true }));

  test("without a server certificate, the list explains that the RADIUS server needs one first; a PEM certificate opens with OpenSSL", async () => {
    const watched = await subject.open("/console/infrastructure");
    const { page } = watched;
    await page.waitForSelector("text=Your RADIUS server needs one first.");
    await expectGoodConsole(watched);

    await beginCreation(page, "radius.example.org");
    await page.fill('[role="dialog"] textarea', "In the cellar");
    const warning = page.locator('[role="dialog"]').getByText("Apple devices refuse a web server");
    expect(await warning.count()).toBe(0);
    await page.focus('[role="slider"]');
    await page.keyboard.press("ArrowRight");
    await warning.waitFor();
    expect(await page.inputValue('[role="dialog"] [data-path="validityMonths"]')).toBe("30");
    expect(await page.getAttribute('[role="slider"]', "aria-valuetext")).toBe("30 months");
    await create(page);

    const certificate = (await file(page, "radius-example-org.pem")).bytes;
    const key = (await file(page, "radius-example-org.key")).bytes;
    const ca = (await file(page, "radius-example-org-radius-ca.pem")).bytes;
    const publicKey = openssl(["x509", "-in", "x.pem", "-noout", "-pubkey"], { "x.pem": certificate }).stdout;
    expect(openssl(["pkey", "-in", "x.key", "-pubout"], { "x.key": key }).stdout).toBe(publicKey);
    const verified = openssl(["verify", "-partial_chain", "-CAfile", "ca.pem", "x.pem"], {
      "ca.pem": ca,
      "x.pem": certificate,
    });
    expect(verified.stdout).toBe("x.pem: OK\n");
    const named = openssl(["x509", "-in", "x.pem", "-noout", "-checkhost", "radius.example.org"], {
      "x.pem": certificate,
    });
    expect(named.stdout).toContain("does match");
    expect(await profiles()).toMatchObject([{ name: "radius.example.org", description: "In the cellar" }]);
    await watched.context.close();
  });

  test("the files stay until the user confirms having stored them: Escape and Back do not remove the files", async () => {
    const watched = await subject.open("/console/applications");
    const { page, context } = watched;
    await page.click("nav >> text=Server certificates");
    await page.waitForSelector("td");
    await beginCreation(page, "switch-7");
    await page.click("text=PKCS #12 (.p12)");
    await create(page);
    await page.keyboard.press("Escape");
    expect(await page.isEnabled('[role="dialog"] button:has-text("Close")')).toBe(false);
    await page.evaluate("history.back()");
    await page.waitForSelector("text=Leave this page?");
    await page.click('button:has-text("Stay here")');

    const { bytes } = await file(page, "switch-7.p12");
    const read = openssl(["pkcs12", "-in", "x.p12", "-passin", "pass:", "-nodes"], { "x.p12": bytes });
    expect(read).toMatchObject({ status: 0, stdout: expect.stringContaining("BEGIN PRIVATE KEY") });
    await page.click("text=I have stored the files");
    await page.click('[role="dialog"] button:has-text("Close")');
    await page.waitForSelector('[role="dialog"]', { state: "detached" });
    expect(watched.complaints).toEqual([]);
    await context.close();
  });

  test("a user makes a certificate and downloads its files: keyboard alone", async () => {
    const { page, context } = await subject.open("/console/infrastructure");
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const create = page.locator("main").getByRole("button", { name: "New server certificate" }).first();
    await pressAt(create);
    await expectFocus(page.getByRole("textbox", { name: "Name" }));
    await page.keyboard.type("keys.example.org");
    await tabTo(page.getByRole("radio", { name: /^PEM/ }));
    await page.keyboard.press("ArrowDown");
    await tabTo(page.getByRole("slider"));
    await page.keyboard.press("Home");
    await pressAt(page.locator('[role="dialog"] [type="submit"]'));
    await page.waitForSelector("text=Only available now");
    const download = page.waitForEvent("download");
    await pressAt(button("keys-example-org.p12"));
    expect((await download).suggestedFilename()).toBe("keys-example-org.p12");
    await pressAt(page.getByLabel("I have stored the files"), "Space");
    await pressAt(button("Close"));
    await expectFocus(create);
    expect(await profiles()).toContainEqual(expect.objectContaining({ name: "keys.example.org" }));

    const link = page.getByRole("link", { name: "keys.example.org" });
    await pressAt(link);
    await page.waitForSelector('[role="dialog"] dd');
    await page.keyboard.press("Escape");
    await expectFocus(link);
    await context.close();
  });

  test("closing the dialog before the certificate is issued ends the waiting request", async () => {
    const { page, context } = await subject.open("/console/infrastructure");
    const asked: string[] = [];
    await page.route("**/api/infrastructure-profile/slow.example.org", (route) =>
      route.fulfill({ status: 202, json: { result: "ok", code: 202, data: { id: "pending", state: "queued" } } }),
    );
    await page.route("**/api/issuances/pending", (route) => {
      asked.push(route.request().url());
    });
    await beginCreation(page, "slow.example.org");
    const waiting = page.waitForRequest("**/api/issuances/pending");
    await page.click('[role="dialog"] [type="submit"]');
    await waiting;
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/issuances/pending"));
    await page.click('[role="dialog"] button:has-text("Cancel")');
    expect((await ended).failure()?.errorText).toBe("net::ERR_ABORTED");
    expect(asked).toHaveLength(1);
    await context.close();
  });

  test("errors are shown beside their fields, and no certificate is made", async () => {
    const before = (await profiles()).length;
    const { page, context } = await subject.open("/console/infrastructure");
    await beginCreation(page, "x".repeat(65));
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector(
      '[role="alert"]:focus >> text=Name: 1 to 64 characters, on one line, none of them invisible.',
    );
    expect(await page.getAttribute('[data-path="name"]', "aria-invalid")).toBe("true");
    expect(await profiles()).toHaveLength(before);
    await context.close();
  });

  test("a certificate opens beside the list at its own address, where the user revokes it", async () => {
    const created = await subject.api.as
      .service({ realmId: subject.realm.realmId })
      .post("/api/infrastructure-profile/old-radius", { format: "pem", validityMonths: 12 });
    const { serial } = created.body.data;
    const { page, context } = await subject.open(`/console/infrastructure?open=${serial}`);
    await page.waitForSelector(`[role="dialog"] >> text=${serial.slice(-8)}`);
    await page.click('[role="dialog"] button:has-text("Revoke")');
    await page.waitForSelector("text=devices cannot connect until the server has a new one");
    await page.click('button:has-text("Revoke “old-radius”")');
    await page.waitForSelector("text=“old-radius” was revoked.");
    const now = (await profiles()).find((profile: { serial: string }) => profile.serial === serial);
    expect(now.revokeDate).toEqual(expect.any(String));
    await context.close();
  });

  test.each(views)("is faultless: $theme, $width px, $language", async (view) => {
    const watched = await subject.open("/console/infrastructure", view);
    const { page } = watched;
    await page.waitForSelector("td");
    await expectGoodConsole(watched);
    await page.click("td a >> nth=0");
    await page.waitForSelector('[role="dialog"] dd');
    await expectGoodConsole(watched);
    await page.keyboard.press("Escape");
    await page.waitForSelector('[role="dialog"]', { state: "detached" });
    await page.click(
      `main button:has-text("${view.language === "de" ? "Neues Serverzertifikat" : "New server certificate"}")`,
    );
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector('[role="alert"]');
    await expectGoodConsole(watched);
    await page.fill('[role="dialog"] [data-path="name"]', "access-point");
    await page.click('[role="dialog"] [type="submit"]');
    await page.waitForSelector('[role="dialog"] [type="checkbox"]');
    await expectGoodConsole(watched);
    await watched.context.close();
  });
});
