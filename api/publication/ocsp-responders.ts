import type { Database } from "../../db/client.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import { createFresh } from "../../runtime/fresh.ts";

/** The responders that are alive. */
export interface OcspResponders {
  /**
   * Their addresses, the next one's turn first, those that lately did not answer last. One of these is the first after a
   * while, for one caller alone, who finds out whether it answers again.
   */
  list(): Promise<string[]>;
  /** That one answered. */
  answered(url: string): void;
  /** That one did not answer. */
  silent(url: string): void;
}

/** For so long an address is asked last after it did not answer. */
const silentMs = 5_000;

/** How long the list of addresses is good. */
const listedMs = 1_000;

/** Learns from the database who answers, and goes on with what it knows while the database is away. */
export function createOcspResponders({ db }: { db: Database }): OcspResponders {
  let known: string[] = [];
  let turn = 0;
  const silentUntil = new Map<string, number>();

  const reading = createFresh(
    async () => {
      known = await processes.listOcspUrls(db).catch(() => known);
      for (const url of silentUntil.keys()) if (!known.includes(url)) silentUntil.delete(url);
    },
    { keptMs: listedMs },
  );

  return {
    async list() {
      const now = performance.now();
      const read = reading.get();
      // Those we know are not waited for: asking them costs less than asking the database first.
      if (known.length === 0) await read;
      if (known.length === 0) return [];
      turn = (turn + 1) % known.length;
      const inTurn = [...known.slice(turn), ...known.slice(0, turn)];
      if (silentUntil.size === 0) return inTurn;
      const due = inTurn.find((url) => (silentUntil.get(url) ?? Number.POSITIVE_INFINITY) <= now);
      if (due !== undefined) silentUntil.set(due, now + silentMs);
      const others = inTurn.filter((url) => url !== due);
      const isSilent = (url: string): boolean => silentUntil.has(url);
      return [
        ...(due === undefined ? [] : [due]),
        ...others.filter((url) => !isSilent(url)),
        ...others.filter(isSilent),
      ];
    },
    answered(url) {
      silentUntil.delete(url);
    },
    silent(url) {
      silentUntil.set(url, performance.now() + silentMs);
    },
  };
}
