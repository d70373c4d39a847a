import { chmod, chown, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findBinaries } from "../../../embedded-postgres/binaries.ts";
import {
  copyOfPackage,
  directoryWithCluster,
  isRoot,
  nobody,
  query,
  start,
  startInProcess,
  temporaryDirectory,
} from "./embedded-postgres-support.ts";

test("a package whose install script did not run is repaired: library links and x-bits", async () => {
  const directory = await temporaryDirectory();
  const packageDirectory = await copyOfPackage(join(directory, "package"));
  const bin = join(packageDirectory, "native", "bin");
  for (const name of await readdir(bin)) await chmod(join(bin, name), 0o644);
  await expect(lstat(join(packageDirectory, "native", "lib", "libicuuc.so.60"))).rejects.toThrow("ENOENT");

  const { url } = await start({ dataDirectory: join(directory, "data"), binaries: { packageDirectory } });

  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect((await lstat(join(packageDirectory, "native", "lib", "libicuuc.so.60"))).isSymbolicLink()).toBe(true);
  for (const name of ["initdb", "postgres"]) expect((await lstat(join(bin, name))).mode & 0o111).toBe(0o111);
});

test.runIf(isRoot)("a package that needs a repair but is read-only is repaired in the data directory", async () => {
  const directory = await temporaryDirectory();
  await chmod(directory, 0o755);
  const packageDirectory = await copyOfPackage(join(directory, "package"));
  await chmod(join(packageDirectory, "native", "bin", "postgres"), 0o644);
  const home = join(directory, "home");
  await mkdir(home);
  await chown(home, nobody, nobody);
  const options = { dataDirectory: join(home, "data"), binaries: { packageDirectory } };

  for (const run of ["first", "second"]) {
    const starter = startInProcess(options, { uid: nobody, gid: nobody });
    const { url, error } = await starter.answer;
    expect({ run, error }).toEqual({ run, error: undefined });
    await query(url!, "create extension if not exists pg_trgm");
    await starter.stop();
  }

  await expect(lstat(join(packageDirectory, "native", "lib", "libicuuc.so.60"))).rejects.toThrow("ENOENT");
  expect(await readdir(join(options.dataDirectory, "postgres-binaries"))).toEqual(["bin", "lib", "share"]);
});

test("without a package, only system binaries of the same major version are used, from the PATH or the usual places", async () => {
  const directory = await temporaryDirectory();
  await chmod(directory, 0o755);
  const older = await fakeBinaries(join(directory, "older"), "postgres (PostgreSQL) 15.18");
  const newer = await fakeBinaries(join(directory, "newer"), "postgres (PostgreSQL) 180.1");
  const system = await wholeBinaries();

  const fromUsualPlaces = await start({
    dataDirectory: join(directory, "data"),
    searchPath: older,
    binaries: { packageDirectory: undefined, systemDirectories: [older, newer, system] },
  });
  expect(await query(fromUsualPlaces.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await fromUsualPlaces.stop();

  const fromPath = await start({
    dataDirectory: join(directory, "data"),
    searchPath: `${older}:${system}`,
    binaries: { packageDirectory: undefined, systemDirectories: [] },
  });
  expect(await query(fromPath.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a package that does not run on this system is replaced by the system's binaries", async () => {
  const directory = await temporaryDirectory();
  await chmod(directory, 0o755);
  const broken = join(directory, "broken");
  await fakeBinaries(join(broken, "native", "bin"), "not found: ld-linux");

  const { url } = await start({
    dataDirectory: await directoryWithCluster(),
    binaries: { packageDirectory: broken, systemDirectories: [await wholeBinaries()] },
  });

  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("without any binaries one error names DATABASE_URL as the alternative", async () => {
  const directory = await temporaryDirectory();
  const older = await fakeBinaries(join(directory, "older"), "postgres (PostgreSQL) 15.18");
  const dataDirectory = join(directory, "data");
  const binaries = { packageDirectory: undefined, systemDirectories: [older, join(directory, "missing")] };

  await expect(start({ dataDirectory, binaries })).rejects.toThrow(/no Postgres 18 .*DATABASE_URL/);

  expect(await readdir(dataDirectory)).toEqual([]);
  await rm(dataDirectory, { recursive: true });
});

/** Returns the directory of binaries that stand in for a system's own Postgres. */
async function wholeBinaries(): Promise<string> {
  const { postgres } = await findBinaries({ sources: {}, searchPath: "", cacheDirectory: await temporaryDirectory() });
  return dirname(postgres);
}

async function fakeBinaries(directory: string, version: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  for (const name of ["initdb", "postgres"]) {
    await writeFile(join(directory, name), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
  }
  return directory;
}
