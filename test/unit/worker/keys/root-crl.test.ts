import { beforeAll, describe, expect, test } from "vitest";
import type { SerialNumber } from "../../../../domain/ids.ts";
import { fingerprintOf, serialNumberOf } from "../../../../operator/issuer/ceremony-directory.ts";
import { IssuerError } from "../../../../pki/issuer.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { pem } from "../../../../pki/pem.ts";
import { createIssuingCa, createRoot, type CertificateAuthority } from "../../../../worker/keys/ceremony.ts";
import { EncryptedKeyError } from "../../../../worker/keys/encrypted-key.ts";
import { signRootCrl } from "../../../../worker/keys/root-crl.ts";
import { readCrl } from "../../../support/pki/crl.ts";
import { openssl, runTool } from "../../../support/pki/openssl.ts";
import { describeWithTool } from "../../../support/run/tools.ts";
import { testKeyCost } from "../../../support/given/hierarchy/test-hierarchy.ts";

const at = new Date("2026-11-21T09:00:00.500Z");
const names = { organization: "Example", at, passphrase: "test passphrase", cost: testKeyCost } as const;
const { passphrase } = names;

describe.each(["P-384", "P-256"] as const)("the CRL of a root with %s", (curve) => {
  let root: CertificateAuthority;
  let lost: CertificateAuthority;
  let current: CertificateAuthority;
  beforeAll(async () => {
    root = await createRoot({ ...names, curve });
    const issue = () => createIssuingCa({ ...names, root, nameConstraints: { form: "plain", domains: ["example"] } });
    [lost, current] = [await issue(), await issue()];
  });

  const serialOf = (ca: CertificateAuthority) => serialNumberOf(ca.certificate) as SerialNumber;
  const sign = (given: Partial<Parameters<typeof signRootCrl>[0]> = {}) =>
    signRootCrl({ root, passphrase, before: undefined, at, ...given });

  test("is valid for a year, from five minutes before it was signed, and revokes nothing", async () => {
    const crl = await sign();

    expect(crl).toMatchObject({
      fingerprint: fingerprintOf(root.certificate),
      thisUpdate: new Date("2026-11-21T08:55:00.500Z"),
      nextUpdate: new Date("2027-11-21T09:00:00.500Z"),
      entries: [],
      replaces: null,
    });
    const { stdout } = openssl(["crl", "-inform", "DER", "-in", "crl.der", "-noout", "-text"], { "crl.der": crl.der });
    expect(stdout).toContain("Last Update: Nov 21 08:55:00 2026 GMT");
    expect(stdout).toContain("Next Update: Nov 21 09:00:00 2027 GMT");
    expect(stdout).toContain("No Revoked Certificates.");
    expect(readCrl(crl.der)).toEqual({ number: BigInt(crl.number), entries: new Map() });
  });

  test("keeps the previous CRL's entries and their dates, lists each entry once, and has a higher number", async () => {
    const first = await sign({ revoke: [serialOf(lost), serialOf(lost)] });
    const later = new Date(at.getTime() + 300 * 86_400_000);
    const second = await sign({ before: first, revoke: [serialOf(lost)], at: later });
    const third = await sign({ before: second, at });

    for (const { der } of [first, second, third]) expect([...readCrl(der).entries.keys()]).toEqual([serialOf(lost)]);
    expect(second.entries).toEqual([{ ...first.entries[0], revokedAt: new Date("2026-11-21T08:55:00Z") }]);
    expect(first.number).toBe(String(Math.floor(at.getTime() / 1000)));
    expect(second.number).toBe(String(Math.floor(later.getTime() / 1000)));
    // The clock is behind the time of the previous CRL.
    expect(third.number).toBe(String(BigInt(second.number) + 1n));
    expect([second.replaces, third.replaces]).toEqual([first.number, second.number]);
  });

  describeWithTool(["openssl", "certtool"], "other validators", () => {
    const verify = (ca: CertificateAuthority, crl: string) =>
      openssl(
        [
          ...["verify", "-x509_strict", "-crl_check_all", "-attime", String(Math.floor(at.getTime() / 1000))],
          ...["-CAfile", "root.pem", ...(crl === "" ? [] : ["-CRLfile", "crl.pem"]), "ca.pem"],
        ],
        {
          "root.pem": pem("CERTIFICATE", root.certificate),
          "ca.pem": pem("CERTIFICATE", ca.certificate),
          "crl.pem": crl,
        },
      );

    test("lets OpenSSL check the whole chain; OpenSSL refuses the issuing CA that the CRL lists", async () => {
      const { der } = await sign({ revoke: [serialOf(lost)] });
      const crl = pem("X509 CRL", der);

      expect(verify(current, crl).stdout).toBe("ca.pem: OK\n");
      expect(verify(lost, crl).stderr).toContain("certificate revoked");
      expect(verify(current, "").stderr).toContain("unable to get certificate CRL");
    });

    test("verifies with GnuTLS, but not under another root", async () => {
      const now = { ...names, curve, at: systemClock.now() };
      const [own, other] = [await createRoot(now), await createRoot(now)];
      const { der } = await sign({ root: own, revoke: [serialOf(lost)], at: now.at });
      const verified = (ca: CertificateAuthority) =>
        runTool("certtool", ["--verify-crl", "--load-ca-certificate", "root.pem", "--infile", "crl.pem"], {
          "root.pem": pem("CERTIFICATE", ca.certificate),
          "crl.pem": pem("X509 CRL", der),
        }).stdout;

      expect(verified(own)).toMatch(/output: Verified\./);
      expect(verified(other)).toMatch(/Not verified/);
    });
  });

  test("is not signed with a wrong passphrase, nor with another root's key", async () => {
    await expect(sign({ passphrase: "wrong" })).rejects.toThrow(EncryptedKeyError);
    const { encryptedKey } = await createRoot({ ...names, curve });
    await expect(sign({ root: { ...root, encryptedKey } })).rejects.toThrow(IssuerError);
  });
});
