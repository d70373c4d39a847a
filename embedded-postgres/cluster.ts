import { randomBytes } from "node:crypto";
import { appendFile, chown, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { exists, hasCode, removeTree, syncDirectory, writePrivateFile, type EmbeddedPostgresFiles } from "./files.ts";
import { runAndWait, type RunAs } from "./process.ts";

const settings = `# Written at every start; changes here are lost. Use "alter system" instead.
unix_socket_directories = ''
max_connections = 200
shared_buffers = '128MB'
fsync = on
full_page_writes = on
synchronous_commit = on
wal_compression = on
jit = off
password_encryption = 'scram-sha-256'
shared_preload_libraries = ''
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
logging_collector = off
log_destination = 'stderr'
log_line_prefix = '%m [%p] '
log_min_messages = warning
log_error_verbosity = terse
log_connections = ''
log_disconnections = off
log_statement = 'none'
log_checkpoints = off
log_autovacuum_min_duration = -1
`;

/** Writes the settings that apply to every start. The server gets its port and address as arguments instead. */
export async function writeSettings(files: EmbeddedPostgresFiles, runAs: RunAs): Promise<void> {
  await writePrivateFile(files.settings, settings, ownerOf(runAs));
}

/**
 * Makes the cluster unless it exists: under a temporary name, renamed once it is complete with its password. An
 * interrupted cluster never has the right name, and the next call removes it. Returns true if the cluster was made.
 */
export async function ensureCluster(files: EmbeddedPostgresFiles, initdb: string, runAs: RunAs): Promise<boolean> {
  await clearInterrupted(files);
  if (await exists(join(files.cluster, "PG_VERSION"))) return false;
  if ((await exists(files.cluster)) && (await readdir(files.cluster)).length > 0) {
    throw new Error(`${files.cluster} is not a Postgres data directory. Move it away, or name another data directory.`);
  }
  const fresh = `${files.cluster}.partial-${randomBytes(6).toString("hex")}`;
  const passwordFile = `${fresh}.password`;
  try {
    await writePrivateFile(passwordFile, randomBytes(32).toString("base64url"), ownerOf(runAs));
    await makeEmptyDirectory(fresh, runAs);
    await initialize({ initdb, runAs, directory: fresh, passwordFile });
    await appendFile(join(fresh, "postgresql.conf"), "\ninclude 'realmpass.conf'\n");
    await rename(passwordFile, join(fresh, "realmpass.password"));
    await syncDirectory(fresh);
    await rename(fresh, files.cluster);
    await syncDirectory(files.root);
    return true;
  } finally {
    await removeTree(fresh);
    await rm(passwordFile, { force: true });
  }
}

async function clearInterrupted(files: EmbeddedPostgresFiles): Promise<void> {
  const names = await readdir(files.root);
  const interrupted = names.filter((name) => name.startsWith("pg18.partial-"));
  await Promise.all(interrupted.map((name) => removeTree(join(files.root, name))));
}

async function makeEmptyDirectory(path: string, runAs: RunAs): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (runAs.kind !== "self") await chown(path, runAs.uid, runAs.gid);
}

/**
 * Makes a cluster in which text sorts by code point and has upper and lower case in all of Unicode, the same on every
 * machine. The character type comes from the system, because pg_trgm uses it to recognise letters; a system without a
 * UTF-8 locale gets plain C.
 */
async function initialize(options: { initdb: string; runAs: RunAs; directory: string; passwordFile: string }) {
  const { initdb, runAs, directory, passwordFile } = options;
  const complaints: string[] = [];
  for (const characterType of ["C.UTF-8", "en_US.UTF-8", "C"]) {
    const { code, output } = await runAndWait(runAs, initdb, [
      `--pgdata=${directory}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      `--lc-ctype=${characterType}`,
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
    ]);
    if (code === 0) return;
    complaints.push(output);
    if (!output.includes("locale")) break;
  }
  throw new Error(`Postgres could not create its data directory.\n${complaints.join("\n")}`);
}

function ownerOf(runAs: RunAs): { uid: number; gid: number } | undefined {
  return runAs.kind === "self" ? undefined : runAs;
}

/** Moves the last run's log to a single older file, so the next run begins a new log. */
export async function beginLog(files: EmbeddedPostgresFiles): Promise<void> {
  await rename(files.log, files.previousLog).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
  });
}
