import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWhole, type WholeService } from "../../support/whole-service.ts";

/** The README's walk from nothing to a certificate, as it stands there, against a service that was just started. */

let service: WholeService;
let directory: string;

beforeAll(async () => {
  service = await startWhole();
  directory = await mkdtemp(join(tmpdir(), "realmpass-readme-"));
  await service.ready();
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The shell blocks of one section. */
async function blocks(heading: string): Promise<string[]> {
  const text = await readFile("README.md", "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  return [...(section ?? "").matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? "");
}

/** What differs here from a reader's machine: the port, the data directory, and that we are in a directory of our own. */
const asHere = (script: string): string =>
  script
    .replaceAll("npm run --silent operator --", `"${process.execPath}" "${resolve("dist/operator/main.js")}"`)
    .replaceAll("localhost:3000", new URL(service.url).host)
    .replaceAll("data/ceremony", `"${service.data}"/ceremony`);

test("from nothing to a certificate that opens, whose chain verifies, and that is revoked", async () => {
  const script = (await blocks("From nothing to a certificate")).map(asHere);
  expect(script.length).toBeGreaterThan(3);

  const { stdout } = await promisify(execFile)("bash", ["-e", "-u", "-o", "pipefail", "-c", script.join("\n")], {
    cwd: directory,
    env: { ...service.env, PATH: process.env["PATH"] ?? "" },
    timeout: 30_000,
  });

  expect(stdout).toContain("laptop.pem: OK");
  expect(stdout).toContain('{"result":"ok","code":200,"data":true}');
});
