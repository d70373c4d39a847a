import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { rootCrlPath } from "../../../domain/certificate/root-crl.ts";
import { pem } from "../../../pki/pem.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { storedCrl } from "../../support/pki/crl.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { clockAhead } from "../../support/run/faketime.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { useApi } from "../../support/service/api.ts";
import { startTestResponder } from "../../support/service/responder.ts";
import { startTestWorker } from "../../support/service/worker.ts";

const source = fileURLToPath(new URL("../../support/pki/CheckRevocation.java", import.meta.url));

/** Java's PKIX, which fetches OCSP answers and CRLs from the addresses in the certificates (RFC 5280 section 6). */
describeWithTool(["java", "javac", "faketime"], "right after a revocation, a Java that checks the whole chain", () => {
  const api = useApi();
  let directory = "";
  let root: Uint8Array;

  beforeAll(async () => {
    const { owner, url: databaseUrl } = api.database;
    const realm = await givenIssuingRealm(owner, { publicationUrl: api.url });
    root = realm.root;
    await startTestWorker({ databaseUrl, publicationUrl: api.url });
    await startTestResponder({ databaseUrl });
    const service = api.as.service({ realmId: realm.realmId });
    const { id } = await api.given.user({ realmId: realm.realmId });
    const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
    const issue = async (name: string) => (await service.post(`/api/user/${id}/profiles/${name}`, linux)).body.data;
    const [good, lost] = [await issue("good"), await issue("lost")];
    expect((await service.delete(`/api/profiles/${lost.serial}`)).status).toBe(200);
    const number = Buffer.from(BigInt(lost.serial).toString(16).padStart(32, "0"), "hex");
    await eventually(async () => {
      expect((await storedCrl(owner, realm.issuerId)).includes(number)).toBe(true);
      const served = await fetch(`${api.url}/crl/${realm.issuerId}.crl`);
      expect(Buffer.from(await served.arrayBuffer()).includes(number)).toBe(true);
    });

    directory = await mkdtemp(join(tmpdir(), "realmpass-java-"));
    atEndOfFile(() => rm(directory, { recursive: true, force: true }));
    const files = {
      "issuing.pem": pem("CERTIFICATE", realm.issuer),
      "root.pem": pem("CERTIFICATE", realm.root),
      good: good.certificate,
      lost: lost.certificate,
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    await promisify(execFile)(requireTool("javac"), ["-d", directory, source]);
  });

  /** Returns what Java finds on a machine whose clock is this many minutes ahead. */
  async function found(minutes: number): Promise<Record<string, string>> {
    const args = ["-XX:TieredStopAtLevel=1", "CheckRevocation", "issuing.pem", "root.pem", "good", "lost"];
    const { stdout, stderr } = await promisify(execFile)(requireTool("java"), args, {
      cwd: directory,
      env: { ...process.env, ...clockAhead(minutes) },
    });
    const lines = stdout.trim().split("\n");
    if (lines.length !== 4) throw new Error(stdout + stderr);
    return Object.fromEntries(
      lines.map((line): [string, string] => {
        const [leaf, means, why] = line.split("\t");
        return [`${leaf} by ${means}`, why ?? ""];
      }),
    );
  }

  describe.each([
    ["4 minutes behind", -4],
    ["right", 0],
    ["4 minutes ahead", 4],
  ])("with a clock that is %s", (_, minutes) => {
    test("admits a good device and refuses the revoked one, by OCSP and by the CRLs of issuing CA and root", async () => {
      expect(await found(minutes)).toEqual({
        "good by ocsp": "ok",
        "good by crl": "ok",
        "lost by ocsp": "0 REVOKED",
        "lost by crl": "0 REVOKED",
      });
    });
  });

  test("with a clock that is a day behind or ten days ahead admits nobody", async () => {
    for (const minutes of [-1_440, 10 * 1_440]) {
      expect(Object.values(await found(minutes)), `${minutes}`).not.toContain("ok");
    }
  });

  test("needs the root's CRL for the issuing CA", async () => {
    await api.database.owner.query(sql`delete from root_crls`);
    const rootCrl = api.url + rootCrlPath(hash("sha256", root, "hex"));
    await eventually(async () => {
      expect((await fetch(rootCrl)).status).toBe(404);
    });
    expect(await found(0)).toMatchObject({
      "good by ocsp": "ok",
      "good by crl": "1 UNDETERMINED_REVOCATION_STATUS",
    });
  });
});
