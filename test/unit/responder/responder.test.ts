import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { StatusKey, StatusRow } from "../../../db/queries/certificates/ocsp.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { readOcspRequest } from "../../../responder/ocsp-request.ts";
import { createResponder, type ResponderDeps } from "../../../responder/responder.ts";
import type { CountedAnswer } from "../../../responder/status-counts.ts";
import { certificateDer } from "../../support/given/hierarchy/test-hierarchy.ts";
import { encodeCertId, encodeOcspRequest, nonceExtension } from "../../support/pki/ocsp.ts";

/** Makes a responder that has only a clock. */
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

/** Makes a responder for the issuer of this request. Profiles are good, except as `row` describes. */
function responderFor(request: Buffer, row: Partial<StatusRow> | ((key: StatusKey) => Partial<StatusRow>) = {}) {
  const [asked] = readOcspRequest(request)?.certIds ?? [];
  if (asked === undefined) throw new Error("the request names no certificate");
  const sha1 = { name: asked.issuerNameHash, key: asked.issuerKeyHash };
  const state = { reads: 0, at: Date.parse("2027-03-01T00:00:00Z") };
  const counted: string[] = [];
  const noted: string[] = [];
  const responder = createResponder({
    issuers: { find: () => Promise.resolve({ issuerId: "1", notAfter: new Date("2037-01-01"), hashes: { sha1 } }) },
    identities: {
      of: () =>
        Promise.resolve({ keyHash: randomBytes(20), certificate: Buffer.alloc(0), sign: () => randomBytes(64) }),
    },
    readStatus: (key: StatusKey) => {
      state.reads += 1;
      const found = typeof row === "function" ? row(key) : row;
      return Promise.resolve({ certificateId: "1", isServers: false, revokedAt: null, abandonedAt: null, ...found });
    },
    lastOcsp: { note: (_: StatusRow, { address }: { address: string }) => noted.push(address) },
    askers: { note: (_: string, address: string) => noted.push(address) },
    counts: { note: (_: string, __: string, { outcome }: CountedAnswer) => counted.push(outcome) },
    clock: { ...systemClock, now: () => new Date(state.at), isInStep: () => true },
    onUnexpectedError: (error: unknown) => {
      throw error;
    },
  } as unknown as ResponderDeps);
  const ask = (bytes: Buffer, address = "192.0.2.1") => responder.answer("1", bytes, address);
  return { state, counted, noted, ask };
}

const certId = encodeCertId({ issuer: certificateDer("issuing"), serialNumber: "4711" });

test("an answer with a nonce is made for its own request, and caches must not keep it", async () => {
  const plain = encodeOcspRequest([certId]);
  const { state, ask } = responderFor(plain);
  await ask(plain);
  for (const nonce of [randomBytes(16), randomBytes(16)]) {
    const answer = await ask(encodeOcspRequest([certId], [nonceExtension(nonce)]));
    expect(answer.outcome).toBe("good");
    expect(answer.body.includes(nonce)).toBe(true);
    expect(answer.signedAt).toBeUndefined();
  }
  expect(state.reads).toBe(3);
});

test("an answer without a nonce is repeated for half a second, and then made again", async () => {
  const plain = encodeOcspRequest([certId]);
  const { state, ask } = responderFor(plain);
  const first = await ask(plain);
  expect(first).toMatchObject({ outcome: "good", signedAt: new Date(state.at) });
  state.at += 499;
  expect(await ask(plain)).toBe(first);
  expect(state.reads).toBe(1);
  state.at += 1;
  expect(await ask(plain)).not.toBe(first);
  expect(state.reads).toBe(2);
});

test("a client that gets a repeated answer is recorded like the client that got the answer first", async () => {
  const plain = encodeOcspRequest([certId]);
  const { state, noted, ask } = responderFor(plain);
  await ask(plain);
  await ask(plain, "192.0.2.7");
  expect(state.reads).toBe(1);
  expect(noted).toEqual(["192.0.2.1", "192.0.2.1", "192.0.2.7", "192.0.2.7"]);
});

const at = Date.parse("2027-03-01T00:00:00Z");
const minutesLater = (minutes: number): string =>
  new Date(at + minutes * 60_000).toISOString().replace(/[-:T]|\.000/g, "");

test.each([
  ["a device's certificate holds for five minutes", false, 5],
  ["a server's certificate holds for an hour, so that the server can staple it", true, 60],
])("an answer is valid from five minutes before it is signed; an answer about %s", async (_, isServers, minutes) => {
  const request = encodeOcspRequest([certId]);
  const { body } = await responderFor(request, { isServers }).ask(request);
  const dates = body.toString("latin1").match(/\d{14}Z/g);
  // producedAt, thisUpdate, nextUpdate
  expect(dates).toEqual([minutesLater(-5), minutesLater(-5), minutesLater(minutes)]);
});

test("an answer about a device and a server is valid only as long as an answer about the device", async () => {
  const other = encodeCertId({ issuer: certificateDer("issuing"), serialNumber: "4712" });
  const request = encodeOcspRequest([certId, other]);
  const { ask } = responderFor(request, ({ serialNumber }) => ({ isServers: serialNumber === "4711" }));
  expect(
    (await ask(request)).body
      .toString("latin1")
      .match(/\d{14}Z/g)
      ?.at(-1),
  ).toBe(minutesLater(5));
});

test("a revocation's date is moved back by as much as the answer's date", async () => {
  const request = encodeOcspRequest([certId]);
  const { body } = await responderFor(request, { revokedAt: new Date(at), revocationReason: 4 }).ask(request);
  expect(body.toString("latin1").match(/\d{14}Z/g)).toEqual([-5, -5, -5, 5].map(minutesLater));
});

test("each answer about a device is counted, including repeated answers; answers about servers and unknown numbers are not", async () => {
  const request = encodeOcspRequest([certId]);
  const countedOf = async (row: Partial<StatusRow>): Promise<string[]> => {
    const { ask, counted } = responderFor(request, row);
    await ask(request);
    await ask(request);
    return counted;
  };
  expect(await countedOf({})).toEqual(["good", "good"]);
  expect(await countedOf({ revokedAt: new Date(at), revocationReason: 4 })).toEqual(["revoked", "revoked"]);
  expect(await countedOf({ isServers: true })).toEqual([]);
  expect(await countedOf({ certificateId: null })).toEqual([]);
});
