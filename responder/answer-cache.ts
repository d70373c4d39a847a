import type { StatusRow } from "../db/queries/certificates/ocsp.ts";
import { BoundedMap } from "../runtime/bounded-map.ts";
import type { OcspAnswer } from "./answer.ts";

/** An answer about one certificate. */
export interface KeptAnswer {
  answer: OcspAnswer;
  /** The certificate's row as it was read. */
  row: StatusRow;
}

export interface AnswerCache {
  get(key: string, at: Date): KeptAnswer | undefined;
  set(key: string, answer: KeptAnswer, at: Date): void;
}

/** How long an answer is repeated. A revocation takes effect up to this much later. */
const keptMs = 500;
const answersMax = 5_000;

/** Creates a cache that keeps answers without a nonce briefly. The oldest answers make room for new ones. */
export function createAnswerCache(): AnswerCache {
  const kept = new BoundedMap<string, { answer: KeptAnswer; until: number }>(answersMax);
  return {
    get(key, at) {
      const found = kept.get(key);
      if (found === undefined) return undefined;
      if (at.getTime() < found.until) return found.answer;
      kept.delete(key);
      return undefined;
    },
    set(key, answer, at) {
      kept.set(key, { answer, until: at.getTime() + keptMs });
    },
  };
}
