import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { systemClock } from "../../../cli/context/clock.ts";
import { run } from "../../../cli/program.ts";

test("help is one JSON object with --json", async () => {
  const stdout = new PassThrough();
  const code = await run(["users", "list", "--help", "--json"], {
    env: {},
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    clock: { ...systemClock, now: () => new Date(0) },
    interrupted: new AbortController().signal,
  });
  stdout.end();
  expect(code).toBe(0);
  expect(JSON.parse(await text(stdout))).toEqual({ help: expect.stringContaining("--filter <KEY=VALUE>") as string });
});
