import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../runtime/log.ts";
import type { Beat } from "./beat.ts";

/** Reports whether Postgres has room to write. */
export interface Disk {
  /** Notes that Postgres reported a full disk (SQLSTATE 53100). */
  noteFull(): void;
  /**
   * Whether Postgres has recently reported a full disk, or the disk of a trial's own Postgres is nearly full, if the
   * system shows its free space.
   */
  isFull(): Promise<boolean>;
}

/** How long a disk counts as full after Postgres reported it, in milliseconds. */
const noteMs = 30_000;

/** On a full disk Postgres stops, but loses no data; the operator should know before it stops. */
const freeBytesMin = 256 * 1024 * 1024;

const detail = "the disk of PostgreSQL is full";

/**
 * Creates the check of the disk. Only `npm start` keeps its Postgres in the data directory; in other installations the
 * directory contains only small files.
 */
export function createDisk({
  dataDirectory,
  problems,
  log,
  bytesMin = freeBytesMin,
}: {
  dataDirectory: string;
  problems: Pick<Beat, "report" | "end">;
  log: Pick<Log, "error">;
  /** Only tests set this limit. */
  bytesMin?: number;
}): Disk {
  let timer: NodeJS.Timeout | undefined;
  return {
    noteFull() {
      if (timer === undefined) log.error({ event: "database.disk_full" }, detail);
      clearTimeout(timer);
      problems.report("disk_full", detail);
      timer = setTimeout(() => {
        timer = undefined;
        problems.end("disk_full", detail);
      }, noteMs).unref();
    },
    async isFull() {
      if (timer !== undefined) return true;
      if (!existsSync(join(dataDirectory, "postgres.url"))) return false;
      const free = await statfs(dataDirectory).catch(() => undefined);
      return free !== undefined && free.bavail * free.bsize < bytesMin;
    },
  };
}
