import type { Database } from "../../db/client.ts";
import * as processes from "../../db/queries/upkeep/processes.ts";
import { createFresh } from "../../runtime/fresh.ts";

/** The running OCSP responders. */
export interface OcspResponders {
  /**
   * Returns the responders' addresses: the next in turn first, recently failed ones last. After a while a single caller
   * gets a failed address first, to find out whether it responds again.
   */
  list(): Promise<string[]>;
  /** Notes that this responder responded. */
  answered(url: string): void;
  /** Notes that this responder did not respond. */
  silent(url: string): void;
}

/** How long an address stays last in the list after it did not respond. */
const silentMs = 5_000;

/** How long the list of addresses is reused. */
const listedMs = 1_000;

/** Reads the running responders from the database, and keeps the last list while the database is unreachable. */
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
      // A known list is used immediately: asking a responder costs less than waiting for the database.
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
