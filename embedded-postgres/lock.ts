import { randomBytes } from "node:crypto";
import { link, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode, readIfPresent, writePrivateFile } from "./files.ts";
import { identifyProcess, isRunning, type ProcessIdentity } from "./process.ts";

export interface DirectoryLock {
  release(): Promise<void>;
}

/** How long a start waits for the lock: long enough for a stopping process to release it. */
const waitMsMax = 3_000;
const retryMs = 50;

/**
 * Takes a lock that is held until release() or the end of this process, however it ends. Fails if another start holds
 * the lock. Two starts never share it, because the stop() of one would end the database of the other.
 */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  const self = await identifyProcess(process.pid);
  const mine = JSON.stringify({ ...self, token: randomBytes(8).toString("hex") });
  const giveUpAt = performance.now() + waitMsMax;
  for (;;) {
    if (await createLock(path, mine)) return { release: () => releaseLock(path, mine) };
    const theirs = await readIfPresent(path);
    if (theirs === undefined) continue;
    const holder = parseHolder(theirs);
    if (!holder || !(await isRunning(holder))) {
      await breakLock(path, { dead: theirs, mine });
      continue;
    }
    if (performance.now() > giveUpAt) {
      throw new Error(
        `The embedded Postgres of this data directory is in use by process ${holder.pid}. ` +
          "Stop that one first, or set DATABASE_URL to share a server.",
      );
    }
    await delay(retryMs);
  }
}

/** Creates the lock with its content in one step: no process ever reads a half-written lock. */
async function createLock(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writePrivateFile(draft, content);
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes a dead holder's lock. Only the process that holds the turn removes another's lock, so a new lock that has
 * replaced the dead one is never removed. A process may die during its turn, between two calls; the next process then
 * ends that turn.
 */
async function breakLock(path: string, { dead, mine }: { dead: string; mine: string }): Promise<void> {
  const turn = `${path}.turn`;
  if (await createLock(turn, mine)) {
    if ((await readIfPresent(path)) === dead) await rm(path, { force: true });
    await rm(turn, { force: true });
    return;
  }
  const theirs = await readIfPresent(turn);
  if (theirs === undefined) return;
  const holder = parseHolder(theirs);
  if (holder && (await isRunning(holder))) await delay(retryMs);
  else if ((await readIfPresent(turn)) === theirs) await rm(turn, { force: true });
}

async function releaseLock(path: string, mine: string): Promise<void> {
  if ((await readIfPresent(path)) === mine) await rm(path, { force: true });
}

function parseHolder(content: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(content) as Partial<ProcessIdentity>;
    return typeof pid === "number" && typeof started === "string" ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}
