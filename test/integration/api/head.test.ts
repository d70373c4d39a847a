import { beforeAll, describe, expect, test } from "vitest";
import { routesOf } from "../../../api/app.ts";
import type { Deps } from "../../../api/contract/deps.ts";
import { handOverToken } from "../../../api/resources/hand-over/hand-over-token.ts";
import { endpoints } from "../../../api/endpoints.ts";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { masterKeys } from "../../../runtime/keys/master-key.ts";
import { createBrowserSession } from "../../support/browser/browser-session.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { sendRequest, useApi, type ApiAnswer, type Caller } from "../../support/service/api.ts";
import { fileOn, formOf, headingOf, visitorOf } from "./browser/self-service/self-service-support.ts";

const api = useApi();
const { given } = api;
let realmId = "";
let cookie = "";
let admin: Caller;

beforeAll(async () => {
  ({ realmId } = await givenIssuingRealm(api.database.owner));
  await api.startWorker();
  admin = api.as.admin();
  cookie = `realmpass-login=${await given.login(await given.user({ realmId: api.realmId, administrator: true }))}`;
});

/** Listing the routes needs only addresses: no request is handled here. */
const settings = { baseUrl: "http://127.0.0.1", authUrl: "http://127.0.0.1" };
const routes = routesOf({ settings } as Deps).filter(({ methods }) => methods.includes("GET"));

/** Paths whose GET uses something up, begins something, or writes an audit entry. */
const acting = new Set([
  ...endpoints
    .filter(({ methods, file, secret }) => methods.includes("get") && (file !== undefined || secret))
    .map(({ path }) => path),
  "/oauth/authorize",
  "/oauth/logout",
  "/login/upstream",
  "/login/upstream/callback",
  "/console/sign-in",
  "/console/callback",
  "/me/data",
  "/me/hand-overs/:id/file/:filename",
  "/d/:token/file/:filename",
  "/guest/:token/hand-overs/:id/file/:filename",
]);

/** Paths for templates that match more than a plain value. */
const samples: Readonly<Record<string, string>> = {
  "/ocsp/:issuer": "/ocsp/1/MAA%3D",
  "/console/assets/:name": "/console/assets/index.js",
  "/console{/*path}": "/console/users",
};

/** The body contains a measured clock offset, so its length varies. */
const measured = "/readyz";

/** Headers that differ between any two responses. */
const passing = /^(?:date|x-request-id|x-rate-limit-.*|keep-alive|connection|age)$/;

const comparable = ({ status, headers }: ApiAnswer, path: string) => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !passing.test(name))
      .filter(([name, value]) => name !== "content-length" || (value !== "0" && path !== measured))
      .map(([name, value]) => [name, String(value).replace(/nonce-[\w-]+|(?<==)[^;]{20,}/g, "…")]),
  ),
});

const send = (method: string, path: string): Promise<ApiAnswer> =>
  path.startsWith("/api/")
    ? admin.send(method, path)
    : sendRequest(`${api.url}${path}`, method, { headers: { cookie } });

describe.each(routes.map(({ path, name, methods }) => ({ path, name, methods })))(
  "$name",
  ({ path, name, methods }) => {
    const sample = samples[name] ?? String(path).replace("{/}", "").replace(/:\w+/g, "1");

    if (acting.has(name)) {
      test("HEAD is refused", async () => {
        expect(await send("HEAD", sample)).toMatchObject({ status: 405, headers: { allow: methods.join(", ") } });
      });
    } else {
      test("HEAD returns the status and headers of GET, without a body", async () => {
        const [got, head] = [await send("GET", sample), await send("HEAD", sample)];
        expect(comparable(head, sample)).toEqual(comparable(got, sample));
        expect(head.text).toBe("");
      });
    }
  },
);

test("every route that is listed as acting on GET exists", () => {
  const names = new Set(routes.map(({ name }) => name));
  expect([...acting].filter((name) => !names.has(name))).toEqual([]);
});

describe("HEAD does not use up:", () => {
  const head = (url: string, cookies = "") => sendRequest(url, "HEAD", { headers: { cookie: cookies } });

  test("a sign-in link", async () => {
    const url = `${api.url}/sign-in/${await given.signInLink(await given.user({ realmId, administrator: true }))}`;
    for (let times = 0; times < 3; times++) expect(await head(url)).toMatchObject({ status: 200, text: "" });
    const browser = createBrowserSession(() => []);
    const pressed = await browser.submit(await browser.get(url), {}, { follow: false });
    expect(pressed).toMatchObject({ status: 303 });
    expect(await head(url)).toMatchObject({ status: 410 });
  });

  test("a link to another device, and its file", async () => {
    const owner = await visitorOf(api, await given.user({ realmId }));
    const offered = await owner.add({ place: "elsewhere" });
    const id = offered.url.split("/").at(-1) ?? "";
    const link = `${api.url}/d/${handOverToken({ masterKeys: masterKeys(api.masterKey) }, id)}`;
    for (let times = 0; times < 3; times++) expect(await head(link)).toMatchObject({ status: 200, text: "" });

    const device = await visitorOf(api);
    const claimed = await device.send(await device.get(link), { device_type: "Linux" });
    const ready = await device.download(claimed);
    expect(ready.text).toContain("private-key=");
    expect(await head(ready.url)).toMatchObject({ status: 405 });
  });

  test("a file that is ready and not fetched", async () => {
    const owner = await visitorOf(api, await given.user({ realmId }));
    const page = await owner.add();
    const { action, fields } = formOf(page);
    await owner.browser.post(action, fields, { follow: false });
    let answer = await owner.get(page.url);
    while (!headingOf(answer).endsWith(" ready")) answer = await owner.get(page.url);
    const jar = [...owner.browser.cookies].map(([name, value]) => `${name.split(" ")[1] ?? ""}=${value}`).join("; ");
    const downloaded = async () =>
      only(
        await api.database.owner.query<{ at: Date | null }>(
          sql`select downloaded_at as at from hand_overs where id = ${page.url.split("/").at(-1)}`,
        ),
      ).at;
    expect(await head(fileOn(answer), jar)).toMatchObject({ status: 405 });
    expect(await head(page.url, jar)).toMatchObject({ status: 200, text: "" });
    expect(await downloaded()).toBeNull();
    expect((await owner.get(fileOn(answer))).text).toContain("PRIVATE KEY");
    expect(await downloaded()).not.toBeNull();
  });
});
