import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../../../../api/endpoints.ts";
import { guides } from "../../../../../api/browser/docs/guides.ts";
import { errorCatalogue } from "../../../../../domain/errors.ts";
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

  test("leads nowhere that is not there", async () => {
    const page = await get(path);
    const links = new Set([...page.text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link));
    for (const link of links) {
      const [target = "", anchor] = link.split("#");
      const found = target === "" ? page : await get(target);
      expect(found.status, link).toBe(200);
      if (anchor !== undefined) expect(found.text, link).toContain(`id="${anchor}"`);
    }
  });
});

test("every file in docs/guides is a page", () => {
  expect(readdirSync("docs/guides").sort()).toEqual(guides.map(({ file }) => file).sort());
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
    for (const key of [...(list?.sort ?? []), ...Object.keys(list?.filter ?? {})])
      expect(part).toContain(`<code>${key}</code>`);
  }
});

test("commands are for the address that the service has", async () => {
  const { text } = await get("/docs/quickstart");
  expect(text).toContain(`${api.url}/oauth/token`);
  expect(text).not.toContain("localhost:3000");
});

test("what pages load comes packed for who can unpack it, and is compared each time", async () => {
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

test("what is not there is 404, and nothing leads out of the folder", async () => {
  for (const path of ["/docs/nothing", "/docs/README.md", "/docs/assets/..%2f..%2fpackage.json", "/docs/..%2Fguides"])
    expect(await get(path)).toBeError("not_found");
});
