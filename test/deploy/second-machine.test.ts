import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { asRun, barePlace, named, packRelease, runOnMachine, startPackages } from "../support/deploy/page.ts";
import { atEndOfFile } from "../support/run/at-end.ts";
import { shellBlocks } from "../support/run/shell-blocks.ts";
import { describeWithTool } from "../support/run/tools.ts";

const section = readFileSync("docs/production.md", "utf8").split("## 13. A second machine\n")[1] ?? "";

/** Returns the page's setting that begins with `start`, for the test to apply. */
function setting(start: string): string {
  const found = section.split("`").find((text, at) => at % 2 === 1 && text.startsWith(start));
  if (found === undefined) throw new Error(`the page has no ${start}`);
  return found;
}

describeWithTool(
  ["root", "unshare", "pg_createcluster", "redis-server", "nginx", "openssl", "setpriv", "ip", "pkill"],
  "the second machine of docs/production.md",
  () => {
    let found: Record<string, unknown>;

    beforeAll(async () => {
      const directory = mkdtempSync(join(tmpdir(), "realmpass-machines-"));
      chmodSync(directory, 0o755);
      atEndOfFile(() => {
        rmSync(directory, { recursive: true, force: true });
      });
      const release = join(directory, "release");
      packRelease(release);
      const page = {
        queue: setting("REDIS_URL="),
        proxies: setting("REALMPASS_TRUSTED_PROXIES="),
        ocspHost: setting("REALMPASS_OCSP_HOST="),
        listen: setting("listen_addresses"),
        admitted: setting("hostssl "),
        bind: setting("bind "),
        server: setting("server 10.0.0.2:3000").replace(/;$/, ""),
        host: setting("REALMPASS_HOST="),
      };
      const program = resolve("test/support/deploy/second-machine.mjs");
      const steps = [
        ...(await shellBlocks("docs/production.md")).map(asRun),
        `"${process.execPath}" "${program}" '${JSON.stringify(page).replaceAll("'", `'\\''`)}'`,
      ];
      const script = join(directory, "script.sh");
      writeFileSync(script, ["set -eu -o pipefail", barePlace, startPackages, named(release), ...steps].join("\n"));
      const units = resolve("test/support/deploy/units.mjs");
      const printed = await runOnMachine("machine.sh", [join(directory, "machine"), script, process.execPath, units]);
      found = JSON.parse(/^FOUND (.*)$/m.exec(printed)?.[1] ?? "{}") as Record<string, unknown>;
    });

    test("passes the doctor, which counts the processes of both machines", () => {
      expect(found["alive"]).toMatch(/^alive: worker 4 \(\S+\), responder 4 \(\S+\), api 4 \(\S+\)$/);
      expect(found["fails"]).toEqual([]);
    });

    test("issues profiles, answers OCSP and serves the CRL while the first machine's processes are stopped", () => {
      expect(found).toMatchObject({ ocsp: "good", crl: 200 });
    });

    test("trusts the first machine's proxy with the page's setting", () => {
      expect(found["trusted"]).toEqual([]);
      expect(found["untrusted"]).toMatchObject([{ message: expect.stringContaining("a proxy's address") as string }]);
    });
  },
);
