import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { pem } from "../../../pki/pem.ts";
import { givenIssuingRealm } from "../../support/given/issuing.ts";
import { askOverHttp, encodeCertId, encodeOcspRequest } from "../../support/pki/ocsp.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { clockAhead } from "../../support/run/faketime.ts";
import { describeWithTool, requireTool } from "../../support/run/tools.ts";
import { useApi } from "../../support/service/api.ts";
import { startTestResponder } from "../../support/service/responder.ts";
import { startTestWorker } from "../../support/service/worker.ts";

/** Validators that we did not write, on machines with other clocks, right after a revocation (RFC 5280, RFC 6960). */
const tools = ["openssl", "certtool", "certutil", "vfychain", "faketime"];
describeWithTool(tools, "right after a revocation, a validator whose clock is", () => {
  const api = useApi();
  let directory = "";
  let revoked = "";

  beforeAll(async () => {
    const { owner, url: databaseUrl } = api.database;
    const realm = await givenIssuingRealm(owner);
    await startTestWorker({ databaseUrl });
    const responder = await startTestResponder({ databaseUrl });
    const service = api.as.service({ realmId: realm.realmId });
    const { id } = await api.given.user({ realmId: realm.realmId });
    const linux = { format: "pem", deviceType: "Linux", keyType: "ec-p256" };
    const issue = async (name: string) => (await service.post(`/api/user/${id}/profiles/${name}`, linux)).body.data;
    const [good, lost] = [await issue("good"), await issue("lost")];
    revoked = BigInt(lost.serial).toString(16).toUpperCase();
    expect((await service.delete(`/api/profiles/${lost.serial}`)).status).toBe(200);

    const answerAbout = async (serialNumber: string): Promise<Buffer> => {
      const request = encodeOcspRequest([encodeCertId({ issuer: realm.issuer, serialNumber })]);
      return (await askOverHttp(`${responder.url}/ocsp/${realm.issuerId}`, { body: request })).body;
    };
    const list = await eventually(async () => {
      const fetched = Buffer.from(await (await fetch(`${api.url}/crl/${realm.issuerId}.crl`)).arrayBuffer());
      expect(fetched.includes(Buffer.from(revoked.padStart(revoked.length + (revoked.length % 2), "0"), "hex"))).toBe(
        true,
      );
      return fetched;
    });
    directory = await mkdtemp(join(tmpdir(), "realmpass-clocks-"));
    atEndOfFile(() => rm(directory, { recursive: true, force: true }));
    const files = {
      "root.pem": pem("CERTIFICATE", realm.root),
      "issuer.pem": pem("CERTIFICATE", realm.issuer),
      "cas.pem": pem("CERTIFICATE", realm.issuer) + pem("CERTIFICATE", realm.root),
      "good.pem": good.certificate,
      "lost.pem": lost.certificate,
      "good-chain.pem": `${good.certificate}${pem("CERTIFICATE", realm.issuer)}`,
      "lost-chain.pem": `${lost.certificate}${pem("CERTIFICATE", realm.issuer)}`,
      "list.pem": pem("X509 CRL", list),
      "list.crl": list,
      "good.ocsp": await answerAbout(good.serial),
      "lost.ocsp": await answerAbout(lost.serial),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
    await mkdir(join(directory, "nss"));
    at(0, "certutil -N -d sql:nss --empty-password");
    at(0, "certutil -A -d sql:nss -n root -t CT,, -a -i root.pem");
    at(0, "certutil -A -d sql:nss -n issuer -t ,, -a -i issuer.pem");
    at(0, "crlutil -I -d sql:nss -i list.crl -t 1");
  });

  /** Runs a program on a machine whose clock is this many minutes ahead. */
  function at(minutes: number, command: string): string {
    const [program = "", ...args] = command.split(" ");
    const { stdout, stderr } = spawnSync(requireTool(program), args, {
      cwd: directory,
      env: { ...process.env, ...clockAhead(minutes) },
      encoding: "utf8",
    });
    return stdout + stderr;
  }
  const byList = (minutes: number, name: string): string =>
    at(minutes, `openssl verify -crl_check -CAfile root.pem -untrusted issuer.pem -CRLfile list.pem ${name}.pem`);
  const byOcsp = (minutes: number, name: string): string =>
    at(
      minutes,
      `openssl ocsp -respin ${name}.ocsp -issuer issuer.pem -cert ${name}.pem -CAfile root.pem -no_nonce -validity_period 1`,
    );
  const byListInGnutls = (minutes: number, name: string): string =>
    at(minutes, `certtool --verify --load-ca-certificate root.pem --load-crl list.pem --infile ${name}-chain.pem`);
  const byOcspInGnutls = (minutes: number, name: string): string =>
    at(minutes, `ocsptool --verify-response --load-trust cas.pem --load-response ${name}.ocsp`);
  const byListInNss = (minutes: number, name: string): string =>
    at(minutes, `vfychain -d sql:nss -pp -u 0 -g leaf -m crl -s forbidFetching -a ${name}.pem -a issuer.pem`);

  describe.each([
    ["4 minutes behind", -4],
    ["right", 0],
    ["4 minutes ahead", 4],
  ])("%s", (_, minutes) => {
    test("admits a good device and refuses the revoked one, by the CRL", () => {
      expect(byList(minutes, "good")).toBe("good.pem: OK\n");
      expect(byList(minutes, "lost")).toContain("certificate revoked");
      expect(byListInGnutls(minutes, "good")).toContain("Chain verification output: Verified.");
      expect(byListInGnutls(minutes, "lost")).toContain("The certificate chain is revoked");
      expect(byListInNss(minutes, "good")).toContain("Chain is good!");
      expect(byListInNss(minutes, "lost")).toContain("Peer's Certificate has been revoked");
    });

    test("does the same by OCSP, although the validator itself tolerates no clock difference", () => {
      expect(byOcsp(minutes, "good")).toContain("good.pem: good");
      expect(byOcsp(minutes, "lost")).toContain("lost.pem: revoked");
      for (const [name, status] of [
        ["good", "good"],
        ["lost", "revoked"],
      ] as const) {
        expect(byOcsp(minutes, name)).not.toContain("WARNING");
        expect(byOcspInGnutls(minutes, name)).toContain("Verifying OCSP Response: Success.");
        expect(byOcspInGnutls(minutes, name)).toContain(`Certificate Status: ${status}`);
      }
    });
  });

  test("6 minutes behind rejects the CRL; 7 minutes behind or ahead rejects the OCSP answer", () => {
    expect(byList(-6, "good")).toContain("CRL is not yet valid");
    for (const minutes of [-7, 7]) expect(byOcsp(minutes, "good")).toContain("WARNING: Status times invalid");
  });

  test("behind finds no revocation date in the CRL that is later than the CRL's thisUpdate", () => {
    const text = at(0, "openssl crl -in list.pem -noout -text -dateopt iso_8601");
    const [thisUpdate] = /(?<=Last Update: ).*/.exec(text) ?? [];
    const dates = [...text.matchAll(/(?<=Revocation Date: ).*/g)].map(([date]) => date);
    expect(dates.length).toBeGreaterThan(0);
    for (const date of dates) expect(date <= thisUpdate!).toBe(true);
  });
});
