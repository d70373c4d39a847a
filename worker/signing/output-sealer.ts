import { randomUUID, type KeyObject } from "node:crypto";
import { createDataKey, seal } from "../../runtime/keys/sealed-output.ts";

/** How long and how often a data key seals; the first limit that a key reaches ends its use. */
export const dataKeySecondsMax = 5;
export const dataKeyOutputsMax = 1_000;

/** A data key as stored: wrapped to the output key. */
export interface WrappedDataKey {
  id: string;
  wrapped: Uint8Array;
}

/** Seals outputs under data keys that it makes, replaces and wipes. */
export interface OutputSealer {
  /**
   * Returns `plaintext` sealed for the issuance, and the wrapped data key that opens it. A data key seals several
   * outputs.
   */
  seal(plaintext: Uint8Array, issuanceId: string): { sealed: Buffer; dataKey: WrappedDataKey };
}

interface CurrentKey extends WrappedDataKey {
  key: Buffer;
  outputs: number;
  endsAt: number;
}

/**
 * Makes a sealer that seals to the output key's public half. Wipes a data key after {@link dataKeySecondsMax}, even if
 * the sealer is idle.
 */
export function createOutputSealer(outputPublicKey: KeyObject): OutputSealer {
  let current: CurrentKey | undefined;
  let timer: NodeJS.Timeout | undefined;

  function wipe(): void {
    clearTimeout(timer);
    current?.key.fill(0);
    current = undefined;
  }

  /** Checks the clock in addition to the timer: timers do not run while a batch keeps the thread busy. */
  function usable(): CurrentKey {
    const now = performance.now();
    if (current !== undefined && current.outputs < dataKeyOutputsMax && now < current.endsAt) return current;
    wipe();
    current = {
      ...createDataKey(outputPublicKey),
      id: randomUUID(),
      outputs: 0,
      endsAt: now + dataKeySecondsMax * 1_000,
    };
    timer = setTimeout(wipe, dataKeySecondsMax * 1_000).unref();
    return current;
  }

  return {
    seal(plaintext, issuanceId) {
      const dataKey = usable();
      dataKey.outputs++;
      const { id, wrapped } = dataKey;
      return { sealed: seal(dataKey.key, plaintext, issuanceId), dataKey: { id, wrapped } };
    },
  };
}
