import type { OpenOutput } from "../../contract/deps.ts";
import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { open, unwrapDataKey } from "../../../runtime/sealed-output.ts";

/** A worker seals many outputs with one data key; unwrapping costs a hundred times what opening does. */
const dataKeysMax = 64;

const CreationOutputJson = z.union([
  z.object({ data: z.string() }),
  z.object({ certificate: z.string(), privateKey: z.string() }),
  z.object({ certificate: z.string() }),
]);

/** Opens outputs with the API's private keys, remembering the data keys it has met last. */
export function createOutputOpener(privateKeys: readonly KeyObject[]): OpenOutput {
  const dataKeys = new Map<string, Buffer>();

  const dataKey = (id: string, wrapped: Uint8Array): Buffer => {
    const known = dataKeys.get(id) ?? unwrapDataKey(privateKeys, wrapped);
    dataKeys.delete(id);
    dataKeys.set(id, known);
    const [oldest] = dataKeys.keys();
    if (dataKeys.size > dataKeysMax && oldest !== undefined) {
      dataKeys.get(oldest)?.fill(0);
      dataKeys.delete(oldest);
    }
    return known;
  };

  return ({ issuanceId, dataKeyId, wrappedDataKey, sealed }) => {
    const plaintext = open(dataKey(dataKeyId, wrappedDataKey), sealed, issuanceId);
    try {
      return CreationOutputJson.parse(JSON.parse(plaintext.toString("utf8")));
    } finally {
      plaintext.fill(0);
    }
  };
}
