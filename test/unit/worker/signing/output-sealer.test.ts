import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as sealedOutput from "../../../../runtime/keys/sealed-output.ts";
import {
  generateOutputKeyPair,
  open,
  outputPrivateKeys,
  outputPublicKey,
} from "../../../../runtime/keys/sealed-output.ts";
import { createOutputSealer, dataKeyOutputsMax, dataKeySecondsMax } from "../../../../worker/signing/output-sealer.ts";

/** Every data key that was made, in the buffer that the sealer uses. */
const made: Buffer[] = [];
vi.mock("../../../../runtime/keys/sealed-output.ts", async (importActual) => {
  const actual = await importActual<typeof sealedOutput>();
  const createDataKey: typeof actual.createDataKey = (publicKey) => {
    const dataKey = actual.createDataKey(publicKey);
    made.push(dataKey.key);
    return dataKey;
  };
  return { ...actual, createDataKey };
});

const keys = generateOutputKeyPair();
const privateKeys = outputPrivateKeys(keys.privateJwk);
const plaintext = Buffer.from("the only copy of a private key");
const newSealer = () => createOutputSealer(outputPublicKey(keys.publicJwk));
const isWiped = (key: Buffer | undefined): boolean => key?.every((octet) => octet === 0) === true;

beforeEach(() => {
  made.length = 0;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => void vi.useRealTimers());

describe("a sealer", () => {
  test("seals all outputs of a period with one data key, which opens each of them", () => {
    const sealer = newSealer();
    const outputs = ["one", "two"].map((id) => ({ id, ...sealer.seal(plaintext, id) }));
    vi.advanceTimersByTime(dataKeySecondsMax * 1_000 - 1);
    outputs.push({ id: "three", ...sealer.seal(plaintext, "three") });

    expect(new Set(outputs.map(({ dataKey }) => dataKey.id)).size).toBe(1);
    for (const { id, sealed, dataKey } of outputs) {
      expect(open(sealedOutput.unwrapDataKey(privateKeys, dataKey.wrapped), sealed, id)).toEqual(plaintext);
    }
  });

  test("wipes the data key when its time is over, whether or not anything is sealed afterwards", () => {
    const sealer = newSealer();
    const { dataKey } = sealer.seal(plaintext, "one");
    expect(isWiped(made[0])).toBe(false);
    vi.advanceTimersByTime(dataKeySecondsMax * 1_000);

    expect(isWiped(made[0])).toBe(true);
    expect(sealer.seal(plaintext, "two").dataKey.id).not.toBe(dataKey.id);
  });

  test("replaces the data key by the clock if a busy thread delays the timers", () => {
    const sealer = newSealer();
    const { dataKey } = sealer.seal(plaintext, "one");
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + dataKeySecondsMax * 1_000);

    expect(sealer.seal(plaintext, "two").dataKey.id).not.toBe(dataKey.id);
    expect(isWiped(made[0])).toBe(true);
    expect(isWiped(made[1])).toBe(false);
  });

  test("draws a new data key when the old one has sealed the maximum number of outputs", () => {
    const sealer = newSealer();
    const ids = Array.from({ length: dataKeyOutputsMax + 1 }, (_, n) => sealer.seal(plaintext, `${n}`).dataKey.id);

    expect(new Set(ids.slice(0, dataKeyOutputsMax)).size).toBe(1);
    expect(ids.at(-1)).not.toBe(ids[0]);
    expect(made.map(isWiped)).toEqual([true, false]);
  });
});
