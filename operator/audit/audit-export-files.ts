import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as chain from "../../db/queries/audit/audit-seals.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { exportLine } from "../../domain/audit/export.ts";
import type { HeadVerifier } from "../../runtime/keys/audit-key.ts";
import { CommandError } from "../../terminal/failure.ts";
import { exportedLines } from "./exported-lines.ts";
import { exportFileName, exportFilesIn, writeExportFile } from "./export-files.ts";
import { joinEarlierDays } from "./join-exports.ts";

/** The result of one export of a realm's audit log. */
export interface Exported {
  realmId: string;
  /** The positions in the file; `from` is after `to` if there was nothing new. */
  from: number;
  to: number;
  /** Null if there was nothing new. */
  file: string | null;
}

/** The most entries read in one query. */
const pageMax = 2_000;

/**
 * Writes the entries after the newest file, up to the latest head, into a new file that ends with that head. The file
 * gets its name once it is on disk, so an interrupted run leaves no incomplete export. Joins the files of each earlier
 * day into one. Throws `chain_diverged` if the newest file is not part of this chain, as after a restore,
 * `directory_unusable` if the directory cannot be used, and the errors of {@link exportedLines} if the newest file
 * cannot be read.
 */
export async function exportAudit(
  db: Db,
  {
    realm: { id: realmId, name },
    directory,
    verifier,
    at,
  }: { realm: RealmRow; directory: string; verifier: HeadVerifier; at: Date },
): Promise<Exported> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const newest = (await exportFilesIn(directory)).findLast(({ realm }) => realm === name);
    if (newest !== undefined) {
      const file = join(directory, newest.file);
      await requireSameChain(db, { file, to: newest.to, realmId, directory, verifier });
    }
    await joinEarlierDays(directory, { realm: name, at });
    const from = (newest?.to ?? 0) + 1;
    const head = await chain.latestHead(db, realmId);
    if (head === undefined || head.position < from) return { realmId, from, to: from - 1, file: null };
    const file = exportFileName({ realm: name, from, to: head.position });
    await writeExportFile(directory, file, linesOf(db, { realmId, from, head }));
    return { realmId, from, to: head.position, file };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CommandError("directory_unusable", `Cannot write to ${directory} (${code}).`);
  }
}

/**
 * Refuses a restored database: its chain differs from the chain in the files, so a new file could not be verified as a
 * continuation of the files.
 */
async function requireSameChain(
  db: Db,
  {
    realmId,
    file,
    to,
    directory,
    verifier,
  }: { realmId: string; file: string; to: number; directory: string; verifier: HeadVerifier },
): Promise<void> {
  let last: string | null = null;
  for await (const line of exportedLines([file])) last = "head" in line ? line.head : null;
  const head = last === null ? undefined : await verifier.verify(last);
  const here = (await chain.hashesBetween(db, { realmId, after: to - 1, to })).get(to);
  if (head?.realm === realmId && head.position === to && head.hash === here) return;
  throw new CommandError(
    "chain_diverged",
    `${file} is not of the audit log as it is in the database: after a restore, keep ${directory} and export to a new directory.`,
  );
}

async function* linesOf(
  db: Db,
  { realmId, from, head }: { realmId: string; from: number; head: chain.SignedHead },
): AsyncGenerator<string> {
  for (let after = from - 1; after < head.position; after += pageMax) {
    const to = Math.min(after + pageMax, head.position);
    const entries = await auditEntries.sealedBetween(db, { realmId, filter: {}, after, to });
    yield entries.map((entry) => `${JSON.stringify(exportLine(entry))}\n`).join("");
  }
  yield `${JSON.stringify({ head: head.signature })}\n`;
}
