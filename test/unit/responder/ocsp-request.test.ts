import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { contextConstructed, octetString, oid, sequence, tag, tlv } from "../../../pki/der.ts";
import { certIdsMax, readOcspRequest } from "../../../responder/ocsp-request.ts";
import { extent } from "../../support/run/extent.ts";
import { certificateDer } from "../../support/given/hierarchy/test-hierarchy.ts";
import { createRandom } from "../../support/given/json-schema-samples.ts";
import { encodeCertId, encodeOcspRequest, nonceExtension, requestExtension } from "../../support/pki/ocsp.ts";

const issuer = certificateDer("issuing");
const certId = encodeCertId({ issuer, serialNumber: "4711" });
const nonce = randomBytes(32);

/** As in RFC 2560: the octets are the extension's value. */
const untyped = (octets: Uint8Array): Buffer => requestExtension("1.3.6.1.5.5.7.48.1.2", octets);

const version = (number: number): Buffer => tlv(contextConstructed(0), tlv(tag.integer, Buffer.from([number])));
const requestorName = tlv(contextConstructed(1), tlv(contextConstructed(4), sequence()));
const request = (...fields: Buffer[]): Buffer => sequence(sequence(...fields));
const list = sequence(sequence(certId));
const extensions = (...all: Buffer[]): Buffer => tlv(contextConstructed(2), sequence(...all));
const serial = (...content: number[]): Buffer => {
  const [algorithm, ...hashes] = [certId.subarray(2, 13), certId.subarray(13, 35), certId.subarray(35, 57)];
  return encodeOcspRequest([sequence(algorithm, ...hashes, tlv(tag.integer, Buffer.from(content)))]);
};

describe("the reader of OCSP requests reads", () => {
  test.each(["sha1", "sha256", "sha384", "sha512"] as const)("a CertID with %s", (algorithm) => {
    const asked = encodeCertId({ issuer, serialNumber: "255", algorithm });
    expect(readOcspRequest(encodeOcspRequest([asked]))).toMatchObject({
      certIds: [{ der: asked, hash: algorithm, serialNumber: "255" }],
      nonce: null,
    });
  });

  test.each([1, 16, 32, 33, 128])("a nonce of %i octets, unchanged", (length) => {
    const sent = randomBytes(length);
    expect(readOcspRequest(encodeOcspRequest([certId], [nonceExtension(sent)]))?.nonce).toEqual(octetString(sent));
  });

  test("a nonce without a type", () => {
    const sent = Buffer.alloc(16, 1);
    expect(readOcspRequest(encodeOcspRequest([certId], [untyped(sent)]))?.nonce).toEqual(sent);
  });

  test.each<[string, Buffer]>([
    ["a version that is said although it is the default", request(version(0), list)],
    ["a requestor's name", request(requestorName, list)],
    ["an extension that is not understood", encodeOcspRequest([certId], [requestExtension("1.2.3", Buffer.alloc(0))])],
    [
      "a critical extension that is understood",
      encodeOcspRequest([certId], [requestExtension("1.3.6.1.5.5.7.48.1.4", sequence(), { critical: true })]),
    ],
    [
      "a signature, which nobody looks at",
      sequence(sequence(list), tlv(contextConstructed(0), sequence(sequence(oid("1.2.3")), Buffer.from([3, 1, 0])))),
    ],
    ["as many certificates as there may be", encodeOcspRequest(Array.from({ length: certIdsMax }, () => certId))],
  ])("%s", (_, bytes) => {
    expect(readOcspRequest(bytes)).toBeDefined();
  });

  test("an unknown hash algorithm, as unknown", () => {
    const asked = sequence(sequence(oid("1.2.3.4")), octetString(nonce), octetString(nonce), Buffer.from([2, 1, 5]));
    expect(readOcspRequest(encodeOcspRequest([asked]))?.certIds[0]?.hash).toBeNull();
  });

  test.each<[string, string | null, number[]]>([
    ["the shortest", "127", [0x7f]],
    ["with a leading zero octet", "128", [0, 0x80]],
    ["of 20 octets", (2n ** 159n - 1n).toString(), [0x7f, ...Array<number>(19).fill(0xff)]],
    ["of more than that", null, [0x7f, ...Array<number>(20).fill(0xff)]],
    ["zero", null, [0]],
    ["negative", null, [0xff]],
  ])("a serial number: %s", (_, expected, content) => {
    expect(readOcspRequest(serial(...content))?.certIds[0]?.serialNumber).toBe(expected);
  });
});

describe("the reader of OCSP requests rejects", () => {
  const good = encodeOcspRequest([certId], [nonceExtension(nonce)]);

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["one octet more", Buffer.concat([good, Buffer.from([0])])],
    ["one octet less", good.subarray(0, -1)],
    ["an indefinite length", Buffer.concat([Buffer.from([0x30, 0x80]), good.subarray(3), Buffer.from([0, 0])])],
    [
      "a length longer than it has to be",
      Buffer.concat([Buffer.from([0x30, 0x82, 0, good.length - 3]), good.subarray(3)]),
    ],
    ["a length of four octets", Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff])],
    ["a high tag", Buffer.from([0x3f, 0x81, 0, 0])],
    ["another version", request(version(1), list)],
    ["no certificate", encodeOcspRequest([])],
    ["one certificate too many", encodeOcspRequest(Array.from({ length: certIdsMax + 1 }, () => certId))],
    ["fields in another order", request(extensions(nonceExtension(nonce)), list)],
    ["a field after the last", request(list, extensions(nonceExtension(nonce)), requestorName)],
    ["no extension where there should be one", request(list, extensions())],
    ["an empty nonce", encodeOcspRequest([certId], [nonceExtension(Buffer.alloc(0))])],
    ["a nonce of 129 octets", encodeOcspRequest([certId], [nonceExtension(randomBytes(129))])],
    ["129 octets without a type", encodeOcspRequest([certId], [untyped(Buffer.alloc(129, 1))])],
    ["nothing, without a type", encodeOcspRequest([certId], [untyped(Buffer.alloc(0))])],
    ["two nonces", encodeOcspRequest([certId], [nonceExtension(nonce), nonceExtension(nonce)])],
    [
      "a critical extension that is not understood",
      encodeOcspRequest([certId], [requestExtension("1.2.3", Buffer.alloc(0), { critical: true })]),
    ],
    ["a serial number of no octets", serial()],
    ["a serial number with a zero octet too many", serial(0, 1)],
    ["a serial number with a sign octet too many", serial(0xff, 0x80)],
    ["more octets than are looked at", encodeOcspRequest([certId], [requestExtension("1.2.3", Buffer.alloc(5_000))])],
    ["deeply nested", Array.from({ length: 900 }).reduce<Buffer>((inner) => sequence(inner), sequence())],
  ])("%s", (_, bytes) => {
    expect(readOcspRequest(bytes)).toBeUndefined();
  });
});

test("damaged bytes are read as a request or as undefined, and reading never throws", () => {
  const { integer } = createRandom(20_261_122);
  const random = (max: number): number => integer(0, max - 1);
  const good = encodeOcspRequest(
    [certId, encodeCertId({ issuer, serialNumber: "9", algorithm: "sha256" })],
    [nonceExtension(nonce)],
  );
  for (let round = 0; round < extent(50_000); round++) {
    const bytes = Buffer.from(good);
    for (let change = random(4); change >= 0; change--) bytes[random(bytes.length)] = random(256);
    readOcspRequest(bytes.subarray(0, random(8) === 0 ? random(bytes.length) : bytes.length));
  }
});
