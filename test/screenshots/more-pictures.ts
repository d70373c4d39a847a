import type { Page } from "playwright-core";
import { appsPath } from "../../domain/onboarding-apps.ts";
import type { Picture } from "./pictures.ts";

const rows = (page: Page) => page.waitForSelector("tbody tr");

/** Opens the first of a list's rows that these words are in. */
const openRow =
  (words = "") =>
  async (page: Page): Promise<void> => {
    await page.locator("tbody tr").filter({ hasText: words }).first().getByRole("link").first().click();
    await page.waitForURL((url) => url.pathname.split("/").length > 3 || url.searchParams.has("open"));
    await page.waitForLoadState("networkidle");
  };

/** Opens the search and types. */
const search =
  (words: string) =>
  async (page: Page): Promise<void> => {
    await rows(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await page.waitForSelector("[role=option] mark, [role=option]");
    await page.waitForLoadState("networkidle");
  };

const request = new URLSearchParams({
  response_type: "code",
  client_id: "app.geteduroam.win",
  redirect_uri: "http://127.0.0.1:8080/",
  scope: "eap-metadata",
  state: "s",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
}).toString();

/** Pictures for a person who looks at the screens; documents do not have them. In this order. */
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
];
