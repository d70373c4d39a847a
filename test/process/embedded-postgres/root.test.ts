import { chmod, chown, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { embeddedPostgresFiles } from "../../../embedded-postgres/files.ts";
import { runAndWait } from "../../../embedded-postgres/process.ts";
import { copyDataDirectory } from "../../support/run/services.ts";
import {
  copyOfPackage,
  isRoot,
  nobody,
  postmasterPid,
  query,
  start,
  startInProcess,
  temporaryDirectory,
} from "./embedded-postgres-support.ts";

const self = { kind: "self" } as const;
const daemon = 1;
const nameless = 12345;
const namespacesForAll = await runAndWait({ kind: "account", name: "", uid: nameless, gid: nameless }, "unshare", [
  "--user",
  "--map-user=65534",
  "true",
]);
const postgresAccount = await runAndWait(self, "id", ["-u", "postgres"]);

describe.runIf(isRoot)("started by root", () => {
  test.runIf(postgresAccount.code === 0)("the server runs as user postgres if that user exists", async () => {
    const dataDirectory = join(await openDirectory(), "data");

    const { pid, url } = await start({ dataDirectory });

    expect(await userOf(pid)).toBe(Number(postgresAccount.output));
    expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("the server runs as nobody if there is no user postgres", async () => {
    const dataDirectory = join(await openDirectory(), "data");

    const { pid, url } = await start({ dataDirectory, accounts: ["no-such-account", "nobody"] });

    expect(await userOf(pid)).toBe(nobody);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("the server runs in a user namespace under a directory that only root can enter, including its binaries", async () => {
    const home = await temporaryDirectory();
    await chmod(home, 0o700);
    const dataDirectory = join(home, "project", "data");
    const binaries = { packageDirectory: await copyOfPackage(join(home, "project", "binaries")) };

    const first = await start({ dataDirectory, binaries });
    expect((await readFile(`/proc/${first.pid}/uid_map`, "utf8")).trim().split(/\s+/)).toEqual(["65534", "0", "1"]);
    await query(first.url, "create table kept as select 42 as answer");
    await first.stop();

    const second = await start({ dataDirectory, binaries });
    expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
    expect((await stat(embeddedPostgresFiles(dataDirectory).cluster)).uid).toBe(0);
  });

  test("a server in a user namespace that outlives its parent is adopted and stopped", async () => {
    const home = await temporaryDirectory();
    await chmod(home, 0o700);
    const dataDirectory = await withCluster(join(home, "data"));
    const starter = startInProcess({ dataDirectory });
    const { url } = await starter.answer;
    const left = await postmasterPid(dataDirectory);
    await starter.kill();

    const adopted = await start({ dataDirectory });

    expect(adopted).toMatchObject({ adopted: true, url, pid: left });
    await adopted.stop();
  });

  test("the server runs as the owner of a directory that only the owner can enter, as after sudo in a home directory", async () => {
    const home = await temporaryDirectory();
    await chmod(home, 0o700);
    await chown(home, daemon, daemon);
    const dataDirectory = join(home, "data");

    const { pid, url } = await start({ dataDirectory });

    expect(await userOf(pid)).toBe(daemon);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("if no user can run the server, one error gives every reason and names DATABASE_URL", async () => {
    const home = await temporaryDirectory();
    await chmod(home, 0o700);
    await chown(home, nameless, nameless);

    const failed = start({ dataDirectory: join(home, "data") });

    await expect(failed).rejects.toThrow(/refuses to run as root.*nobody: .*a user namespace: .*DATABASE_URL/s);
  });

  test("the data of a server that ran as another user is used by a server under the new user", async () => {
    const home = await openDirectory();
    const dataDirectory = await withCluster(join(home, "data"));
    const first = await start({ dataDirectory, accounts: ["nobody"] });
    await query(first.url, "create table kept as select 42 as answer");
    await first.stop();
    await chmod(home, 0o700);

    const second = await start({ dataDirectory });

    expect(await userOf(second.pid)).toBe(0);
    expect(await query(second.url, "select answer from kept")).toEqual([{ answer: 42 }]);
  });

  test("an ordinary user runs the server under their own account", async () => {
    const home = await openDirectory();
    await chown(home, nobody, nobody);
    const dataDirectory = join(home, "data");

    const starter = startInProcess({ dataDirectory }, { uid: nobody, gid: nobody });
    const { url } = await starter.answer;

    const pid = await postmasterPid(dataDirectory);
    expect(await userOf(pid)).toBe(nobody);
    expect((await stat(dataDirectory)).uid).toBe(nobody);
    expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
    expect(await query(url!, "select 1 as one")).toEqual([{ one: 1 }]);
    await starter.stop();
  });

  test.runIf(namespacesForAll.code === 0)(
    "a user without a name can run the server, as in many containers",
    async () => {
      const home = await openDirectory();
      await chown(home, nameless, nameless);
      const dataDirectory = join(home, "data");

      const starter = startInProcess({ dataDirectory }, { uid: nameless, gid: nameless });
      const { url } = await starter.answer;

      expect(await userOf(await postmasterPid(dataDirectory))).toBe(nameless);
      expect(await query(url!, "select 1 as one")).toEqual([{ one: 1 }]);
      await starter.stop();
    },
  );
});

/** Makes a data directory with a cluster in it, for tests that are not about making a cluster. */
async function withCluster(dataDirectory: string): Promise<string> {
  await mkdir(dataDirectory);
  await copyDataDirectory(dataDirectory);
  return dataDirectory;
}

/** Makes a directory that every user may enter, for a data directory below it. */
async function openDirectory(): Promise<string> {
  const path = join(await temporaryDirectory(), "open");
  await chmod(join(path, ".."), 0o755);
  await mkdir(path);
  await chmod(path, 0o755);
  return path;
}

/** Returns the user of a process, seen from outside any namespace. */
async function userOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^Uid:\s+(\d+)/m.exec(status)![1]);
}
