import type { Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as chain from "../../db/queries/audit/audit-seals.ts";
import * as restores from "../../db/queries/audit/restores.ts";
import { createChainCheck, type ChainCheck } from "../../domain/audit/chain-check.ts";
import { chainStart, type AuditHead, type ChainEnd } from "../../domain/audit/chain.ts";
import type { ExportedEntry } from "../../domain/audit/export.ts";
import { sha256, type HeadVerifier } from "../../runtime/keys/audit-key.ts";
import { CommandError } from "../../terminal/failure.ts";
import { linkOf, withoutHead } from "../audit/audit-chain-in-export.ts";
import { exportedLines } from "../audit/exported-lines.ts";

/** An entry of the exported chain that the database lacks. */
export interface LostEntry extends ExportedEntry {
  position: number;
  hash: string;
}

/** The entries of a realm that are in the exports but not in the database. */
export interface Lost {
  realmId: string;
  /**
   * The last position at which the database and the exported chain agree; it can be the position before the exports.
   */
  fork: number;
  /** The last position of the export. */
  end: number;
  /** The lost entries, in the order of the chain. */
  entries: readonly LostEntry[];
  /** An earlier run has replayed the lost entries up to this position; 0: no run has. */
  replayedTo: number;
}

/** The most entries compared with the database in one step. */
const pageMax = 2_000;

/**
 * Compares exports of one realm, each continuing the one before, with the database, and verifies the exports: throws
 * `export_refused` with the first faults if the exports differ from what was signed or do not end with a head,
 * `export_incomplete` if they begin after the database ends, `realm_not_found`, and the errors of {@link
 * exportedLines}.
 */
export async function findLost(
  db: Db,
  {
    files,
    verifier,
    kept,
    realmIds,
  }: {
    files: readonly string[];
    verifier: HeadVerifier;
    kept: AuditHead | undefined;
    realmIds: ReadonlySet<string>;
  },
): Promise<Lost> {
  let realmId = "";
  let check: ChainCheck | undefined;
  let replayed = new Set<string>();
  let replayedTo = 0;
  let fork = 0;
  let endsWithHead = false;
  let page: LostEntry[] = [];
  const entries: LostEntry[] = [];

  const comparePage = async (): Promise<void> => {
    const [from, to] = [page[0]?.position ?? 0, page.at(-1)?.position ?? 0];
    const here = await chain.hashesBetween(db, { realmId, after: from - 1, to });
    const beyond = page.filter(({ position, hash }) => here.get(position) !== hash);
    fork = page.findLast(({ position, hash }) => here.get(position) === hash)?.position ?? fork;
    // An entry that was not yet sealed when the backup was made is in the backup, but without a position.
    const present = await auditEntries.findPresent(db, { realmId, entries: beyond });
    entries.push(...beyond.filter(({ id }) => !present.has(id)));
    replayedTo = page.findLast(({ hash }) => replayed.has(hash))?.position ?? replayedTo;
    page = [];
  };

  for await (const line of exportedLines(files)) {
    endsWithHead = "head" in line;
    if ("head" in line) {
      const head = line.head === null ? undefined : await verifier.verify(line.head);
      if (line.head !== null) check?.head(head, head?.position ?? null);
      continue;
    }
    const link = linkOf(line.entry);
    if (link === undefined) continue;
    if (check === undefined) {
      realmId = link.realm;
      if (!realmIds.has(realmId)) {
        throw new CommandError("realm_not_found", `The export is of realm ${realmId}, which is not here.`);
      }
      const start = await startOf(db, realmId, link.position);
      fork = start.position;
      check = createChainCheck({ sha256, realm: realmId, kept, everyHead: false, start });
      replayed = await restores.listReplayed(db, realmId);
    }
    check.link(link);
    page.push({ ...line.entry, position: link.position, hash: link.hash });
    if (page.length === pageMax) await comparePage();
  }
  if (check === undefined) throw new CommandError("not_an_export", "The export has no entry with a place in a chain.");
  await comparePage();

  if (!endsWithHead) check.fault(withoutHead);
  const { faults, faultCount, end } = check.finish();
  if (faultCount > 0) {
    const reasons = faults.slice(0, 3).map(({ message }) => message);
    throw new CommandError(
      "export_refused",
      `The export is not what was signed, and nothing was done. ${reasons.join(" ")}`,
    );
  }
  return { realmId, fork, end: end.position, entries, replayedTo };
}

/**
 * Returns the end of the database's chain before an export's first entry. Throws if the database does not reach that
 * position: the export would leave a gap.
 */
async function startOf(db: Db, realmId: string, firstPosition: number): Promise<ChainEnd> {
  const position = firstPosition - 1;
  if (position === 0) return chainStart;
  const hash = (await chain.hashesBetween(db, { realmId, after: position - 1, to: position })).get(position);
  if (hash !== undefined) return { position, hash };
  throw new CommandError(
    "export_incomplete",
    `The export begins at position ${firstPosition}, and the database does not reach so far. Give the files before it, too.`,
  );
}
