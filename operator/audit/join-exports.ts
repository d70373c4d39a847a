import { readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { exportFileName, exportFilesIn, writeExportFile, type ExportFile } from "./export-files.ts";

/**
 * Joins the exports of each UTC day before the day of `at` into one file, which keeps only the last head: earlier heads
 * prove nothing more. Removes files only once the joined file is on disk; readers ignore files that an interrupted run
 * left behind. Skips a day whose files do not continue one another or lack a head.
 */
export async function joinEarlierDays(directory: string, { realm, at }: { realm: string; at: Date }): Promise<void> {
  const today = dayOf(at);
  const days = new Map<string, ExportFile[]>();
  for (const each of (await exportFilesIn(directory)).filter((found) => found.realm === realm)) {
    const day = dayOf((await stat(join(directory, each.file))).mtime);
    if (day < today) days.set(day, [...(days.get(day) ?? []), each]);
  }
  for (const files of days.values()) if (files.length > 1) await joinFiles(directory, files);
}

const dayOf = (date: Date): string => date.toISOString().slice(0, "2027-01-31".length);

async function joinFiles(directory: string, files: readonly ExportFile[]): Promise<void> {
  const [first, last] = [files[0], files.at(-1)];
  if (first === undefined || last === undefined) return;
  if (files.some(({ from }, index) => index > 0 && from !== (files[index - 1]?.to ?? 0) + 1)) return;
  const name = exportFileName({ realm: first.realm, from: first.from, to: last.to });
  const { mtime } = await stat(join(directory, last.file));
  try {
    await writeExportFile(directory, name, joined(directory, files));
  } catch (error) {
    if (error instanceof WithoutHead) return;
    throw error;
  }
  // The modification time keeps the joined file on its day.
  await utimes(join(directory, name), mtime, mtime);
  for (const { file } of files) await rm(join(directory, file));
}

class WithoutHead extends Error {}

async function* joined(directory: string, files: readonly ExportFile[]): AsyncGenerator<string> {
  for (const { file } of files) {
    const text = await readFile(join(directory, file), "utf8");
    const headAt = text.lastIndexOf("\n", text.length - 2) + 1;
    if (!/^\{"head":"[^"]+"\}\n$/.test(text.slice(headAt))) throw new WithoutHead();
    yield file === files.at(-1)?.file ? text : text.slice(0, headAt);
  }
}
