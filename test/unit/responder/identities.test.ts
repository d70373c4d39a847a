import { createPublicKey, verify, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SerialNumber } from "../../../domain/ids.ts";
import type { Certify } from "../../../responder/certify.ts";
import { createIdentities, IdentityUnavailable } from "../../../responder/identities.ts";
import type { OcspIssuer } from "../../../responder/issuers.ts";
import { assembleCertificate, subjectKeyIdentifier } from "../../../pki/certificate.ts";
import { encodeResponderToBeSigned } from "../../../pki/responder-certificate.ts";
import { testIssuer } from "../../support/given/hierarchy/test-hierarchy.ts";

const day = 86_400_000;
const start = new Date("2027-03-01T00:00:00Z").getTime();
const issuer = testIssuer();
const ocspIssuer = (endsAt = start + 3_650 * day): OcspIssuer => ({
  issuerId: "1",
  notAfter: new Date(endsAt),
  hashes: {} as OcspIssuer["hashes"],
});

function setUp({ days = 7, endsAt }: { days?: number; endsAt?: number } = {}) {
  const clock = { at: start, now: () => new Date(clock.at) };
  const state = { certified: 0, fails: false, failures: [] as unknown[] };
  const certify: Certify = async ({ publicKeySpki }) => {
    await Promise.resolve();
    if (state.fails) throw new Error("no thread");
    state.certified += 1;
    const notBefore = new Date(clock.at);
    const notAfter = new Date(Math.min(clock.at + days * day, endsAt ?? Number.POSITIVE_INFINITY));
    const serialNumber = String(state.certified) as SerialNumber;
    const toBeSigned = encodeResponderToBeSigned({ issuer, serialNumber, publicKeySpki, notBefore, notAfter });
    return { certificate: assembleCertificate(toBeSigned, await issuer.signer.sign(toBeSigned)), notBefore, notAfter };
  };
  const identities = createIdentities({
    certify,
    clock,
    onFailure: (_, error) => {
      state.failures.push(error);
    },
  });
  const responder = ocspIssuer(endsAt);
  return { clock, state, identity: () => identities.of(responder) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the responder of an issuer", () => {
  test("signs with the key in its certificate, and is identified by that key's hash", async () => {
    const { identity } = setUp();
    const responder = await identity();
    const { certificate, keyHash } = responder;
    const { publicKey } = new X509Certificate(certificate);
    expect(verify("sha256", Buffer.from("answer"), publicKey, responder.sign(Buffer.from("answer")))).toBe(true);
    expect(keyHash).toEqual(subjectKeyIdentifier(publicKey.export({ format: "der", type: "spki" })));
    expect(createPublicKey(publicKey.export({ format: "pem", type: "spki" })).asymmetricKeyType).toBe("ec");
  });

  test("is made once, however many requests arrive at the same time", async () => {
    const { identity, state } = setUp();
    const [one, ...others] = await Promise.all(Array.from({ length: 50 }, identity));
    expect(others.every((other) => other === one)).toBe(true);
    expect(state.certified).toBe(1);
  });

  test("is replaced halfway through its validity, with another key, and no request waits for the replacement", async () => {
    const { identity, clock, state } = setUp();
    const old = await identity();
    clock.at += 3.4 * day;
    expect(await identity()).toBe(old);
    expect(state.certified).toBe(1);

    clock.at += 0.2 * day;
    expect(await identity()).toBe(old);
    await settled();
    await settled();
    const fresh = await identity();
    expect(fresh.keyHash).not.toEqual(old.keyHash);
    expect(state.certified).toBe(2);
  });

  test("stays in use while its replacement cannot be made, and the replacement is requested repeatedly", async () => {
    const { identity, clock, state } = setUp();
    const old = await identity();
    state.fails = true;
    clock.at += 4 * day;
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await identity()).toBe(old);
      await settled();
      expect(await identity()).toBe(old);
      expect(state.failures).toHaveLength(attempt);
      clock.at += 6_000;
    }
    state.fails = false;
    await identity();
    await settled();
    await settled();
    expect(await identity()).not.toBe(old);
  });

  test("is not used in its last minute; requests fail until a replacement can be made", async () => {
    const { identity, clock, state } = setUp();
    const old = await identity();
    state.fails = true;
    clock.at += 7 * day - 59_000;
    await expect(identity()).rejects.toThrow(IdentityUnavailable);
    state.fails = false;
    await expect(identity()).rejects.toThrow(IdentityUnavailable);
    clock.at += 6_000;
    expect(await identity()).not.toBe(old);
  });

  test("stays in use until its end if its issuer ends at the same time, because no replacement could be valid longer", async () => {
    const { identity, clock, state } = setUp({ endsAt: start + 2 * day });
    const only = await identity();
    clock.at += 2 * day - 1_000;
    expect(await identity()).toBe(only);
    await settled();
    expect(state.certified).toBe(1);
  });
});
