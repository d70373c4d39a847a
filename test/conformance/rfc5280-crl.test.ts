import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SerialNumber } from "../../domain/ids.ts";
import type { RevocationReason } from "../../domain/certificate/revocation.ts";
import { countCrlEntries, encodeCrlEntries, signCrl, type CrlEntry, type CrlRequest } from "../../pki/crl.ts";
import { sequence } from "../../pki/der.ts";
import { pem } from "../../pki/pem.ts";
import { readChildren, readElement, type DerElement } from "../../pki/x509.ts";
import { certificatePem, testIssuer, type TestIssuerName } from "../support/given/hierarchy/test-hierarchy.ts";
import { openssl } from "../support/pki/openssl.ts";
import { describeWithTool } from "../support/run/tools.ts";

const thisUpdate = new Date("2026-11-21T09:00:00Z");
const nextUpdate = new Date("2026-11-25T09:00:00Z");

const entry = (serialNumber: string, reason: RevocationReason | null = null, revokedAt = thisUpdate): CrlEntry => ({
  serialNumber: serialNumber as SerialNumber,
  revokedAt,
  reason,
});

async function crlOf(
  entries: readonly CrlEntry[],
  { name = "issuing", ...override }: Partial<CrlRequest> & { name?: TestIssuerName } = {},
): Promise<Buffer> {
  // Uses one piece per entry: the CRL must not show the boundaries of pieces.
  const pieces = entries.map((each) => encodeCrlEntries([each]));
  const request = { number: 1n, thisUpdate, nextUpdate, pieces, ...override };
  const { head, tail } = await signCrl(testIssuer(name), request, () => Promise.resolve());
  return Buffer.concat([head, ...request.pieces, tail]);
}

/** Returns the elements of a TBSCertList, in order. */
function fieldsOf(crl: Buffer): DerElement[] {
  const [toBeSigned] = readChildren(crl, readElement(crl));
  if (toBeSigned === undefined) throw new Error("not a CRL");
  return readChildren(crl, toBeSigned);
}

const fixed = [
  entry("1", 1, new Date("2026-11-20T12:00:00Z")),
  entry("127", 0),
  entry("128", null),
  entry("170141183460469231731687303715884105727", 4, new Date("2051-01-02T03:04:05Z")),
  entry("340282366920938463463374607431768211455", 9),
];

describeWithTool("openssl", "a CRL", () => {
  const text = (crl: Buffer): string => {
    const shown = openssl(["crl", "-inform", "DER", "-in", "crl.der", "-noout", "-text"], { "crl.der": crl });
    expect(shown.stderr).toBe("");
    return shown.stdout;
  };

  test.each<TestIssuerName>(["issuing", "issuing-rsa"])("of the issuer %s verifies in OpenSSL", async (name) => {
    for (const entries of [[], fixed]) {
      const verified = openssl(["crl", "-inform", "DER", "-in", "crl.der", "-noout", "-CAfile", "ca.pem", "-verify"], {
        "crl.der": await crlOf(entries, { name }),
        "ca.pem": certificatePem(name),
      });
      expect(verified.stderr).toContain("verify OK");
    }
  });

  test("if pinned, matches its dump", () => {
    const { dump, der } = pinned();
    expect(openssl(["asn1parse", "-inform", "DER", "-i", "-in", "crl.der"], { "crl.der": der }).stdout).toBe(dump);
    expect(text(der)).toContain("Number: \n                1795251600");
  });

  test("without entries has no revokedCertificates field (section 5.1.2.6)", async () => {
    const crl = await crlOf([]);
    expect(text(crl)).toContain("No Revoked Certificates.");
    expect(fieldsOf(crl).map(({ tagOctet }) => tagOctet)).toEqual([0x02, 0x30, 0x30, 0x17, 0x17, 0xa0]);
  });
});

test("a CRL always has nextUpdate: as GeneralizedTime from 2050, as UTCTime before 2050 (section 5.1.2.4)", async () => {
  const tags = async (override: Partial<CrlRequest>) =>
    fieldsOf(await crlOf([], override))
      .map(({ tagOctet }) => tagOctet)
      .slice(3, 5);
  expect(await tags({})).toEqual([0x17, 0x17]);
  expect(await tags({ nextUpdate: new Date("2050-01-01T00:00:00Z") })).toEqual([0x17, 0x18]);
  const late = { thisUpdate: new Date("2050-01-01T00:00:00Z"), nextUpdate: new Date("2050-01-02T00:00:00Z") };
  expect(await tags(late)).toEqual([0x18, 0x18]);
});

test("an entry with an unspecified or unknown reason has no extensions (section 5.3.1)", () => {
  const der = encodeCrlEntries([entry("5", 0), entry("5", null), entry("5", 5)]);
  const list = sequence(der);
  const parts = readChildren(list, readElement(list)).map((each) => readChildren(list, each).length);
  expect(parts).toEqual([2, 2, 3]);
  expect(der.subarray(-14).toString("hex")).toBe("300c300a0603551d1504030a0105");
});

test("entries are counted, and bytes that are not whole entries are rejected", () => {
  const der = encodeCrlEntries(fixed);
  expect(countCrlEntries(der)).toBe(5);
  expect(countCrlEntries(Buffer.alloc(0))).toBe(0);
  for (const broken of [
    der.subarray(1),
    der.subarray(0, -1),
    Buffer.concat([der, Buffer.from([0x30])]),
    Buffer.from([0x30, 0x81, 0x80]),
  ]) {
    expect(() => countCrlEntries(broken)).toThrow(RangeError);
  }
});

test("a CRL that expires before it is valid, or that has no number, is not signed", async () => {
  for (const ms of [-1_000, 0]) {
    const early = new Date(thisUpdate.getTime() + ms);
    await expect(crlOf([], { nextUpdate: early })).rejects.toThrow(RangeError);
  }
  await expect(crlOf([], { number: 0n })).rejects.toThrow(RangeError);
});

test("hashing a long CRL does not block the thread", async () => {
  const piece = encodeCrlEntries(
    Array.from({ length: 2_000 }, (_, index) => entry(String(2n ** 126n + BigInt(index)), 1)),
  );
  let breaths = 0;
  const request = { number: 1n, thisUpdate, nextUpdate, pieces: Array.from({ length: 100 }, () => piece) };
  const { head, tail } = await signCrl(testIssuer(), request, () => {
    breaths++;
    return Promise.resolve();
  });
  expect(breaths).toBeGreaterThan(5);
  expect(readElement(Buffer.concat([head, ...request.pieces, tail])).end).toBe(
    head.length + 100 * piece.length + tail.length,
  );
});

function pinned(): { der: Buffer; dump: string } {
  const file = readFileSync(new URL("pinned/crl.txt", import.meta.url), "utf8");
  const pemStart = file.indexOf("-----BEGIN");
  const dumpStart = file.indexOf("    0:d=0");
  const base64 = file.slice(pemStart, dumpStart).replace(/-----.*-----/g, "");
  return { der: Buffer.from(base64, "base64"), dump: file.slice(dumpStart) };
}

test("the CRL for fixed inputs equals the reviewed CRL, octet for octet", async () => {
  const der = await crlOf(fixed, { name: "issuing-rsa", number: 1_795_251_600n });
  expect(pem("X509 CRL", der)).toBe(pem("X509 CRL", pinned().der));
});
