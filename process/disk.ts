import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../runtime/log.ts";
import type { Beat } from "./beat.ts";

/** Whether there is room to write. */
export interface Disk {
  /** Postgres has said that its disk is full (SQLSTATE 53100). */
  noteFull(): void;
  /** Whether it said so a moment ago, or (as far as the system tells) the disk of a trial's own Postgres is nearly full. */
  isFull(): Promise<boolean>;
}

/** For so long a disk counts as full after Postgres has said so, in milliseconds. */
const noteMs = 30_000;

/** Postgres stops, and loses nothing, when there is no room at all; people should know before. */
const freeBytesMin = 256 * 1024 * 1024;

const detail = "the disk of PostgreSQL is full";

/** `npm start` keeps its Postgres in the data directory; elsewhere the directory holds a few small files. */
export function createDisk({
  dataDirectory,
  problems,
  log,
  bytesMin = freeBytesMin,
}: {
  dataDirectory: string;
  problems: Pick<Beat, "report" | "end">;
  log: Pick<Log, "error">;
  /** Only tests set it. */
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
