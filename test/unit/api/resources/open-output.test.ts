import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createOutputOpener } from "../../../../api/resources/issuance/open-output.ts";
import {
  createDataKey,
  generateOutputKeyPair,
  outputPrivateKeys,
  outputPublicKey,
  seal,
} from "../../../../runtime/keys/sealed-output.ts";

const lost = generateOutputKeyPair();
const present = generateOutputKeyPair();

/** Seals outputs of a batch to a key. */
function sealedTo({ publicJwk }: { publicJwk: string }, count: number) {
  const { key, wrapped } = createDataKey(outputPublicKey(publicJwk));
  const dataKeyId = randomUUID();
  return Array.from({ length: count }, () => {
    const issuanceId = randomUUID();
    const sealed = seal(key, Buffer.from(JSON.stringify({ data: issuanceId })), issuanceId);
    return { issuanceId, dataKeyId, wrappedDataKey: wrapped, sealed };
  });
}

const opener = () => {
  const log = { error: vi.fn() };
  return { open: createOutputOpener(outputPrivateKeys(present.privateJwk), log), log };
};

test("outputs sealed to a lost key are undefined, the log reports the key once per batch, and the other outputs open", () => {
  const { open, log } = opener();
  const [one, other] = sealedTo(lost, 2);
  const [mine] = sealedTo(present, 1);
  expect([open(one!), open(mine!), open(other!)]).toEqual([undefined, { data: mine!.issuanceId }, undefined]);
  expect(log.error.mock.calls.map(([fields]) => fields as unknown)).toEqual([
    expect.objectContaining({ event: "output.unopenable", dataKeyId: one!.dataKeyId }),
  ]);
});

test("an output that was altered, or belongs to another row, is refused", () => {
  const { open } = opener();
  const [one, other] = sealedTo(present, 2);
  expect(() => open({ ...one!, sealed: other!.sealed })).toThrow("does not open");
  const altered = Buffer.from(one!.sealed);
  altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
  expect(() => open({ ...one!, sealed: altered })).toThrow("does not open");
  expect(open(one!)).toEqual({ data: one!.issuanceId });
});
