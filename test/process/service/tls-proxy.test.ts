import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTlsNginx } from "../../support/counterparts/nginx.ts";
import { describeWithTool } from "../../support/run/tools.ts";

describeWithTool(["nginx", "openssl"], "the proxy file with TLS, over plain http", () => {
  test("answers the challenge of a certificate authority, and redirects what it does not serve", async () => {
    const nobody = "127.0.0.1:9";
    const proxy = await startTlsNginx({ apis: [nobody, nobody], responders: [nobody, nobody] });
    const challenges = join(proxy.directory, "acme/.well-known/acme-challenge");
    await mkdir(challenges, { recursive: true });
    await writeFile(join(challenges, "token"), "token.thumbprint");
    const ask = (path: string) => fetch(proxy.url + path, { redirect: "manual" });

    const answer = await ask("/.well-known/acme-challenge/token");
    expect([answer.status, await answer.text()]).toEqual([200, "token.thumbprint"]);
    expect((await ask("/.well-known/acme-challenge/other")).status).toBe(404);
    expect((await ask("/.well-known/openid-configuration")).status).toBe(301);
  });
});
