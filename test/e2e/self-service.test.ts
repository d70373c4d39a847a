import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import * as issuances from "../../db/queries/issuance/issuances.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { sql } from "../../db/sql.ts";
import { useApi } from "../support/service/api.ts";
import { expectFaultless, tabStops, useBrowser, type View, type WatchedPage } from "../support/browser/browser.ts";
import { fromNow, type GivenUser } from "../support/given/given.ts";
import { givenIssuingRealm } from "../support/given/issuing.ts";
import { openssl } from "../support/pki/openssl.ts";
import { downloadProfile } from "../support/browser/download-profile.ts";
import { picture } from "../support/browser/picture.ts";
import { svg, usePictureServer } from "../support/counterparts/picture-server.ts";
import { expectGoodPage } from "../support/browser/page-views.ts";
import { views } from "../support/browser/views.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { userAgents } from "../support/browser/user-agents.ts";

const day = 24 * 60 * 60 * 1000;

describeWithTool("chromium-headless-shell", "self-service", () => {
  const pictures = usePictureServer();
  const api = useApi({ settings: { logos: { networks: "127.0.0.1", authorities: pictures.authorities } } });
  const { given } = api;
  const browser = useBrowser();
  let realmId = "";
  let realmWithApps = "";

  beforeAll(async () => {
    ({ realmId } = await givenIssuingRealm(api.database.owner));
    pictures.show("/logo.svg", "image/svg+xml", svg());
    await realms.update(api.database.owner, realmId, {
      displayName: "University of Example",
      logoUri: `${pictures.url}/logo.svg`,
      helpUri: "https://help.example",
      privacyUri: "https://example.org/privacy",
      localSignIn: true,
    });
    ({ realmId: realmWithApps } = await givenIssuingRealm(api.database.owner));
    await realms.update(api.database.owner, realmWithApps, { onboardingApps: true });
    await api.startWorker();
  });

  const givenPerson = async (displayName = "Mia Keller", more: object = {}): Promise<GivenUser> => {
    const user = await given.user({ realmId, ...more });
    await api.database.owner.query(sql`update users set display_name = ${displayName} where id = ${user.id}`);
    return user;
  };

  const phone = { theme: "light", width: 390, language: "en", userAgent: userAgents.iPhone } as const;
  const desktop = { theme: "light", width: 1440, language: "en", userAgent: userAgents.windows } as const;

  const open = async (view: View, user?: GivenUser): Promise<WatchedPage> => {
    const watched = await browser.open(view);
    if (user !== undefined) {
      await watched.context.addCookies([{ name: "realmpass-login", value: await given.login(user), url: api.url }]);
    }
    return watched;
  };

  /** Presses a link to another page, and waits for the new page. */
  const press = async (page: Page, selector: string): Promise<void> => {
    await Promise.all([page.waitForEvent("load"), page.click(selector)]);
  };

  const offered = async (page: Page): Promise<string> => {
    const id = page.url().split("/").at(-1)!;
    const { handOverToken } = await import("../../api/resources/hand-over/hand-over-token.ts");
    const { masterKeys } = await import("../../runtime/keys/master-key.ts");
    return `${api.url}/d/${handOverToken({ masterKeys: masterKeys(api.masterKey) }, id)}`;
  };

  test.each([true, false])("a user adds a phone in three taps, scripts: %s", async (scripts) => {
    const user = await givenPerson();
    const { page, context, complaints } = await open({ ...phone, scripts }, user);
    await page.goto(`${api.url}/me`);
    await press(page, "text=Add a device");
    expect(await page.inputValue("#name")).toBe("iPhone of Mia");
    expect(await page.isChecked("[value=iOS]")).toBe(true);
    await picture(page, "add a device phone");
    await press(page, "text=On this device");
    expect(await page.textContent("h1")).toBe("Set up iPhone of Mia");
    const { name, bytes } = await downloadProfile(page);
    expect(name).toBe("iphone-of-mia.mobileconfig");
    const pkcs12 = /<key>PayloadContent<\/key>\s*<data>([^<]*)<\/data>/.exec(bytes.toString())![1]!;
    const password = /<key>Password<\/key>\s*<string>([^<]*)<\/string>/.exec(bytes.toString())![1]!;
    const opened = openssl(["pkcs12", "-in", "x.p12", "-passin", `pass:${password}`, "-nodes", "-legacy"], {
      "x.p12": Buffer.from(pkcs12, "base64"),
    });
    expect(opened).toMatchObject({ status: 0, stdout: expect.stringContaining("BEGIN PRIVATE KEY") });

    await press(page, "text=I have downloaded it");
    expect(await page.textContent("h1")).toBe("iPhone of Mia is ready");
    // The page updates itself after this change.
    await api.database.owner.query(sql`update certificates set last_ocsp_at = now() where user_id = ${user.id}`);
    await page.waitForSelector("text=/The network asked about this profile at .* it works/", { timeout: 60_000 });
    await picture(page, "it works phone");
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("a desktop hands over a profile to a phone, and shows which device collected the profile", async () => {
    const user = await givenPerson();
    const computer = await open(desktop, user);
    await computer.page.goto(`${api.url}/me/devices/new`);
    await computer.page.check("[value=iOS]");
    await press(computer.page, "text=On another device");
    expect(await computer.page.textContent("h1")).toBe("Scan this with the other device");
    await expectFaultless(computer);
    await picture(computer.page, "qr code desktop");

    const mobile = await open(phone);
    await mobile.page.goto(await offered(computer.page));
    expect(await mobile.page.textContent("h1")).toBe("A profile for iPhone of Mia");
    await expectFaultless(mobile);
    await picture(mobile.page, "pick up phone");
    await press(mobile.page, "text=Set up this device");
    expect(await mobile.page.textContent("h1")).toBe("Set up iPhone of Mia");
    expect((await downloadProfile(mobile.page)).name).toBe("iphone-of-mia.mobileconfig");

    await computer.page.waitForSelector("text=/Picked up by an iPhone at \\d\\d:\\d\\d/", { timeout: 60_000 });
    await picture(computer.page, "picked up desktop");
    await expectFaultless(computer);
    await Promise.all([computer.context.close(), mobile.context.close()]);
  });

  test("a guest's Android phone gets a file for the helper app", async () => {
    const account = await given.guestAccount({ realmId, name: "Summer school", profileLimit: 20 });
    const { page, context } = await open({ ...phone, userAgent: userAgents.android });
    await page.goto(`${api.url}/guest/${account.token}`);
    await press(page, "text=Add a device");
    await press(page, "text=On this device");
    const { name, bytes } = await downloadProfile(page);
    expect(name).toBe("summer-school.eap-config");
    expect(bytes.toString()).toContain("<EAPIdentityProviderList");
    await page.goto(`${api.url}/guest/${account.token}`);
    expect(await page.textContent(".usage")).toContain("1 of 20 profiles used");
    await context.close();
  });

  test("a guest account's sheet fits one page of A5 with any name, and is dark only on the screen", async () => {
    const name = "Summer school on the physics of everything that can be measured ".repeat(4).slice(0, 200).trim();
    const { page, context } = await open({ theme: "dark", width: 1440, language: "de" });
    for (const account of [await given.guestAccount({ realmId }), await given.guestAccount({ realmId, name })]) {
      await page.goto(`${api.url}/guest/${account.token}/sheet`);
      const colours = () => page.evaluate<string>(`getComputedStyle(document.querySelector("h1")).color`);
      expect(await colours()).toBe("rgb(231, 233, 236)");
      await page.emulateMedia({ media: "print" });
      expect(await colours()).toBe("rgb(27, 31, 36)");
      expect(await page.isVisible("footer")).toBe(false);
      expect(await page.isVisible("svg.qr")).toBe(true);
      expect(await page.locator("section li").count()).toBe(6);
      await page.emulateMedia({ media: null });

      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      expect(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf)?.slice(1).map(Number)).toEqual([
        expect.closeTo(420, -1),
        expect.closeTo(595, -1),
      ]);
      expect(/\/Count (\d+)/.exec(pdf)?.[1]).toBe("1");
    }
    await context.close();
  });

  test("adding and revoking work with the keyboard alone, and errors lead to their fields", async () => {
    const { page, context } = await open(desktop, await givenPerson());
    await page.goto(`${api.url}/me`);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe("Skip to the content");
    expect(await tabStops(page)).toEqual(
      ["My devices", "Applications", "Sign out", "Add a device", "Download your data"].concat(
        "Help desk",
        "Privacy",
        "Deutsch",
      ),
    );
    await page.focus("main .button");
    await pressKey(page, "Enter");

    await page.focus("[name=device_type]:checked");
    await page.keyboard.press("ArrowRight");
    await page.focus("#name");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("   ");
    await page.focus("[value=here]");
    await pressKey(page, "Enter");
    expect(await page.evaluate(`document.activeElement.getAttribute("role")`)).toBe("alert");
    expect(await page.getAttribute("#name", "aria-invalid")).toBe("true");
    expect(await page.isChecked("[value=Linux]")).toBe(true);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(`document.activeElement.id`)).toBe("name");
    await page.keyboard.type("My laptop");
    await page.focus("[value=here]");
    await pressKey(page, "Enter");
    expect(await page.textContent("h1")).toBe("Set up My laptop");
    await page.focus("button.large");
    await downloadProfile(page, () => page.keyboard.press("Enter"));

    await page.goto(`${api.url}/me`);
    await page.focus('[aria-label="Revoke My laptop"]');
    await pressKey(page, "Enter");
    expect(await page.textContent("main")).toContain("goes offline within 60 minutes");
    await page.focus("button.danger");
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineWidth`)).toBe("3px");
    await pressKey(page, "Enter");
    expect(await page.textContent("[role=status]")).toContain("My laptop is revoked.");
    await picture(page, "revoked desktop");
    await context.close();
  });

  const pressKey = async (page: Page, key: string): Promise<void> => {
    await Promise.all([page.waitForEvent("load"), page.keyboard.press(key)]);
  };

  const soon = fromNow(20 * day);

  /** Functions that open every page in each of its states. */
  const pages: Record<string, (view: View) => Promise<WatchedPage>> = {
    "my devices": async (view) => {
      const user = await givenPerson("Mia Keller", { administrator: true });
      await given.profile(user, { name: "Mia's iPhone", deviceType: "iOS" });
      await given.profile(user, { name: "Work laptop", deviceType: "Windows", notAfter: soon });
      await given.profile(user, { name: "Donaudampfschifffahrtsgesellschaftskapitän".repeat(2).slice(0, 64) });
      await issuances.create(api.database.owner, { ...underWay, realmId: user.realmId, userId: user.id });
      return visit(view, user, "/me");
    },
    "my devices, none": async (view) => visit(view, await givenPerson(), "/me"),
    "my devices, at the limit": async (view) => {
      const user = await givenPerson("Mia Keller", { profileOverride: 1 });
      await given.profile(user, { deviceType: "MacOS" });
      return visit(view, user, "/me");
    },
    "my devices, locked": async (view) => {
      const user = await givenPerson("Mia Keller", { lockedAt: new Date(0) });
      await given.profile(user, { deviceType: "Android" });
      return visit(view, user, "/me");
    },
    "add a device": async (view) => visit(view, await givenPerson(), "/me/devices/new"),
    "add a device, with faults": async (view) => {
      const watched = await visit(view, await givenPerson(), "/me/devices/new");
      await watched.page.fill("#name", " ");
      await watched.page.click("summary");
      await watched.page.check("[value=mobileconfig]");
      await watched.page.check("[value=Windows]");
      await press(watched.page, "[value=here]");
      return watched;
    },
    "add a device, at the limit": async (view) => visit(view, await fullPerson(), "/me/devices/new"),
    "one device": async (view) => {
      const user = await givenPerson();
      return visit(view, user, `/me/devices/${await given.profile(user, { notAfter: soon, name: "Work laptop" })}`);
    },
    "one device, revoked": async (view) => {
      const user = await givenPerson();
      const serial = await given.profile(user);
      await api.database.owner.query(sql`
        insert into revocations (certificate_id, revoked_at, reason)
        select id, now(), 0 from certificates where serial_number = ${serial}
      `);
      return visit(view, user, `/me/devices/${serial}`);
    },
    "one device, replaced": async (view) => {
      const user = await givenPerson();
      const serial = await given.profile(user);
      const watched = await visit(view, user, `/me/devices/${serial}`);
      await press(watched.page, "[value=here]");
      await downloadProfile(watched.page);
      await watched.page.goto(`${api.url}/me/devices/${serial}`);
      return watched;
    },
    revoke: async (view) => {
      const user = await givenPerson();
      return visit(view, user, `/me/devices/${await given.profile(user)}/revoke`);
    },
    "not found": async (view) => visit(view, await givenPerson(), "/me/devices/12345"),
    ...Object.fromEntries(
      (["iOS", "MacOS", "Android", "Linux", "Other"] as const).map((deviceType) => [
        `set up, ${deviceType}`,
        async (view: View) => claimed(view, await givenPerson(), deviceType),
      ]),
    ),
    ...Object.fromEntries(
      (["iOS", "Windows", "Linux"] as const).map((deviceType) => [
        `set up, ${deviceType}, with apps`,
        async (view: View) => {
          const user = await givenPerson("Mia Keller", { realmId: realmWithApps });
          const watched = await claimed(view, user, deviceType);
          if (deviceType !== "Linux") await watched.page.click("main summary");
          return watched;
        },
      ]),
    ),
    "set up, refused": async (view) => {
      const user = await givenPerson();
      const watched = await claimed(view, user, "Android");
      await api.database.owner.query(sql`update users set locked_at = now() where id = ${user.id}`);
      await press(watched.page, "button.large");
      return watched;
    },
    "set up, too late": async (view) => {
      const user = await givenPerson();
      const watched = await claimed(view, user, "Android");
      await api.database.owner.query(sql`update hand_overs set expires_at = now() where user_id = ${user.id}`);
      await watched.page.reload();
      return watched;
    },
    ready: async (view) => downloaded(view, await givenPerson(), sql`downloaded_at = downloaded_at`),
    "ready, nothing yet": async (view) => {
      const user = await givenPerson();
      await given.profile(user, { name: "seen" });
      await api.database.owner.query(sql`update certificates set last_ocsp_at = now() where user_id = ${user.id}`);
      return downloaded(view, user, sql`downloaded_at = now() - interval '4 minutes'`);
    },
    "ready, it works": async (view) => {
      const user = await givenPerson();
      const watched = await downloaded(view, user, sql`downloaded_at = downloaded_at`);
      await api.database.owner.query(sql`update certificates set last_ocsp_at = now() where user_id = ${user.id}`);
      await watched.page.reload();
      return watched;
    },
    gone: async (view) => downloaded(view, await givenPerson(), sql`downloaded_at = now() - interval '31 minutes'`),
    "qr code": async (view) => {
      const watched = await visit(view, await givenPerson(), "/me/devices/new");
      await press(watched.page, "[value=elsewhere]");
      return watched;
    },
    "qr code, expired": async (view) => {
      const watched = await visit(view, await givenPerson(), "/me/devices/new");
      await press(watched.page, "[value=elsewhere]");
      await api.database.owner.query(sql`update hand_overs set expires_at = now() where picked_up_at is null`);
      await watched.page.reload();
      return watched;
    },
    preparing: async (view) => {
      const user = await givenPerson();
      const watched = await downloaded(view, user, sql`downloaded_at = null`);
      await api.database.owner.query(sql`
        update issuances set status = 'queued', claim_id = null, serial_number = null, finished_at = null, claims = 9,
                             created_at = now() + interval '1 hour'
         where user_id = ${user.id}
      `);
      await watched.page.goto(watched.page.url());
      return watched;
    },
    applications: async (view) => {
      const user = await givenPerson();
      const { clientId } = await given.application({ realmId, type: "useragent", name: "Course planner" });
      await given.consent(user, clientId, { scopes: ["openid", "profile.read", "profile.create"] });
      return visit(view, user, "/me/apps");
    },
    "applications, none": async (view) => visit(view, await givenPerson(), "/me/apps"),
    guest: async (view) =>
      visit(view, undefined, `/guest/${(await given.guestAccount({ realmId, profileLimit: 20 })).token}`),
    "guest, full": async (view) =>
      visit(view, undefined, `/guest/${(await given.guestAccount({ realmId, profileLimit: 0 })).token}`),
    "guest, expired": async (view) =>
      visit(view, undefined, `/guest/${(await given.guestAccount({ realmId, expiresAt: fromNow(-1000) })).token}`),
    "guest sheet": async (view) =>
      visit(view, undefined, `/guest/${(await given.guestAccount({ realmId, name: "Open day" })).token}/sheet`),
    "guest, unknown": async (view) => visit(view, undefined, "/guest/rpg_nothing"),
    "small browser": async (view) =>
      visit(
        { ...view, userAgent: userAgents.captiveOnIPhone },
        undefined,
        `/guest/${(await given.guestAccount({ realmId })).token}`,
      ),
  };

  const headings: Record<string, string> = {
    "my devices": "My devices",
    "my devices, none": "My devices",
    "my devices, at the limit": "My devices",
    "my devices, locked": "My devices",
    "add a device": "Add a device",
    "add a device, with faults": "Add a device",
    "add a device, at the limit": "Add a device",
    "one device": "Work laptop",
    "one device, revoked": "laptop",
    "one device, replaced": "laptop",
    revoke: "Revoke laptop?",
    "not found": "There is nothing here",
    "set up, iOS": "Set up iPhone of Mia",
    "set up, MacOS": "Set up Mac of Mia",
    "set up, Android": "Set up Android phone of Mia",
    "set up, Linux": "Set up Linux computer of Mia",
    "set up, Other": "Set up Device of Mia",
    "set up, iOS, with apps": "Set up iPhone of Mia",
    "set up, Windows, with apps": "Set up Laptop of Mia",
    "set up, Linux, with apps": "Set up Linux computer of Mia",
    "set up, refused": "Set up Android phone of Mia",
    "set up, too late": "This took too long",
    ready: "Android phone of Mia is ready",
    "ready, nothing yet": "Android phone of Mia is ready",
    "ready, it works": "Android phone of Mia is ready",
    gone: "The file is gone",
    "qr code": "Scan this with the other device",
    "qr code, expired": "This code has expired",
    preparing: "Preparing your profile",
    applications: "Connected applications",
    "applications, none": "Connected applications",
    guest: "a conference",
    "guest, full": "a conference",
    "guest, expired": "This guest access has ended",
    "guest sheet": "Open day",
    "guest, unknown": "This link does not work",
    "small browser": "Open this page in Safari",
  };

  const underWay = {
    id: "0b1f6a5e-3a52-4a2a-9d0e-1f2f3f4f5f00",
    kind: "user",
    guestAccountId: null,
    name: "iPad of Mia",
    description: null,
    deviceType: "iPadOS",
    format: "pkcs12",
    keyType: "ec-p256",
    csr: null,
    authable: false,
    validityMonths: 12,
    at: fromNow(day),
    actor: { userId: null, clientId: null },
    requestId: "5d8e0c5e-6f0b-4a53-8d53-0b0a5f2f3c01",
  } as const;

  const fullPerson = async (): Promise<GivenUser> => {
    const user = await givenPerson("Mia Keller", { profileOverride: 1 });
    await given.profile(user);
    return user;
  };

  const visit = async (view: View, user: GivenUser | undefined, path: string): Promise<WatchedPage> => {
    const watched = await open({ userAgent: view.width < 600 ? userAgents.iPhone : userAgents.windows, ...view }, user);
    await watched.page.goto(`${api.url}${path}`);
    return watched;
  };

  const claimed = async (view: View, user: GivenUser, deviceType: string): Promise<WatchedPage> => {
    const watched = await visit(view, user, "/me/devices/new");
    await watched.page.check(`[value=${deviceType}]`);
    await press(watched.page, "[value=here]");
    return watched;
  };

  /** Opens the page after the download, with its hand-over changed. */
  const downloaded = async (view: View, user: GivenUser, set: ReturnType<typeof sql>): Promise<WatchedPage> => {
    const watched = await claimed(view, user, "Android");
    await downloadProfile(watched.page);
    await api.database.owner.query(sql`update hand_overs set ${set} where user_id = ${user.id}`);
    await watched.page.goto(watched.page.url());
    return watched;
  };

  test.each(Object.keys(pages))(
    "%s: axe and the browser find no fault, nothing scrolls sideways, and targets are large",
    async (name) => {
      for (const view of views) {
        await api.database.owner.query(sql`delete from issuances where id = ${underWay.id}`);
        const watched = await pages[name]!(view);
        const { page, context } = watched;
        // Stops loading: otherwise the page could reload during the checks.
        await page.evaluate("window.stop()");
        if (view.language === "en") expect(await page.textContent("h1")).toBe(headings[name]);
        await expectGoodPage(watched, name, view);
        await context.close();
      }
    },
    120_000,
  );
});
