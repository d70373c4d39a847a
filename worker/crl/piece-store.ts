import type { Db } from "../../db/client.ts";
import * as crls from "../../db/queries/certificates/crls.ts";
import { countCrlEntries } from "../../pki/crl.ts";

/** How many pieces one statement reads: some 5 MB. */
const slice = 64;

/** Entries of CRLs in memory that signing threads share. */
export interface PieceStore {
  /**
   * Returns the contents of an issuer's pieces, in order. Reads each piece from the database once, and drops a piece
   * that a call no longer lists.
   */
  of(
    db: Db,
    issuerId: string,
    pieces: readonly { id: string; entries: number }[],
  ): Promise<Uint8Array<SharedArrayBuffer>[]>;
}

/**
 * Makes a store that throws if a piece is damaged: keeping the last CRL for longer is better than publishing an
 * unreadable one.
 */
export function createPieceStore(): PieceStore {
  const stored = new Map<string, ReadonlyMap<string, Uint8Array<SharedArrayBuffer>>>();

  return {
    async of(db, issuerId, pieces) {
      const before = stored.get(issuerId);
      const missing = pieces.filter(({ id }) => before?.has(id) !== true).map(({ id }) => id);
      const read = new Map<string, Uint8Array<SharedArrayBuffer>>();
      for (let from = 0; from < missing.length; from += slice) {
        const ids = missing.slice(from, from + slice);
        for (const { id, der } of await crls.readPieces(db, { issuerId, ids })) read.set(id, shared(der));
      }
      const now = new Map(
        pieces.map(({ id, entries }) => {
          const der = before?.get(id) ?? read.get(id);
          if (der === undefined || (read.has(id) && countCrlEntries(der) !== entries)) {
            throw new Error(`piece ${id} of the CRL of issuer ${issuerId} is damaged`);
          }
          return [id, der];
        }),
      );
      stored.set(issuerId, now);
      return [...now.values()];
    },
  };
}

function shared(der: Buffer): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(der.length));
  copy.set(der);
  return copy;
}
