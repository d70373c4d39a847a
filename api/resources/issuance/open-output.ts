import type { OpenOutput } from "../../contract/deps.ts";
import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { BoundedMap } from "../../../runtime/bounded-map.ts";
import type { Log } from "../../../runtime/log.ts";
import { open, SealedOutputError, unwrapDataKey } from "../../../runtime/keys/sealed-output.ts";

/**
 * How many data keys are remembered. A worker seals many outputs with one data key, and unwrapping a key costs a
 * hundred times as much as opening an output.
 */
const dataKeysMax = 64;

const CreationOutputJson = z.union([
  z.object({ data: z.string() }),
  z.object({ certificate: z.string(), privateKey: z.string() }),
  z.object({ certificate: z.string() }),
]);

/**
 * Returns a function that opens outputs with the API's private keys and remembers the latest data keys. It returns
 * undefined for an output sealed to a lost key, and logs the loss once per data key. It throws SealedOutputError for an
 * altered output.
 */
export function createOutputOpener(privateKeys: readonly KeyObject[], log: Pick<Log, "error">): OpenOutput {
  const dataKeys = new BoundedMap<string, Buffer | null>(dataKeysMax, (key) => key?.fill(0));

  const unwrapped = (id: string, wrapped: Uint8Array): Buffer | null => {
    try {
      return unwrapDataKey(privateKeys, wrapped);
    } catch (err) {
      if (!(err instanceof SealedOutputError && err.reason === "authentication")) throw err;
      log.error(
        { event: "output.unopenable", dataKeyId: id, err },
        "outputs were sealed to a key that this api does not have",
      );
      return null;
    }
  };

  const dataKey = (id: string, wrapped: Uint8Array): Buffer | null => {
    const known = dataKeys.get(id);
    const found = known === undefined ? unwrapped(id, wrapped) : known;
    dataKeys.set(id, found);
    return found;
  };

  return ({ issuanceId, dataKeyId, wrappedDataKey, sealed }) => {
    const key = dataKey(dataKeyId, wrappedDataKey);
    if (key === null) return undefined;
    const plaintext = open(key, sealed, issuanceId);
    try {
      return CreationOutputJson.parse(JSON.parse(plaintext.toString("utf8")));
    } finally {
      plaintext.fill(0);
    }
  };
}
