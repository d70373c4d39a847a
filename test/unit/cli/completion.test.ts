import { spawnSync } from "node:child_process";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { commands } from "../../../cli/commands/index.ts";
import { systemClock } from "../../../cli/context/clock.ts";
import { run } from "../../../cli/program.ts";

async function script(shell: string): Promise<string> {
  const stdout = new PassThrough();
  const written = text(stdout);
  const code = await run(["completion", shell], {
    env: {},
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    clock: { ...systemClock, now: () => new Date(0) },
    interrupted: new AbortController().signal,
  });
  expect(code).toBe(0);
  stdout.end();
  return written;
}

/** Returns bash's completions after these words. */
async function offered(...words: string[]): Promise<string[]> {
  const quoted = ["realmpass", ...words].map((word) => `'${word}'`).join(" ");
  const program = `${await script("bash")}
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; _realmpass; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc"], { input: program, encoding: "utf8", cwd: "/" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

test("bash: commands, then their commands, then options", async () => {
  expect(await offered("")).toEqual(expect.arrayContaining(["users", "jobs", "doctor", "completion", "--json"]));
  expect(await offered("users", "")).toEqual(expect.arrayContaining(["list", "offboard"]));
  expect(await offered("users", "un")).toEqual(["unlock"]);
  expect(await offered("jobs", "start", "o")).toEqual(["onboard", "offboard"]);
  expect(await offered("jobs", "start", "onboard", "--dr")).toEqual(["--dry-run"]);
});

test("bash: values from a fixed list", async () => {
  expect(await offered("profiles", "create", "--device-type", "i")).toEqual(["iOS", "iPadOS"]);
  expect(await offered("completion", "z")).toEqual(["zsh"]);
  expect(await offered("--json", "profiles", "revoke", "--reason", "key")).toEqual(["key-compromise"]);
});

test.each(["zsh", "fish"])("%s: every command is in the script", async (shell) => {
  const written = await script(shell);
  const words = commands.flatMap(({ name }) => name.split(" "));
  for (const word of [...words, "completion", "leave-out", "client-secret-file", "key-compromise"])
    expect(written).toContain(word);
});
