/** A file in an archive. */
export interface ArchivedFile {
  /** The file's path in the archive: at most 100 characters of ASCII. */
  name: string;
  content: Uint8Array;
  isExecutable: boolean;
  /** Whether only the file's owner may read it. Default: everyone may read it. */
  isPrivate?: boolean;
  changedAt: Date;
}

const blockLength = 512;

/**
 * Returns an archive in the POSIX format ("ustar Interchange Format" in IEEE Std 1003.1, pax), with all files owned by
 * root.
 */
export function ustar(files: readonly ArchivedFile[]): Uint8Array {
  const parts = files.flatMap((file) => [headerOf(file), file.content, new Uint8Array(-file.content.length & 511)]);
  // Two blocks of zeros end the archive.
  parts.push(new Uint8Array(2 * blockLength));
  const archive = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    archive.set(part, at);
    at += part.length;
  }
  return archive;
}

/** Returns an archive that {@link ustar} made, with more files appended. */
export function withFiles(archive: Uint8Array, files: readonly ArchivedFile[]): Uint8Array {
  const more = ustar(files);
  const kept = archive.subarray(0, archive.length - 2 * blockLength);
  const joined = new Uint8Array(kept.length + more.length);
  joined.set(kept);
  joined.set(more, kept.length);
  return joined;
}

function headerOf({ name, content, isExecutable, isPrivate = false, changedAt }: ArchivedFile): Uint8Array {
  if (!/^[ -~]{1,100}$/.test(name)) throw new Error(`${name} cannot be the name of a file in an archive`);
  const header = new Uint8Array(blockLength);
  const write = (at: number, text: string): void => {
    header.set(new TextEncoder().encode(text), at);
  };
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, "0");
  write(0, name);
  write(100, octal((isExecutable ? 0o755 : 0o644) & (isPrivate ? 0o700 : 0o777), 8));
  write(108, octal(0, 8));
  write(116, octal(0, 8));
  write(124, octal(content.length, 12));
  write(136, octal(Math.floor(changedAt.getTime() / 1_000), 12));
  write(156, "0");
  write(257, "ustar\u000000");
  write(265, "root");
  write(297, "root");
  // The checksum is the sum of all octets, with blanks in place of the checksum itself.
  write(148, " ".repeat(8));
  write(
    148,
    `${octal(
      header.reduce((sum, octet) => sum + octet, 0),
      7,
    )}\u0000`,
  );
  return header;
}
