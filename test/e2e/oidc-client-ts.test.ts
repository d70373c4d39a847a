import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { useBrowser, type WatchedPage } from "../support/browser/browser.ts";
import { serve } from "../support/counterparts/client-applications.ts";
import { givenLocalAccount, testPassword, type LocalAccount } from "../support/given/local-account.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { sendRequest, useApi } from "../support/service/api.ts";

const require = createRequire(import.meta.url);

/** The third-party library is unchanged and has its default settings, in the page of an application on another port. */
describeWithTool("chromium-headless-shell", "oidc-client-ts", () => {
  const api = useApi();
  const browser = useBrowser();
  let person: LocalAccount;
  let library: Buffer;

  beforeAll(async () => {
    person = await givenLocalAccount(api, { username: "mia" });
    const entry = require.resolve("oidc-client-ts");
    library = await readFile(join(dirname(entry), "../browser/oidc-client-ts.min.js"));
  });

  interface Tokens {
    accessToken: string;
    refreshToken: string | null;
    sub: string;
  }

  /**
   * Opens the application, signs the person in and consents; returns the page once the browser is back at the
   * application.
   */
  async function signIn(settings: { scope?: string } = {}, { fullTokenAnswers = false } = {}): Promise<WatchedPage> {
    let page = "";
    const url = await serve((request, response) => {
      const isLibrary = request.url === "/oidc-client-ts.min.js";
      response.setHeader("Content-Type", isLibrary ? "text/javascript" : "text/html");
      response.end(isLibrary ? library : page);
    });
    const { clientId } = await api.given.application({
      realmId: api.realmId,
      type: "useragent",
      requirePkce: true,
      clientUri: url,
      redirectUri: `${url}/`,
      fullTokenAnswers,
    });
    const options = { authority: api.url, client_id: clientId, redirect_uri: `${url}/`, ...settings };
    page = `<!doctype html><link rel="icon" href="data:,"><script src="/oidc-client-ts.min.js"></script><script>
      const manager = new oidc.UserManager(${JSON.stringify(options)});
      if (location.search.includes("state=")) manager.signinCallback().then(() => { document.title = "back"; });
    </script>`;

    const watched = await browser.open({ theme: "light", width: 1440, language: "en" });
    const tab = watched.page;
    await tab.clock.install();
    await tab.goto(url);
    await Promise.all([tab.waitForURL(/\/login/), tab.evaluate("void manager.signinRedirect()")]);
    await tab.fill("[name=username]", person.username);
    await tab.fill("[name=password]", testPassword);
    await tab.click("main [type=submit], form button");
    await tab.click("[value=allow]");
    await tab.waitForFunction(`document.title === "back"`);
    return watched;
  }

  const tokensOf = (page: Page): Promise<Tokens> =>
    page.evaluate(`manager.getUser().then((user) => ({
      accessToken: user.access_token, refreshToken: user.refresh_token ?? null, sub: user.profile.sub,
    }))`);
  const statusWith = async (accessToken: string): Promise<number> =>
    (await sendRequest(`${api.url}/oauth/userinfo`, "GET", { headers: { authorization: `Bearer ${accessToken}` } }))
      .status;

  test("a person signs in, the page renews its token in a frame, and the person signs out", async () => {
    const { page, context, complaints } = await signIn();
    const first = await tokensOf(page);
    expect(first).toMatchObject({ sub: person.id, refreshToken: null });
    expect(await statusWith(first.accessToken)).toBe(200);

    await page.evaluate("manager.signinSilent()");
    const renewed = await tokensOf(page);
    expect(renewed).toMatchObject({ sub: person.id });
    expect(renewed.accessToken).not.toBe(first.accessToken);
    expect(await statusWith(renewed.accessToken)).toBe(200);
    expect(complaints).toEqual([]);

    await Promise.all([page.waitForURL(/\/oauth\/logout/), page.evaluate("void manager.signoutRedirect()")]);
    await page.waitForSelector("text=You are signed out");
    expect(await statusWith(renewed.accessToken)).toBe(401);
    await context.close();
  });

  test("with offline_access the page renews its access token by its refresh token", async () => {
    const { page, context, complaints } = await signIn({ scope: "openid offline_access" });
    const first = await tokensOf(page);
    expect(first.refreshToken).toEqual(expect.any(String));
    const grant = page.waitForRequest(
      (request) =>
        request.url().endsWith("/oauth/token") && (request.postData() ?? "").includes("grant_type=refresh_token"),
    );
    await Promise.all([grant, page.evaluate("manager.signinSilent()")]);
    const renewed = await tokensOf(page);
    expect(renewed.accessToken).not.toBe(first.accessToken);
    expect(await statusWith(renewed.accessToken)).toBe(200);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("with full token responses, the page renews its token automatically before it expires", async () => {
    const { page, context, complaints } = await signIn({}, { fullTokenAnswers: true });
    const first = await tokensOf(page);
    await page.evaluate(`manager.events.addUserLoaded(() => { document.title = "renewed"; })`);
    await page.clock.fastForward(
      await page.evaluate<number>("manager.getUser().then((user) => (user.expires_in - 30) * 1000)"),
    );
    await page.waitForFunction(`document.title === "renewed"`);
    const renewed = await tokensOf(page);
    expect(renewed.accessToken).not.toBe(first.accessToken);
    expect(await statusWith(renewed.accessToken)).toBe(200);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
