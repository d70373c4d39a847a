import { createChainCheck, type ChainCheck, type KeptLink } from "../../domain/audit/chain-check.ts";
import type { AuditHead } from "../../domain/audit/chain.ts";
import type { ExportedEntry } from "../../domain/audit/export.ts";
import { sha256, type HeadVerifier } from "../../runtime/keys/audit-key.ts";
import type { ChainReport } from "./audit-chain-in-database.ts";
import { exportedLines } from "./exported-lines.ts";

/** Checks the chain of one realm in unfiltered exports, each of which continues the one before. */
export async function checkExport(
  files: readonly string[],
  { verifier, kept }: { verifier: HeadVerifier; kept: AuditHead | undefined },
): Promise<ChainReport> {
  let check: ChainCheck | undefined;
  let realm = kept?.realm ?? "";
  let unsealed = 0;
  let endsWithHead = false;

  for await (const line of exportedLines(files)) {
    endsWithHead = "head" in line;
    if ("entry" in line) {
      if (realm === "") realm = line.entry.realm;
      check ??= createChainCheck({ sha256, realm, kept, everyHead: false });
      const link = linkOf(line.entry);
      if (link === undefined) unsealed++;
      else check.link(link);
    } else if (line.head !== null) {
      check ??= createChainCheck({ sha256, realm, kept, everyHead: false });
      const head = await verifier.verify(line.head);
      check.head(head, head?.position ?? null);
    }
  }

  check ??= createChainCheck({ sha256, realm, kept, everyHead: false });
  if (!endsWithHead) check.fault(withoutHead);
  return { realm, unsealed, ...check.finish() };
}

/** The fault of an export that does not end with a head. */
export const withoutHead = {
  kind: "chain_truncated",
  position: null,
  id: null,
  message: "The export does not end with a head: it has a filter, or its end is missing.",
} as const;

/** Returns the place of an exported entry in its chain; undefined for an entry that is not sealed yet. */
export function linkOf({ position, hash, realm, ...entry }: ExportedEntry): KeptLink | undefined {
  return position === null || hash === null ? undefined : { realm, position, id: entry.id, entry, hash };
}
