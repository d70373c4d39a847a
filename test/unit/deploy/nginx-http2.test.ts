import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { withHttp2Directive } from "../../support/counterparts/nginx.ts";

test("the line of docs/production.md switches HTTP/2 on as nginx 1.25 requires, and changes nothing else", async () => {
  const shipped = await readFile("deploy/nginx/realmpass-tls.conf", "utf8");
  const changed = await withHttp2Directive(shipped);
  const others = (text: string, but: string): string[] =>
    text.split("\n").filter((line) => !but.split("\n").includes(line));
  expect(others(changed, shipped)).toEqual(["  http2 on;", "  listen 443 ssl;", "  listen [::]:443 ssl;"]);
  expect(others(shipped, changed)).toEqual(["  listen 443 ssl http2;", "  listen [::]:443 ssl http2;"]);
});
