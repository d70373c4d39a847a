import { beforeAll, expect, test } from "vitest";
import * as realms from "../../../../db/queries/realm/realms.ts";
import { sendRequest, useApi } from "../../../support/service/api.ts";
import { appsOn, withoutReference } from "./apps-support.ts";

const api = useApi();
let realm = "";
let off = "";
const { base, authorizeUrl } = appsOn(api, () => realm);

beforeAll(async () => {
  const named = async (id: string): Promise<string> => (await realms.findById(api.database.owner, id))?.name ?? "";
  const on = await api.given.realm();
  await realms.update(api.database.owner, on, { onboardingApps: true });
  [realm, off] = [await named(on), await named(await api.given.realm())];
});

const get = (url: string, accept?: string, method = "GET") =>
  sendRequest(url, method, { headers: accept === undefined ? {} : { accept } });

test.each([undefined, "*/*", "application/json", "application/json, text/html", ""])(
  "an app that accepts %s gets the endpoints, which are absolute",
  async (accept) => {
    const answer = await get(base(), accept);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        "http://letswifi.app/api#v2": {
          authorization_endpoint: `${base()}oauth/authorize/`,
          token_endpoint: `${base()}oauth/token/`,
          eapconfig_endpoint: `${base()}api/eap-config/`,
          mobileconfig_endpoint: `${base()}api/eap-config/?format=mobileconfig`,
        },
      },
    });
    expect(answer.headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "public, max-age=300",
      vary: "Accept",
    });
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  },
);

test("a browser gets a page with the stores, the address to type and the way to My devices", async () => {
  const page = await get(base(), "text/html,application/xhtml+xml");
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", vary: "Accept" });
  for (const shown of ["play.google.com", "dl.eduroam.app", `/letswifi/${realm}<`, 'href="/me"']) {
    expect(page.text).toContain(shown);
  }
  const listed = await realms.findByName(api.database.owner, realm);
  await realms.update(api.database.owner, listed?.id ?? "", { appsListing: "<b>University" });
  const named = await get(base(), "text/html");
  expect(named.text).toContain("&lt;b&gt;University");
  expect(named.text).not.toContain(`/letswifi/${realm}<`);
});

const paths = ["", "oauth/authorize/", "oauth/token/", "api/eap-config/"];

test.each(paths)("%s is served with and without its final slash, without a redirect", async (path) => {
  for (const method of ["GET", "POST"]) {
    const [slash, none] = await Promise.all(
      [`${base()}${path}`, `${base()}${path}`.replace(/\/$/, "")].map((url) => get(url, undefined, method)),
    );
    expect(slash?.status).toBeLessThan(500);
    expect(slash?.status).not.toBe(404);
    expect([301, 302, 307, 308]).not.toContain(slash?.status);
    expect(none?.status).toBe(slash?.status);
  }
});

test.each(paths.flatMap((path) => ["GET", "HEAD", "POST", "PUT", "OPTIONS"].map((method) => [method, path] as const)))(
  "%s %s of an unknown realm, or one without the apps, is the same 404 as any unknown address",
  async (method, path) => {
    for (const accept of [undefined, "text/html"]) {
      const unknown = withoutReference(await get(`${api.url}/nothing-here/x/${path}`, accept, method));
      expect(unknown.status).toBe(404);
      for (const name of [off, "nobody-has-it", "x".repeat(63)]) {
        expect(withoutReference(await get(`${base(name)}${path}`, accept, method))).toEqual(unknown);
      }
      // Control: the path exists in the realm with the apps.
      expect((await get(`${base()}${path}`, accept, method)).status).not.toBe(404);
    }
  },
);

test("a sign-in does not continue to a realm without the apps", async () => {
  const login = (name: string) => {
    const path = new URL(authorizeUrl({}, undefined, name));
    return get(`${api.url}/login?continue=${encodeURIComponent(`${path.pathname}${path.search}`)}`, "text/html");
  };
  expect((await login(off)).status).toBe(400);
  expect((await login("nobody-has-it")).status).toBe(400);
  // Control: the realm with the apps is accepted, but nobody can sign in to it, and the page reports that.
  expect((await login(realm)).status).toBe(403);
});
