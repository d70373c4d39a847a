import { createPrivateKey, sign } from "node:crypto";
import { expect, test } from "vitest";
import { drawChallenge, isAnswered, probeText } from "../../../../worker/signing/probe.ts";
import { certificateDer, privateKeyPem } from "../../../support/given/hierarchy/test-hierarchy.ts";

const challenge = drawChallenge();
const certificate = certificateDer("issuing");
const signedBy = (name: Parameters<typeof privateKeyPem>[0], text = probeText(challenge)) =>
  sign("sha256", text, createPrivateKey(privateKeyPem(name)));

test("a challenge is answered only by a signature over it with the certificate's key", () => {
  expect(isAnswered(challenge, { certificate, signature: signedBy("issuing") })).toBe(true);
  expect(isAnswered(drawChallenge(), { certificate, signature: signedBy("issuing") })).toBe(false);
  expect(isAnswered(challenge, { certificate, signature: signedBy("root") })).toBe(false);
});

test("the signed text cannot be a certificate or a CRL, whatever the challenge", () => {
  expect(probeText(challenge).toString("latin1")).toBe(`realmpass probe ${challenge}`);
  expect(() => probeText("0".repeat(31))).toThrow(RangeError);
  expect(() => probeText("\u0030\u0082".repeat(16))).toThrow(RangeError);
});
