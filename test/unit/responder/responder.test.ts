import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { systemClock } from "../../../runtime/clock.ts";
import { readOcspRequest } from "../../../responder/ocsp-request.ts";
import { createResponder, type ResponderDeps } from "../../../responder/responder.ts";
import { certificateDer } from "../../support/given/hierarchy/test-hierarchy.ts";
import { encodeCertId, encodeOcspRequest, nonceExtension } from "../../support/pki/ocsp.ts";

/** Makes a responder that answers with only the time. */
const responderAt = (clock: ResponderDeps["clock"]) => createResponder({ clock } as ResponderDeps);

test("a responder whose clock is wrong returns tryLater", async () => {
  const { outcome } = await responderAt({ ...systemClock, isInStep: () => false }).answer(
    "1",
    Buffer.alloc(0),
    "192.0.2.1",
  );
  expect(outcome).toBe("tryLater");
});

test("a responder whose clock is right reads the request", async () => {
  const { outcome } = await responderAt(systemClock).answer("1", Buffer.alloc(0), "192.0.2.1");
  expect(outcome).toBe("malformedRequest");
});

/** Makes a responder for the issuer of this request, whose profiles are all good; `reads` counts the database reads. */
function responderFor(request: Buffer) {
  const [asked] = readOcspRequest(request)?.certIds ?? [];
  if (asked === undefined) throw new Error("the request names no certificate");
  const sha1 = { name: asked.issuerNameHash, key: asked.issuerKeyHash };
  const state = { reads: 0, at: Date.parse("2027-03-01T00:00:00Z") };
  const responder = createResponder({
    issuers: { find: () => Promise.resolve({ issuerId: "1", notAfter: new Date("2037-01-01"), hashes: { sha1 } }) },
    identities: {
      of: () =>
        Promise.resolve({ keyHash: randomBytes(20), certificate: Buffer.alloc(0), sign: () => randomBytes(64) }),
    },
    readStatus: () => {
      state.reads += 1;
      return Promise.resolve({ certificateId: "1", revokedAt: null, abandonedAt: null });
    },
    lastOcsp: { note: () => undefined },
    askers: { note: () => undefined },
    clock: { ...systemClock, now: () => new Date(state.at), isInStep: () => true },
    onUnexpectedError: (error: unknown) => {
      throw error;
    },
  } as unknown as ResponderDeps);
  return { state, ask: (bytes: Buffer) => responder.answer("1", bytes, "192.0.2.1") };
}

const certId = encodeCertId({ issuer: certificateDer("issuing"), serialNumber: "4711" });

test("an answer with a nonce is made for its own request, and no cache may keep it", async () => {
  const plain = encodeOcspRequest([certId]);
  const { state, ask } = responderFor(plain);
  await ask(plain);
  for (const nonce of [randomBytes(16), randomBytes(16)]) {
    const answer = await ask(encodeOcspRequest([certId], [nonceExtension(nonce)]));
    expect(answer.outcome).toBe("good");
    expect(answer.body.includes(nonce)).toBe(true);
    expect(answer.validity).toBeUndefined();
  }
  expect(state.reads).toBe(3);
});

test("an answer without a nonce is returned again for a moment, and then made again", async () => {
  const plain = encodeOcspRequest([certId]);
  const { state, ask } = responderFor(plain);
  const first = await ask(plain);
  expect(first).toMatchObject({ outcome: "good", validity: expect.any(Object) });
  state.at += 499;
  expect(await ask(plain)).toBe(first);
  expect(state.reads).toBe(1);
  state.at += 1;
  expect(await ask(plain)).not.toBe(first);
  expect(state.reads).toBe(2);
});
