import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, describe, expect, test } from "vitest";
import { sendRequest, useApi } from "../../../../support/service/api.ts";

const folder = mkdtempSync(path.join(tmpdir(), "realmpass-console-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const page = `<!doctype html><meta name="base" content="__BASE__" /><meta name="csp-nonce" content="__CSP_NONCE__" />
<link rel="icon" href="__ICON__" />
<script type="module" src="__BASE__/console/assets/main-abc123.js"></script>`;
const script = `console.log("${"x".repeat(1_000)}");`;
mkdirSync(path.join(folder, "assets"));
writeFileSync(path.join(folder, "index.html"), page);
writeFileSync(path.join(folder, "secret.js"), "not for anybody");
for (const [name, content] of Object.entries({
  "main-abc123.js": script,
  "main-abc123.js.gz": gzipSync(script),
  "main-abc123.js.br": brotliCompressSync(script),
  "style-abc123.css": "body{}",
  "inter-abc123.woff2": "font",
  "notes.txt": "not for anybody",
  ".hidden.js": "not for anybody",
})) {
  writeFileSync(path.join(folder, "assets", name), content);
}

let logged = "";
const log = pino(
  { level: "debug" },
  new Writable({
    write(chunk: Buffer, _, done) {
      logged += chunk.toString();
      done();
    },
  }),
);

describe("a console that is built", () => {
  const api = useApi({ settings: { consoleFolder: folder } });
  const get = (where: string, headers: Record<string, string> = {}) =>
    sendRequest(`${api.url}${where}`, "GET", { headers });

  test.each([
    "/console",
    "/console/",
    "/console/users",
    "/console/users/17?search=x",
    "/console/apis",
    "/console/a/b/c",
  ])("%s returns the console's page, which is never cached", async (where) => {
    const answer = await get(where);
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", "x-frame-options": "DENY" },
    });
    expect(answer.text).toContain('<meta name="base" content="" />');
    expect(answer.text).toContain('src="/console/assets/main-abc123.js"');
    expect(answer.text).not.toMatch(/__(?:BASE|CSP_NONCE|ICON)__/);
  });

  test("the console has the same icon as the other pages", async () => {
    const icon = /rel="icon" href="([^"]+)"/.exec((await get("/console")).text)?.[1] ?? "";
    expect(await get(icon)).toMatchObject({ status: 200, headers: { "content-type": "image/svg+xml" } });
  });

  test("the console's policy allows only the service's own scripts, styles and fonts, with a new nonce in each response", async () => {
    const [one, two] = [await get("/console"), await get("/console")];
    const nonce = /name="csp-nonce" content="([\w-]{22})"/.exec(one.text)?.[1];
    expect(one.headers["content-security-policy"]).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; ` +
        "img-src 'self' data: https:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
        "form-action 'self'",
    );
    expect(two.text).not.toContain(nonce);
  });

  test("the console's assets are cached as immutable and served with their content type", async () => {
    const answer = await get("/console/assets/main-abc123.js");
    expect(answer).toMatchObject({
      status: 200,
      text: script,
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
        vary: "Accept-Encoding",
        "x-content-type-options": "nosniff",
      },
    });
    expect(await get("/console/assets/style-abc123.css")).toMatchObject({
      headers: { "content-type": "text/css; charset=utf-8" },
    });
    expect(await get("/console/assets/inter-abc123.woff2", { "accept-encoding": "gzip, br" })).toMatchObject({
      status: 200,
      text: "font",
      headers: { "content-type": "font/woff2" },
    });
  });

  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["brotli", undefined],
    ["identity", undefined],
    ["", undefined],
  ])("a request with Accept-Encoding %j gets %s", async (accepts, encoding) => {
    const { headers, status } = await get("/console/assets/main-abc123.js", { "accept-encoding": accepts });
    expect(status).toBe(200);
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const length = { br: brotliCompressSync(script).length, gzip: gzipSync(script).length }[encoding ?? ""];
    expect(headers["content-length"]).toBe(String(length ?? script.length));
  });

  test.each([
    "/console/assets/missing-abc123.js",
    "/console/assets/",
    "/console/assets",
    "/console/assets/../index.html",
    "/console/assets/../secret.js",
    "/console/assets/..%2fsecret.js",
    "/console/assets/%2e%2e/secret.js",
    "/console/assets/..\\secret.js",
    "/console/assets//etc/passwd",
    "/console/assets/.hidden.js",
    "/console/assets/notes.txt",
    "/console/assets/main-abc123.js.gz",
    "/console/assets/main-abc123.js%00.css",
    `/console/assets/${"x".repeat(300)}.js`,
  ])("there is no %s", async (where) => {
    expect(await get(where)).toBeError("not_found");
  });

  test("a bad percent escape is refused, as everywhere", async () => {
    expect((await get("/console/%ff")).status).toBe(400);
  });
});

describe("a console that is not built", () => {
  const api = useApi({ settings: { consoleFolder: path.join(folder, "nowhere") }, log });

  test("is reported on the page and in the log, with the command that builds it", async () => {
    const answer = await sendRequest(`${api.url}/console`, "GET", {});
    expect(answer).toMatchObject({ status: 503, headers: { "content-type": "text/html; charset=utf-8" } });
    expect(answer.text).toContain("npm run build");
    expect(logged).toContain("`npm run build` builds it");
    expect(await sendRequest(`${api.url}/console/assets/main-abc123.js`, "GET", {})).toBeError("not_found");
  });
});
