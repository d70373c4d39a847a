import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runBlocks, shellBlocks } from "../../support/run/shell-blocks.ts";
import { startWhole, type WholeService } from "../../support/service/whole-service.ts";

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

test("from nothing to a certificate that opens, whose chain verifies, and that is revoked", async () => {
  const blocks = await shellBlocks("README.md", "From nothing to a certificate");
  expect(blocks.length).toBeGreaterThan(3);

  const printed = await runBlocks(service, blocks, { directory });

  expect(printed).toContain("laptop.pem: OK");
  expect(printed).toContain('{"result":"ok","code":200,"data":true}');
});
