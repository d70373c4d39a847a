import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import { createBrowserSession } from "../../../support/browser/browser-session.ts";
import { givenLocalAccount } from "../../../support/given/local-account.ts";

const api = useApi();
const get = (path: string, headers: Record<string, string> = {}) =>
  sendRequest(`${api.url}${path}`, "GET", { headers });

beforeAll(async () => {
  await givenLocalAccount(api, { username: "ada" });
});

const policy = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

test("pages load only their own style, run no script, cannot be framed and are not cached", async () => {
  const page = await get("/login", { origin: "https://app.example" });
  expect(page.headers).toMatchObject({
    "content-security-policy": policy,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  });
  expect(page.headers["access-control-allow-origin"]).toBeUndefined();
  expect(page.text).not.toMatch(/<script|<style|style=|https?:\/\/|\son\w+=/i);
  expect((await get("/login/ended")).headers["content-security-policy"]).toBe(`${policy}; form-action 'self'`);
});

test("the sign-in page and its style sheet together are smaller than 20,000 characters", async () => {
  const page = await get("/login");
  const style = await get(/href="(\/assets\/[^"]+\.css)"/.exec(page.text)![1]!);
  expect(page.text.length).toBeLessThan(4_000);
  expect(page.text.length + style.text.length).toBeLessThan(20_000);
});

test("style and icon are immutable under a name with their hash, and have no-cache under other names", async () => {
  const { text } = await get("/login");
  const addresses = [...text.matchAll(/href="(\/assets\/[^"]+)"/g)];
  expect(addresses).toHaveLength(2);
  for (const [, address] of addresses) {
    expect((await get(address!)).headers["cache-control"]).toBe("public, max-age=31536000, immutable");
    const older = await get(address!.replace(/-[\w-]{16}\./, "-0123456789abcdef."));
    expect(older).toMatchObject({ status: 200, headers: { "cache-control": "no-cache" } });
  }
  for (const path of ["/assets/", "/assets/x.css", "/assets/pages-..%2f..%2fapp.ts.css", "/assets/__proto__"]) {
    expect(await get(path)).toMatchObject({ status: 404 });
  }
});

test("a chosen language is remembered, and the choice leads to the same page", async () => {
  const browser = createBrowserSession(() => []);
  const { name } = (await realms.findById(api.database.owner, api.realmId))!;
  const english = await browser.get(`${api.url}/login?realm=${name}`);
  expect(english.text).toContain('<html lang="en">');
  const [, choice] = /<a href="([^"]+)" lang="de" hreflang="de">Deutsch/.exec(english.text)!;
  expect(choice).toBe(`/login?realm=${name}&amp;lang=de`);

  const german = await browser.get(`${api.url}${choice!.replaceAll("&amp;", "&")}`);
  expect(german.text).toContain('<html lang="de">');
  expect(german.headers["content-language"]).toBe("de");
  expect(german.headers["set-cookie"]).toContainEqual(
    "realmpass-language=de; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000",
  );
  expect((await browser.get(`${api.url}/login`)).text).toContain('<html lang="de">');
});

test("an error page shows both languages and the request id, and repeats nothing from the request", async () => {
  const hostile = "https://evil.example/<script>alert(1)</script>";
  const page = await get(
    `/oauth/authorize?response_type=code&client_id=${encodeURIComponent(hostile)}&redirect_uri=${encodeURIComponent(hostile)}&state=evil`,
  );
  expect(page).toMatchObject({ status: 400, headers: { "content-security-policy": `${policy}; form-action 'self'` } });
  expect(page.headers.location).toBeUndefined();
  expect(page.text).not.toMatch(/evil|alert/);
  expect(page.text).toContain(page.headers["x-request-id"]);
  expect(page.text).toMatch(/<time datetime="\d{4}-\d\d-\d\dT[\d:.]+Z">/);
  expect(page.text).toContain("Unknown application");
  expect(page.text).toMatch(/<details lang="de"><summary>Deutsch<\/summary>.*Unbekannte Anwendung/s);
});

test("the sign-in page has one heading, one main part, and a title with the page and the realm", async () => {
  const { text } = await get("/login");
  const realm = (await realms.findById(api.database.owner, api.realmId))!;
  expect(text).toContain(`<title>Sign in · ${realm.displayName}</title>`);
  for (const element of ["h1", "main", "header", "footer"]) {
    expect(text.match(new RegExp(`<${element}[ >]`, "g")), element).toHaveLength(1);
  }
});
