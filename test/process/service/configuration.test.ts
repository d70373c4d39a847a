import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Runs a program in a separate process with only this environment. No server listens at the address of its database.
 */
async function run(
  argv: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; message: string }> {
  const child = spawn(process.execPath, argv, {
    cwd: project,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      DATABASE_URL: "postgres://127.0.0.1:9/none",
      REALMPASS_METRICS_PORT: "0",
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 100_000,
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [err, code] = await Promise.all([text(child.stderr), ended]);
  // A process reports the error in one line of its log, a command in plain text.
  const message = err.startsWith("{") ? (JSON.parse(err) as { msg: string }).msg : err;
  return { code, message };
}

test.each([
  ["the api", ["dist/api/main.js"], 78],
  ["a responder", ["dist/responder/main.js"], 78],
  ["npm start", ["dist/start.js"], 78],
  ["operator config", ["dist/operator/main.js", "config"], 1],
])(
  "%s ends with a configuration error that names the faulty part of REALMPASS_TRUSTED_PROXIES",
  async (_, argv, exitCode) => {
    const { code, message } = await run(argv, { REALMPASS_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.7/33, loopbak, ::1" });
    expect(message).toMatch(
      /The configuration cannot be used:\n {2}- REALMPASS_TRUSTED_PROXIES: "192\.0\.2\.7\/33": .*; "loopbak": .*/,
    );
    expect(message).not.toContain("10.0.0.0/8");
    expect(code).toBe(exitCode);
  },
);
