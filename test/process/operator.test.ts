import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrations } from "../../db/migrations/index.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "../../embedded-postgres/embedded-postgres.ts";
import { copyDataDirectory } from "../support/run/services.ts";
import { requireTool } from "../support/run/tools.ts";
import { typeAt } from "../support/service/cli.ts";
import { operate } from "../support/service/operator.ts";

interface OperatorRun {
  code: number | null;
  err: string;
  json: Record<string, unknown>;
}

const project = fileURLToPath(new URL("../../", import.meta.url));
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

const environment = () => ({ REALMPASS_DATA_DIRECTORY: directory, REALMPASS_GENERATE_SECRETS: "1" });

/** Runs the compiled program in a separate process, with only the data directory. */
async function compiled(argv: readonly string[], input = ""): Promise<OperatorRun> {
  const child = spawn(process.execPath, ["dist/operator/main.js", ...argv, "--json"], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment() },
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, err, json: objectOf(out) };
}

/** Runs the operator program in this process. */
const operator = (...argv: string[]): Promise<OperatorRun> => operate(argv, environment());

/** Parses one line, which must be one JSON object. */
const objectOf = (out: string): Record<string, unknown> => {
  expect(out).toMatch(/^\{.*\}\n$/);
  return JSON.parse(out) as Record<string, unknown>;
};

test("a command finds the embedded database without configuration, and prints one object to standard output", async () => {
  const migrated = await compiled(["migrate"]);
  expect(migrated).toMatchObject({ code: 0, err: "" });
  expect(migrated.json).toMatchObject({ migrations: migrations.map(({ name }) => name) });
  expect(await operator("migrate")).toMatchObject({ code: 0, json: { migrations: [] } });

  const realm = await operator("realm", "create", "--name", "north", "--domain", "north.example");
  expect(realm).toMatchObject({ code: 0, json: { realmName: "north" } });
  expect(realm.err).toContain("offline");
});

test("a password can be piped in", async () => {
  const user = await compiled(
    ["user", "create", "--username", "ada", "--admin", "--password-stdin"],
    "correct horse battery staple\n",
  );
  expect(user).toMatchObject({ code: 0, json: { username: "ada", administrator: true } });
});

/**
 * Runs a program on a new terminal and types a line once the program shows `awaited`; returns everything that it shows.
 */
async function onTerminal(line: string, awaited: RegExp, typed: string): Promise<{ code: number | null; out: string }> {
  const child = spawn(requireTool("script"), ["--quiet", "--return", "--command", line, "/dev/null"], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment() },
    stdio: "pipe",
  });
  let out = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  await typeAt(awaited, typed, { shown: () => out, stdin: child.stdin });
  return { code: await code, out };
}

test("a password typed at a terminal is not echoed", async () => {
  const password = "correct horse battery staple";
  const cat = await onTerminal("echo awaited; head -n 1", /awaited/, `${password}\r`);
  expect(cat.out).toContain(password);

  const line = `${process.execPath} dist/operator/main.js user create --username bo --password-stdin`;
  const user = await onTerminal(line, /Password \(not shown\): /, `${password}\r`);
  expect(user).toEqual({ code: 0, out: expect.stringMatching(/username: +bo/) as string });
  expect(user.out).not.toContain(password);
});

test("Ctrl-C at the password prompt ends the command, and no user is created", async () => {
  const line = `${process.execPath} dist/operator/main.js user create --username cy --password-stdin`;
  expect(await onTerminal(line, /Password \(not shown\): /, "\u0003")).toMatchObject({ code: 130 });
  expect(await operator("user", "roles", "--username", "cy")).toMatchObject({
    code: 1,
    json: { error: "user_not_found" },
  });
});

test("the exit code distinguishes a failure from a usage error, and is the same when the command runs in this process", async () => {
  const failing = ["realm", "create", "--name", "north", "--domain", "north.example"];
  const failed = await compiled(failing);
  expect(failed).toMatchObject({ code: 1, json: { error: "name_taken" } });
  expect(await operator(...failing)).toEqual(failed);

  const misused = await compiled(["realm", "create"]);
  expect(misused).toMatchObject({ code: 2, json: { error: "usage" } });
  expect(await operator("realm", "create")).toEqual(misused);

  expect(await operator("doctor")).toMatchObject({ code: 1, json: { ok: false } });
});

test("without a database the error names both ways to get a database", async () => {
  await postgres.stop();
  const { code, err, json } = await operator("realm", "list");
  expect([code, json["error"]]).toEqual([1, "no_database"]);
  expect(err).toMatch(/DATABASE_URL[^]*npm start/);
});
