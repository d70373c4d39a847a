import { randomBytes } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CommandError } from "../../terminal/failure.ts";

/** The entries in a file: from one position of a realm's chain to another. */
interface Range {
  realm: string;
  from: number;
  to: number;
}

export interface ExportFile extends Range {
  /** The file's name in its directory. */
  file: string;
}

/** Enough digits for the file names to sort in the order of the chain. */
const positionDigits = 12;

export const exportFileName = ({ realm, from, to }: Range): string =>
  `${realm}-${[from, to].map((position) => String(position).padStart(positionDigits, "0")).join("-")}.ndjson`;

/**
 * Returns the exports in a directory, each realm's in the order of its chain. Leaves out a file whose entries are all
 * in another file: it has been joined into that file, but was not deleted on this machine.
 */
export async function exportFilesIn(directory: string): Promise<ExportFile[]> {
  const all = (await readdir(directory)).flatMap((file) => {
    const [, realm, from, to] = /^(.+)-(\d+)-(\d+)\.ndjson$/.exec(file) ?? [];
    return realm === undefined ? [] : [{ realm, from: Number(from), to: Number(to), file }];
  });
  // Of two files that begin at the same position, the longer comes first.
  all.sort((a, b) => (a.realm === b.realm ? a.from - b.from || b.to - a.to : a.realm < b.realm ? -1 : 1));
  const kept: ExportFile[] = [];
  for (const each of all) {
    const last = kept.at(-1);
    if (last?.realm !== each.realm || each.to > last.to) kept.push(each);
  }
  return kept;
}

/**
 * Returns the exports that paths name, in the order of the paths. The path of a file means that file; the path of a
 * directory means the files in it that `audit export` named, each realm's in the order of its chain. The exports are
 * grouped by realm; files named individually form one group. Throws `file_unreadable` for a directory without an
 * export.
 */
export async function exportsIn(paths: readonly string[]): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>();
  const add = (realm: string, file: string): void => void groups.set(realm, [...(groups.get(realm) ?? []), file]);
  for (const path of paths) {
    // A missing path is reported later, when it is read as a file.
    const isDirectory = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isDirectory) {
      add("", path);
      continue;
    }
    const found = await exportFilesIn(path);
    if (found.length === 0) throw new CommandError("file_unreadable", `There is no export in ${path}.`);
    for (const { realm, file } of found) add(realm, join(path, file));
  }
  return groups;
}

/** Writes a file under a temporary name and renames it once it is on disk. */
export async function writeExportFile(directory: string, name: string, texts: AsyncIterable<string>): Promise<void> {
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
