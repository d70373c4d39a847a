import { open, rm, type FileHandle } from "node:fs/promises";
import { CommandError } from "../../terminal/failure.ts";

/**
 * Opens a new file that only its owner can read. Call before doing any work, so an unwritable path is found first.
 * Never overwrites an existing file, so no key is lost by accident.
 */
export async function openOutFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    throw new CommandError("file_exists", `${path} already exists. Choose another name, or remove it first.`);
  }
}

/** Lets `write` fill a new file; removes the file if writing fails. */
export async function withOutFile<Result>(path: string, write: (file: FileHandle) => Promise<Result>): Promise<Result> {
  const file = await openOutFile(path);
  let written = false;
  try {
    const result = await write(file);
    await file.sync();
    written = true;
    return result;
  } finally {
    await file.close();
    if (!written) await rm(path, { force: true });
  }
}
