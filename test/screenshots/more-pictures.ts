import type { Page } from "playwright-core";
import { appsPath } from "../../domain/onboarding-apps.ts";
import type { Picture } from "./pictures.ts";

const rows = (page: Page) => page.waitForSelector("tbody tr");

/** Opens the first row of a list that contains these words. */
const openRow =
  (words = "") =>
  async (page: Page): Promise<void> => {
    await page.locator("tbody tr").filter({ hasText: words }).first().getByRole("link").first().click();
    await page.waitForURL((url) => url.pathname.split("/").length > 3 || url.searchParams.has("open"));
    await page.waitForLoadState("networkidle");
  };

/** Opens the search and types these words. */
const search =
  (words: string) =>
  async (page: Page): Promise<void> => {
    await rows(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await page.waitForSelector("[role=option] mark, [role=option]");
    await page.waitForLoadState("networkidle");
  };

/** Presses a button or link that leads to another page. */
const press =
  (selector: string) =>
  async (page: Page): Promise<void> => {
    const before = page.url();
    await page.locator(selector).first().click();
    await page.waitForURL((url) => url.href !== before);
  };

/** Adds a device for the administrator, unless they have one. */
async function addDevice(page: Page, url: string): Promise<void> {
  if ((await page.locator(".device").count()) > 0) return;
  await page.goto(`${url}/me/devices/new`);
  await press("[value=here]")(page);
  await Promise.all([page.waitForEvent("download"), page.click("button.large")]);
  await page.goto(`${url}/me`);
  await page.waitForSelector(".device");
}

/** Opens the guest page of the first guest account, or the page at this path below it. */
const openGuestPage =
  (below = "") =>
  async (page: Page): Promise<void> => {
    await openRow()(page);
    await page.locator("main section .mantine-Card-root button, main section.mantine-Card-root button").first().click();
    await page.goto((await page.locator("pre", { hasText: "/guest/" }).innerText()) + below);
  };

/** Opens the page on which a person allows an application. */
async function openConsent(page: Page): Promise<void> {
  await openRow("Campus app")(page);
  await page.goto(await page.locator("pre", { hasText: "response_type=code" }).first().innerText());
}

const request = new URLSearchParams({
  response_type: "code",
  client_id: "app.geteduroam.win",
  redirect_uri: "http://127.0.0.1:8080/",
  scope: "eap-metadata",
  state: "s",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
}).toString();

/** Pictures of screens that no document shows, in this order, for a person who checks the screens. */
export const morePictures: readonly Picture[] = [
  { name: "sign-in", path: "/login", signedOut: true },
  { name: "code", path: "/code", signedOut: true },
  { name: "docs", path: "/docs", signedOut: true },
  { name: "docs-guide", path: "/docs/quickstart", signedOut: true },
  {
    name: "apps-settings",
    path: "/console/settings#apps",
    async show(page) {
      const isOn = page.locator("#apps [role=switch], #apps input[type=checkbox]").first();
      await isOn.waitFor({ state: "attached" });
      if (await isOn.isChecked()) return;
      await isOn.setChecked(true, { force: true });
      await page.click("#apps [type=submit]");
      await page.getByText("#letswifi").waitFor();
    },
  },
  { name: "app", path: appsPath("demo"), signedOut: true },
  { name: "app-consent", path: `${appsPath("demo")}oauth/authorize/?${request}` },
  { name: "dashboard", path: "/console", show: (page) => page.waitForLoadState("networkidle") },
  { name: "settings", path: "/console/settings", show: (page) => page.waitForSelector("input") },
  { name: "directory", path: "/console/settings/directory" },
  { name: "provider", path: "/console/settings/sign-in" },
  { name: "freeradius", path: "/console/infrastructure/radius", show: (page) => page.waitForSelector("input") },
  {
    name: "freeradius-waits",
    path: "/console/infrastructure/radius",
    async show(page) {
      await page.fill("main input[type=text], main input:not([type])", "192.168.1.0/24");
      await page.click("main [type=submit]");
      await page.getByText("tar ").first().waitFor();
    },
  },
  { name: "application", path: "/console/applications", show: openRow("Campus app") },
  { name: "job-finished", path: "/console/jobs", show: openRow() },
  { name: "user", path: "/console/users", show: openRow() },
  { name: "profile", path: "/console/profiles", show: openRow() },
  { name: "guest", path: "/console/guests", show: openRow() },
  { name: "palette", path: "/console/users", show: search("ma") },
  { name: "audit-entry", path: "/console/audit", show: openRow() },
  { name: "revocation", path: "/console/jobs/new/revocation" },
  { name: "add-device", path: "/me/devices/new" },
  { name: "device-ready", path: "/me/devices/new", show: press("[value=here]") },
  { name: "hand-over", path: "/me/devices/new", show: press("[value=elsewhere]") },
  { name: "my-devices", path: "/me", show: addDevice },
  { name: "my-device", path: "/me", show: press(".device h2 a") },
  { name: "revoke-my-device", path: "/me", show: press("a[href$='/revoke']") },
  { name: "my-applications", path: "/me/apps" },
  { name: "consent", path: "/console/applications", show: openConsent },
  {
    name: "sign-in-wrong",
    path: "/login",
    signedOut: true,
    async show(page) {
      await page.fill("[name=username]", "nobody");
      await page.fill("[name=password]", "wrong");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".alert");
    },
  },
  { name: "signed-in", path: "/login" },
  { name: "signed-out", path: "/login/ended", signedOut: true },
  { name: "new-password", path: "/login/password" },
  { name: "no-such-page", path: "/nowhere", signedOut: true },
  { name: "guest-page", path: "/console/guests", show: openGuestPage() },
  { name: "guest-sheet", path: "/console/guests", show: openGuestPage("/sheet") },
  { name: "docs-found", path: "/docs/search?q=revoke", signedOut: true },
  { name: "docs-errors", path: "/docs/errors", signedOut: true },
  { name: "docs-reference", path: "/docs/reference", signedOut: true },
  { name: "users", path: "/console/users", show: rows },
  { name: "profiles", path: "/console/profiles", show: rows },
  { name: "guests", path: "/console/guests", show: rows },
  { name: "new-guest", path: "/console/guests", show: (page) => page.locator("main button").first().click() },
  { name: "infrastructure", path: "/console/infrastructure", show: rows },
  { name: "jobs", path: "/console/jobs", show: rows },
  { name: "onboarding", path: "/console/jobs/new/onboarding" },
  { name: "offboarding", path: "/console/jobs/new/offboarding" },
  { name: "audit", path: "/console/audit", show: rows },
  {
    name: "audit-page",
    path: "/console/audit",
    async show(page) {
      await openRow()(page);
      await press("[role=dialog] a[href*='/audit/']")(page);
    },
  },
  { name: "applications", path: "/console/applications", show: rows },
  { name: "register", path: "/console/applications/new" },
  { name: "shortcuts", path: "/console/users", show: (page) => rows(page).then(() => page.keyboard.press("?")) },
  { name: "unknown-page", path: "/console/nowhere" },
];
