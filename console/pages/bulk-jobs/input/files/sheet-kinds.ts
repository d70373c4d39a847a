import { unzipSync } from "fflate/browser";

/** Types of relationships to sheets without cells (ECMA-376 part 1, 12.3.2 and 12.3.7, in any of its namespaces). */
const withoutCells = /\sType\s*=\s*["'][^"']*\/(?:chartsheet|dialogsheet)["']/;
const idOf = /\sId\s*=\s*["']([^"']*)["']/;

/** Returns true if a sheet of a workbook is a chart or a dialog. `relation` is the id of its relationship. */
export function isWithoutCells(archive: Uint8Array, relation: string): boolean {
  const parts = unzipSync(archive, { filter: ({ name }) => /(?:^|\/)_rels\/workbook[^/]*\.rels$/i.test(name) });
  const tags = Object.values(parts).flatMap((part) => new TextDecoder().decode(part).match(/<[^<>]*>/g) ?? []);
  return tags.some((tag) => idOf.exec(tag)?.[1] === relation && withoutCells.test(tag));
}
