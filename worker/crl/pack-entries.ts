import type { Piece, PieceContent, UnpublishedEntry } from "../../db/queries/certificates/crls.ts";
import type { SerialNumber } from "../../domain/ids.ts";
import { signedRevocationTime, type RevocationReason } from "../../domain/certificate/revocation.ts";
import { encodeCrlEntries } from "../../pki/crl.ts";

/** A piece is continued until it has this many entries, some 80 kB, so that little is rewritten for each new entry. */
export const pieceEntriesMax = 2_000;

const weekMs = 7 * 86_400_000;

/** Returns the number of the week since 1970 that contains an instant. */
export const weekOf = (at: Date): number => Math.floor(at.getTime() / weekMs);

export type NewPiece = PieceContent & { continues: string | null };

/**
 * Packs entries into pieces of a CRL, by the week in which their certificates expire. `open` contains the pieces with
 * room left, at most one for each week.
 */
export function packEntries(entries: readonly UnpublishedEntry[], open: readonly Piece[]): NewPiece[] {
  const weeks = new Map<number, UnpublishedEntry[]>();
  for (const entry of entries) {
    const week = weekOf(entry.notAfter);
    const others = weeks.get(week);
    if (others === undefined) weeks.set(week, [entry]);
    else others.push(entry);
  }
  return [...weeks].flatMap(([week, added]) => {
    const begun = open.find((piece) => piece.week === week);
    const room = begun === undefined ? 0 : pieceEntriesMax - begun.entries;
    const pieces = begun === undefined ? [] : [packPiece(week, added.slice(0, room), begun)];
    for (let from = room; from < added.length; from += pieceEntriesMax) {
      pieces.push(packPiece(week, added.slice(from, from + pieceEntriesMax)));
    }
    return pieces;
  });
}

function packPiece(week: number, added: readonly UnpublishedEntry[], begun?: Piece): NewPiece {
  const der = encodeCrlEntries(
    added.map(({ serialNumber, revokedAt, reason }) => ({
      serialNumber: serialNumber as SerialNumber,
      revokedAt: signedRevocationTime(revokedAt),
      reason: reason as RevocationReason | null,
    })),
  );
  const ends = added.map(({ notAfter }) => notAfter.getTime());
  return {
    week,
    notAfter: new Date(Math.max(begun?.notAfter.getTime() ?? 0, ...ends)),
    entries: (begun?.entries ?? 0) + added.length,
    der: begun === undefined ? der : Buffer.concat([begun.der, der]),
    continues: begun?.id ?? null,
  };
}
