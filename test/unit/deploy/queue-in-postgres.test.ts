import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { apiVariables } from "../../../api/config.ts";
import { loadServerConfig } from "../../../process/config.ts";
import type { Env } from "../../../runtime/config/config.ts";
import { workerVariables } from "../../../worker/config.ts";

const valuesOf = (text: string, key: string): string[] =>
  text.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));

/**
 * Returns the environment that systemd gives a process of these unit files: `Environment`, then the environment file
 * without lines that match `leftOut`, without `UnsetEnvironment`. Each credential is a file.
 */
function environmentOf(files: readonly string[], envFile: string, leftOut = /^$/): Env {
  const text = files.map((file) => readFileSync(file, "utf8")).join("\n");
  const credentials = mkdtempSync(join(tmpdir(), "realmpass-credentials-"));
  onTestFinished(() => {
    rmSync(credentials, { recursive: true });
  });
  for (const credential of valuesOf(text, "LoadCredential")) {
    writeFileSync(join(credentials, credential.split(":")[0]!), "secret");
  }
  const pairs = [
    ...valuesOf(text, "Environment").flatMap((line) => line.split(" ")),
    ...readFileSync(envFile, "utf8")
      .split("\n")
      .filter((line) => line.includes("=") && !line.startsWith("#") && !leftOut.test(line)),
  ].map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name, value.join("=").replaceAll("%d", credentials).replaceAll("%S", credentials).replaceAll("%i", "4")];
  });
  const unset = new Set(valuesOf(text, "UnsetEnvironment").flatMap((line) => line.split(" ")));
  return Object.fromEntries(pairs.filter(([name]) => !unset.has(name!))) as Env;
}

const cases = [
  ["api", "realmpass-api@.service", (env: Env) => loadServerConfig("api", apiVariables, env)],
  ["worker", "realmpass-worker@.service", (env: Env) => loadServerConfig("worker", workerVariables, env)],
] as const;

describe.each(cases)("the unit of the %s", (name, unit, load) => {
  const file = `deploy/systemd/${unit}`;
  const dropIn = `deploy/systemd-queue-in-postgres/${unit}.d/30-queue.conf`;
  const envFile = `deploy/env/${name}.env`;

  test("uses Redis by default, and has no login for a queue in PostgreSQL", () => {
    const config = load(environmentOf([file], envFile));
    expect(config).toMatchObject({ REDIS_URL: expect.stringContaining("redis://") as string });
    expect(config.QUEUE_DATABASE_URL).toBeUndefined();
  });

  test.each([
    ["removed from", /^REDIS_URL=/],
    ["left in", /^$/],
  ])("does not use Redis with the drop-in, with Redis' address %s the environment file", (_, leftOut) => {
    const config = load(environmentOf([file, dropIn], envFile, leftOut));
    expect(config.REDIS_URL).toBeUndefined();
    expect(config).toMatchObject({
      QUEUE_DATABASE_URL: expect.stringContaining("realmpass_queue_login:secret@") as string,
    });
  });
});

test.each(["api", "worker", "responder"])("the journal identifies each %s by its instance", (name) => {
  const text = readFileSync(`deploy/systemd/realmpass-${name}@.service`, "utf8");
  expect(valuesOf(text, "SyslogIdentifier")).toEqual(["%p@%i"]);
});
