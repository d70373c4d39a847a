import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { endpoints } from "../../../../../api/endpoints.ts";
import { guides } from "../../../../../api/browser/docs/guides.ts";
import { errorCatalogue } from "../../../../../domain/errors.ts";
import { givenIssuingRealm } from "../../../../support/given/issuing.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const get = (path: string, headers: Record<string, string> = {}) => api.as.nobody().get(path, { headers });

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const pages = [...guides.map(({ slug }) => (slug === "" ? "/docs" : `/docs/${slug}`)), "/docs/reference"];

describe.each(pages)("%s", (path) => {
  test("is a public page that loads only the service's own files and has no script in it", async () => {
    const page = await get(path);
    expect(page).toMatchObject({
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-language": "en",
        "content-security-policy": policy,
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "cache-control": "no-cache",
      },
    });
    expect(page.text).toMatch(/^<!doctype html><html lang="en">/);
    expect(page.text.match(/<h1\b/g)).toHaveLength(1);
    expect(page.text).not.toMatch(/\sstyle=|\son\w+=|<style|<script(?! src="\/docs\/assets\/)/);
    expect(await get(path, { "if-none-match": page.headers.etag! })).toMatchObject({ status: 304, text: "" });
  });

  test("has no broken link", async () => {
    const page = await get(path);
    const links = new Set([...page.text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link));
    expect(links.size).toBeGreaterThan(5);
    for (const link of links) {
      const [target = "", anchor] = link.split("#");
      const found = target === "" ? page : await get(target);
      // If the console is not built, its pages return 503 with a sentence that says so.
      expect(found.status, link).toBe(target.startsWith("/console") && found.status === 503 ? 503 : 200);
      if (anchor !== undefined) expect(found.text, link).toContain(`id="${anchor}"`);
    }
  });
});

test("every file in docs/guides is a page", () => {
  const ofGuides = guides.flatMap(({ file }) => (file.startsWith("docs/guides/") ? [file.slice(12)] : []));
  expect(readdirSync("docs/guides").sort()).toEqual(ofGuides.sort());
});

test("every error code has its anchor, status and sentence", async () => {
  const { text } = await get("/docs/errors");
  for (const [code, { status, message }] of Object.entries(errorCatalogue)) {
    expect(text).toContain(`<tr id="${code}">`);
    const row = text.slice(text.indexOf(`<tr id="${code}">`)).split("</tr>")[0];
    expect(row).toContain(`<td>${status}</td>`);
    expect(row).toContain(message.split(/[&<>"']/)[0]);
  }
});

test("every list has its address, search, sort and filter keys", async () => {
  const { text } = await get("/docs/lists");
  for (const { operation, path, list } of endpoints.filter((endpoint) => endpoint.list !== undefined)) {
    const part = text.slice(text.indexOf(`id="${operation}"`)).split("<h3")[0];
    expect(part).toContain(path.replace(/:(\w+)/g, "{$1}"));
    expect(part).toContain(`search: ${list?.search === undefined ? "none" : `inside ${list.search}`}`);
    for (const key of [...(list?.sort ?? []), ...Object.keys(list?.filter ?? {})])
      expect(part).toContain(`<code>${key}</code>`);
  }
});

test("commands contain the service's own address", async () => {
  const { text } = await get("/docs/quickstart");
  expect(text).toContain(`${api.url}/oauth/token`);
  expect(text).not.toContain("localhost:3000");
});

describe("for an application", () => {
  const clientId = "5f0c2f6e-8a3b-4d0e-9b52-0c5d1f7f7a10";
  const page = async (path: string) => (await get(path)).text.replaceAll("&#39;", "'").replaceAll("&quot;", '"');

  test("the quickstart does not register another application, contains the client_id of this one and asks for its secret", async () => {
    const asWritten = await page("/docs/quickstart");
    expect(asWritten).toContain("application create");
    expect(asWritten).toContain("client.json");

    const own = await page(`/docs/quickstart?client=${clientId}`);
    expect(own).toContain(`client_id=${clientId}\n`);
    expect(own).toContain("read -rs client_secret\n");
    expect(own).not.toMatch(/application create|client\.json/);
    expect(own).toContain("user create");
  });

  test("links keep the realm and the application, and one link leads back to the application's page in the console", async () => {
    const realm = (await realms.findById(api.database.owner, await api.given.realm()))?.name;
    const { text } = await get(`/docs/quickstart?realm=${realm}&client=${clientId}`);
    expect(text).toContain(`href="/docs/sign-in?realm=${realm}&amp;client=${clientId}"`);
    expect(text).toContain(`href="/console/applications/${clientId}"`);
    expect((await get("/docs/quickstart")).text).toContain('href="/console"');
  });

  test("any value that is not a client_id is ignored", async () => {
    const plain = (await get("/docs/quickstart")).text;
    for (const other of ["$(reboot)", "a%20b", "a%0Ab", "%22%3E", "x".repeat(65), ""]) {
      expect((await get(`/docs/quickstart?client=${other}`)).text, other).toBe(plain);
    }
  });
});

test("resources are compressed when the client accepts it, and revalidated on each request", async () => {
  const path = "/docs/assets/swagger-ui.css";
  const plain = await get(path);
  expect(plain).toMatchObject({
    status: 200,
    headers: { "content-type": "text/css; charset=utf-8", "cache-control": "no-cache", vary: "Accept-Encoding" },
  });
  const packed = await fetch(`${api.url}${path}`, { headers: { "accept-encoding": "gzip" } });
  expect(packed.headers.get("content-encoding")).toBe("gzip");
  expect(await packed.text()).toBe(plain.text);
  expect(packed.headers.get("etag")).not.toBe(plain.headers.etag);
  expect((await get(path, { "accept-encoding": "br, gzip;q=0" })).headers["content-encoding"]).toBeUndefined();
  expect((await get(path, { "if-none-match": plain.headers.etag! })).status).toBe(304);
});

describe("for a realm", () => {
  const nameOf = async (realmId: string): Promise<string> => (await realms.findById(owner(), realmId))?.name ?? "";
  const owner = () => api.database.owner;

  test("a guide shows the named realm's domain, RADIUS server name, issuing CA and addresses", async () => {
    const realmId = await api.given.realm();
    const name = await nameOf(realmId);
    const asWritten = (await get("/docs/radius?realm=nobody")).text;
    expect(asWritten).toContain("/api/infrastructure-profile/radius.demo.example");
    expect(asWritten).toContain("/crl/$issuer.crl");

    const { text } = await get(`/docs/radius?realm=${name}`);
    const { issuerId } = (await realms.findForGuides(owner(), { name })) ?? {};
    expect(text).toContain(`${api.url}/api/infrastructure-profile/radius.${name}.example`);
    expect(text).toContain(`${api.url}/crl/${issuerId}.crl`);
    expect(text).toContain(`/docs/radius/strict.tar.gz?realm=${name}`);
    expect(text).not.toMatch(/demo\.example|\$issuer|\$base_url/);
    // Links to other pages keep the realm.
    expect(text).toContain(`href="/docs/replacing-cas?realm=${name}"`);
    expect(text).toContain(`href="/docs/radius/hostapd?realm=${name}"`);

    await realms.update(owner(), realmId, { radiusCn: "aaa.campus.example" });
    expect((await get(`/docs/radius?realm=${name}`)).text).toContain("/CN=aaa.campus.example");
    // An invalid name is not inserted into commands.
    await realms.update(owner(), realmId, { radiusCn: "$(reboot)" });
    expect((await get(`/docs/radius?realm=${name}`)).text).not.toContain("reboot");
  });

  test("without a realm's name, a guide shows example values if there are several realms", async () => {
    const several = await api.given.realm();
    expect((await get("/docs/radius")).text).toContain("radius.demo.example");
    expect(await realms.findForGuides(owner(), { name: undefined })).toBeUndefined();
    expect(await realms.findForGuides(owner(), { name: await nameOf(several) })).toMatchObject({
      domain: `${await nameOf(several)}.example`,
    });
  });

  test.each(["strict", "resilient", "hostapd", "disconnect"])(
    "%s.tar.gz unpacks to what its page describes, with the realm's domain and no secret",
    async (archive) => {
      const name = await nameOf(await api.given.realm());
      const answer = await fetch(`${api.url}/docs/radius/${archive}.tar.gz?realm=${name}`);
      expect(answer.headers.get("content-type")).toBe("application/gzip");
      expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${archive}.tar.gz"`);
      const packed = Buffer.from(await answer.arrayBuffer());
      const tar = (...parameters: string[]): string => execFileSync("tar", parameters, { input: packed }).toString();

      const listed = tar("-tzf", "-").trim().split("\n");
      const folders =
        { strict: ["common", "vlans"], resilient: ["common", "vlans"], hostapd: ["resilient"], disconnect: [] }[
          archive
        ] ?? [];
      const expected = [...folders, archive].flatMap((folder) =>
        readdirSync(`docs/radius/${folder}`, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => `${entry.parentPath}/${entry.name}`.slice("docs/".length)),
      );
      expect(listed.sort()).toEqual(expected.sort());

      const text = tar("-xzOf", "-");
      expect(text).not.toContain("demo.example");
      if (folders.includes("common")) {
        expect(tar("-xzOf", "-", "radius/common/sites-available/realmpass")).toContain(
          `realm_domain = "${name}.example"`,
        );
        expect(text).toContain('secret = "CHANGE-ME"');
      }
      for (const [, secret] of text.matchAll(/^\s*secret\s*=\s*(.*)$/gm)) expect(secret).toBe('"CHANGE-ME"');
      const scripts = tar("-tvzf", "-")
        .split("\n")
        .filter((line) => /fetch-crl|bring-crl|fetch-vlans|realmpass-disconnect$/.test(line));
      expect(scripts).not.toEqual([]);
      for (const line of scripts) expect(line).toMatch(/^-rwxr-xr-x root\/root/);
    },
  );
});

test.each(["strict", "resilient"])(
  "package-%s.tar has the realm's own configuration and issuing CA and no secret, and does not exist without a realm",
  async (mode) => {
    const { owner } = api.database;
    const [realm, other] = [await givenIssuingRealm(owner), await givenIssuingRealm(owner)];
    const row = await realms.findById(owner, realm.realmId);
    const answer = await fetch(`${api.url}/docs/radius/package-${mode}.tar?realm=${row?.name}`);
    expect(answer.headers.get("content-type")).toBe("application/x-tar");
    const packed = Buffer.from(await answer.arrayBuffer());
    const tar = (...parameters: string[]): string => execFileSync("tar", parameters, { input: packed }).toString();

    const pem = (der: Buffer) => new X509Certificate(der).toString();
    expect(tar("-xOf", "-", "realmpass-radius/issuers.pem")).toBe(pem(realm.issuer));
    const text = tar("-xOf", "-");
    expect(text).toContain(`realm_domain = "${row?.domain}"`);
    expect(text).not.toContain(pem(other.issuer));
    expect(text).not.toMatch(/demo\.example|PRIVATE KEY|CHANGE-ME/);
    expect(text.includes(`/crl/${realm.issuerId}.crl`)).toBe(mode === "resilient");
    expect(tar("-tvf", "-")).toMatch(/^-rwxr-xr-x .* realmpass-radius\/install$/m);
    expect(await get(`/docs/radius/package-${mode}.tar?realm=nowhere`)).toBeError("not_found");
    expect(await get(`/docs/radius/package-${mode}.tar`), "several realms").toBeError("not_found");
  },
);

test("an unknown page gets 404, and no path leaves the folder", async () => {
  for (const path of [
    "/docs/nothing",
    "/docs/README.md",
    "/docs/radius/common.tar.gz",
    "/docs/assets/..%2f..%2fpackage.json",
    "/docs/..%2Fguides",
  ])
    expect(await get(path)).toBeError("not_found");
});
