import { expect, test } from "vitest";
import type { Piece, UnpublishedEntry } from "../../../../db/queries/certificates/crls.ts";
import { packEntries, pieceEntriesMax, weekOf } from "../../../../worker/crl/pack-entries.ts";
import { countCrlEntries } from "../../../../pki/crl.ts";

const soon = new Date("2027-01-04T12:00:00Z");
const sooner = new Date("2027-01-04T11:00:00Z");
const late = new Date("2028-01-04T12:00:00Z");

const entries = (count: number, notAfter: Date): UnpublishedEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    serialNumber: String(index + 1),
    revokedAt: new Date("2026-11-21T09:00:00Z"),
    reason: 5,
    notAfter,
  }));

const asPiece = (id: string, given: readonly UnpublishedEntry[]): Piece => {
  const [piece] = packEntries(given, []);
  if (piece === undefined) throw new Error("no piece");
  return { ...piece, id };
};

test("entries that expire in the same week are in one piece, with the last expiry", () => {
  const packed = packEntries([...entries(2, sooner), ...entries(1, late), ...entries(1, soon)], []);
  expect(packed.map(({ week, notAfter, entries: count, continues }) => ({ week, notAfter, count, continues }))).toEqual(
    [
      { week: weekOf(soon), notAfter: soon, count: 3, continues: null },
      { week: weekOf(late), notAfter: late, count: 1, continues: null },
    ],
  );
});

test("a piece with room keeps all its entries when it is continued, and grows only up to the limit", () => {
  const open = asPiece("7", entries(pieceEntriesMax - 10, soon));
  const packed = packEntries([...entries(25, sooner), ...entries(1, late)], [open]);
  expect(packed.map(({ entries: count, continues }) => [count, continues])).toEqual([
    [pieceEntriesMax, "7"],
    [15, null],
    [1, null],
  ]);
  expect(packed[0]?.der.subarray(0, open.der.length).equals(open.der)).toBe(true);
  expect(packed[0]?.notAfter).toEqual(soon);
  for (const { der, entries: count } of packed) expect(countCrlEntries(der)).toBe(count);
});
