import { randomBytes } from "node:crypto";
import { open, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as chain from "../../db/queries/audit/audit-seals.ts";
import type { RealmRow } from "../../db/queries/realm/realms.ts";
import { exportLine } from "../../domain/audit/export.ts";
import type { HeadVerifier } from "../../runtime/keys/audit-key.ts";
import { CommandError } from "../../terminal/failure.ts";
import { exportedLines } from "./exported-lines.ts";

/** The result of one run for a realm. */
export interface Exported {
  realmId: string;
  /** The positions in the file; `from` is after `to` if there was nothing new. */
  from: number;
  to: number;
  /** Null if there was nothing new. */
  file: string | null;
}

/** Entries read at once. */
const pageMax = 2_000;

/** Enough digits to keep the file names in the order of the chain. */
const positionDigits = 12;

const nameOf = (realm: string, from: number, to: number): string =>
  `${realm}-${[from, to].map((position) => String(position).padStart(positionDigits, "0")).join("-")}.ndjson`;

/**
 * Writes the entries after the newest file, up to the latest head, into a new file that ends with that head. The file
 * gets its name once it is on the disk: a run that dies leaves nothing that counts. Throws `chain_diverged` if the
 * newest file is not of this chain, as after a restore; `directory_unusable`.
 */
export async function exportAudit(
  db: Db,
  { realm: { id: realmId, name }, directory, verifier }: { realm: RealmRow; directory: string; verifier: HeadVerifier },
): Promise<Exported> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const newest = await newestOf(directory, name);
    if (newest !== undefined) await requireSameChain(db, { ...newest, realmId, directory, verifier });
    const from = (newest?.to ?? 0) + 1;
    const head = await chain.latestHead(db, realmId);
    if (head === undefined || head.position < from) return { realmId, from, to: from - 1, file: null };
    const file = nameOf(name, from, head.position);
    await write(directory, file, linesOf(db, { realmId, from, head }));
    return { realmId, from, to: head.position, file };
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CommandError("directory_unusable", `Cannot write to ${directory} (${code}).`);
  }
}

/**
 * Returns the exports that paths name, in their order: a file stands for itself, a directory for the files in it that
 * {@link exportAudit} named, each realm's in the order of its chain. Grouped by realm; files are one group. Throws
 * `file_unreadable` for a directory without an export.
 */
export async function exportsIn(paths: readonly string[]): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>();
  const add = (realm: string, file: string): void => void groups.set(realm, [...(groups.get(realm) ?? []), file]);
  for (const path of paths) {
    // A path that is missing is reported by the reader of files.
    const isDirectory = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isDirectory) {
      add("", path);
      continue;
    }
    const found = (await readdir(path)).sort().flatMap((file) => {
      const realm = /^(.+)-\d+-\d+\.ndjson$/.exec(file)?.[1];
      return realm === undefined ? [] : [{ realm, file: join(path, file) }];
    });
    if (found.length === 0) throw new CommandError("file_unreadable", `There is no export in ${path}.`);
    for (const { realm, file } of found) add(realm, file);
  }
  return groups;
}

async function newestOf(directory: string, realm: string): Promise<{ file: string; to: number } | undefined> {
  const names = (await readdir(directory)).sort();
  const file = names.findLast(
    (name) => name.startsWith(`${realm}-`) && /^\d+-\d+\.ndjson$/.test(name.slice(realm.length + 1)),
  );
  return file === undefined ? undefined : { file: join(directory, file), to: Number(/(\d+)\.ndjson$/.exec(file)?.[1]) };
}

/**
 * Refuses a restored database: its chain differs from the one in the files, so a file of it could not be verified after
 * them.
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

async function write(directory: string, name: string, texts: AsyncIterable<string>): Promise<void> {
  const unfinished = join(directory, `.${name}.${randomBytes(6).toString("hex")}.part`);
  try {
    const handle = await open(unfinished, "wx", 0o600);
    try {
      for await (const text of texts) await handle.appendFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, join(directory, name));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  const handle = await open(directory, "r");
  await handle.sync().finally(() => handle.close());
}
