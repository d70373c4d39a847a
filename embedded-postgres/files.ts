import { randomBytes } from "node:crypto";
import { chmod, chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Paths of the embedded server's files below the data directory. The cluster's path contains the major version. */
export type EmbeddedPostgresFiles = ReturnType<typeof embeddedPostgresFiles>;

export function embeddedPostgresFiles(dataDirectory: string) {
  const root = resolve(dataDirectory);
  const cluster = join(root, "pg18");
  return {
    root,
    cluster,
    /** In the cluster's directory and renamed with it, so cluster and password never exist without each other. */
    password: join(cluster, "realmpass.password"),
    settings: join(cluster, "realmpass.conf"),
    postmasterPid: join(cluster, "postmaster.pid"),
    url: join(root, "postgres.url"),
    lock: join(root, "postgres.lock"),
    log: join(root, "postgres.log"),
    previousLog: join(root, "postgres.log.1"),
    binaries: join(root, "postgres-binaries"),
  };
}

/**
 * Makes the data directory if it is missing, and closes it to everyone but its owner. Refuses a shared directory such
 * as /tmp, which must stay open to other users.
 */
export async function preparePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if (mode & 0o1000) throw new Error(`${path} is shared with other users; name a data directory of its own.`);
  if ((mode & 0o777) !== 0o700) await chmod(path, 0o700);
}

/**
 * Replaces a file in one step, readable only by its owner. A reader sees the old or the new content, never a mixture.
 */
export async function writePrivateFile(path: string, content: string, owner?: { uid: number; gid: number }) {
  const fresh = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(fresh, "wx", 0o600);
  try {
    await file.writeFile(content);
    if (owner) await file.chown(owner.uid, owner.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(fresh, path);
}

/** Returns the content of a file; undefined if the file does not exist. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(undefinedIfMissing);
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(undefinedIfMissing)) !== undefined;
}

/** Makes a user the owner of a whole tree, the top directory last: a tree whose top has the right owner is complete. */
export async function giveTree(path: string, owner: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(inner, owner);
    else await lchown(inner, owner.uid, owner.gid);
  }
  await chown(path, owner.uid, owner.gid);
}

/** Removes a tree even while a dying process still writes into it; the next start removes whatever remains. */
export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }).catch(() => undefined);
}

/** Makes a rename durable. Some platforms cannot open a directory; there the file system must ensure durability. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r").catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

function undefinedIfMissing(error: unknown): undefined {
  if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
  throw error;
}
