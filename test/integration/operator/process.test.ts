import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrations } from "../../../db/migrations/index.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../../embedded-postgres/embedded-postgres.ts";
import { copyDataDirectory } from "../../support/run/services.ts";

const project = fileURLToPath(new URL("../../../", import.meta.url));
const quiet = { info: () => undefined, error: () => undefined };

let directory: string;
let postgres: EmbeddedPostgres;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "realmpass-operator-"));
  await copyDataDirectory(directory);
  postgres = await startEmbeddedPostgres({
    dataDirectory: directory,
    log: quiet,
    searchPath: process.env["PATH"] ?? "",
  });
});
afterAll(async () => {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The program as a process of its own, told nothing but where the data directory is. */
async function operator(
  argv: readonly string[],
  input = "",
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, ["dist/operator/main.js", ...argv], {
    cwd: project,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      REALMPASS_DATA_DIRECTORY: directory,
      REALMPASS_GENERATE_SECRETS: "1",
    },
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** One line, which is one JSON object. */
const objectOf = (out: string): Record<string, unknown> => {
  expect(out).toMatch(/^\{.*\}\n$/);
  return JSON.parse(out) as Record<string, unknown>;
};

test("commands find the embedded database by themselves, and say one object each on standard output", async () => {
  const migrated = await operator(["migrate", "--json"]);
  expect(migrated.err).toBe("");
  expect(migrated.code).toBe(0);
  expect(objectOf(migrated.out)).toMatchObject({ migrations: migrations.map(({ name }) => name) });
  expect(objectOf((await operator(["migrate", "--json"])).out)).toMatchObject({ migrations: [] });

  const realm = await operator(["realm", "create", "--name", "north", "--domain", "north.example", "--json"]);
  expect(realm.code).toBe(0);
  expect(objectOf(realm.out)).toMatchObject({ realmName: "north" });
  expect(realm.err).toContain("offline");

  const user = await operator(
    ["user", "create", "--username", "ada", "--admin", "--password-stdin", "--json"],
    "correct horse battery staple\n",
  );
  expect(user.code).toBe(0);
  expect(objectOf(user.out)).toMatchObject({ username: "ada", administrator: true });
});

test("the exit code tells a failure from a wrong call", async () => {
  const failed = await operator(["realm", "create", "--name", "north", "--domain", "north.example", "--json"]);
  expect([failed.code, objectOf(failed.out)["error"]]).toEqual([1, "name_taken"]);

  const misused = await operator(["realm", "create", "--json"]);
  expect([misused.code, objectOf(misused.out)["error"]]).toEqual([2, "usage"]);

  const unwell = await operator(["doctor", "--json"]);
  expect([unwell.code, objectOf(unwell.out)["ok"]]).toEqual([1, false]);
});

test("without a database the message names both ways to have one", async () => {
  await postgres.stop();
  const { code, out, err } = await operator(["realm", "list", "--json"]);
  expect([code, objectOf(out)["error"]]).toEqual([1, "no_database"]);
  expect(err).toMatch(/DATABASE_URL[^]*npm start/);
});
