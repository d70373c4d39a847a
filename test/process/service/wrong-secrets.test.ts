import { randomBytes } from "node:crypto";
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { generateAuditKey } from "../../../runtime/keys/audit-key.ts";
import { generateOutputKeyPair } from "../../../runtime/keys/sealed-output.ts";
import { givenUser } from "../../support/given/issuing.ts";
import { atEndOfFile } from "../../support/run/at-end.ts";
import { eventually } from "../../support/run/eventually.ts";
import { ended } from "../../support/run/services.ts";
import { startService, type RunningService } from "../../support/service/service.ts";

let service: RunningService;
let directories: string;

/** An api and a worker with a directory each: between them they have all secrets of the installation. */
beforeAll(async () => {
  directories = mkdtempSync(join(tmpdir(), "realmpass-secrets-"));
  atEndOfFile(() => {
    rmSync(directories, { recursive: true, force: true });
  });
  service = await startService({
    kind: "postgres",
    env: { REALMPASS_DATA_DIRECTORY: join(directories, "api") },
    worker: false,
    atEnd: atEndOfFile,
  });
  await service.startWorker({ REALMPASS_DATA_DIRECTORY: join(directories, "worker") });
});

const masterKey = (): string => randomBytes(32).toString("base64url");

const occurrences = async (text: string): Promise<number> => (await service.logs()).split(text).length - 1;

/** Expects a process with this environment to refuse to start and to log the reason, without any of its secrets. */
async function expectRefusal(start: "startApi" | "startWorker", env: Record<string, string>, reason: string) {
  // The reason as a line of the log encodes it.
  const message = JSON.stringify(reason).slice(1, -1);
  const before = await occurrences(message);
  await expect(service[start]({ REALMPASS_DATA_DIRECTORY: join(directories, "api"), ...env })).rejects.toThrow(
    /did not start/,
  );
  await eventually(async () => {
    expect(await occurrences(message)).toBeGreaterThan(before);
  });
  for (const [name, value] of Object.entries(env)) {
    if (!name.endsWith("DIRECTORY") && value.length > 8) expect(await service.logs()).not.toContain(value);
  }
}

describe("with separate directories", () => {
  test("a process makes its own secret files, and no files for the secrets of other processes", () => {
    expect(readdirSync(join(directories, "api")).sort()).toEqual(["master-key", "output-private-key.json"]);
    expect(readdirSync(join(directories, "worker")).sort()).toEqual(["audit-key.json"]);
    for (const [directory, file] of [
      ["api", "master-key"],
      ["worker", "audit-key.json"],
    ] as const) {
      expect(statSync(join(directories, directory)).mode & 0o777).toBe(0o700);
      expect(statSync(join(directories, directory, file)).mode & 0o777).toBe(0o600);
    }
  });

  test("a worker without a file of the output key seals with the installation's key, and the api opens the output", async () => {
    const user = await givenUser(service.owner, service.realmId);
    const made = await service.call("POST", `/api/user/${user}/profiles/laptop`, {
      format: "pem",
      deviceType: "Linux",
    });
    expect([made.status, made.body.error]).toEqual([200, undefined]);
    expect(made.body.data).toMatchObject({ privateKey: expect.stringContaining("PRIVATE KEY") as string });
  });
});

test.each([
  ["api", "startApi", "REALMPASS_MASTER_KEY", masterKey],
  ["api", "startApi", "REALMPASS_OUTPUT_PRIVATE_KEY", () => generateOutputKeyPair().privateJwk],
  ["worker", "startWorker", "REALMPASS_OUTPUT_PUBLIC_KEY", () => generateOutputKeyPair().publicJwk],
  ["worker", "startWorker", "REALMPASS_AUDIT_KEY", generateAuditKey],
] as const)(
  "the %s does not start with another value than the installation's (%s, %s)",
  async (name, start, variable, draw) => {
    const env = { REALMPASS_DATA_DIRECTORY: join(directories, name), [variable]: draw() };
    await expectRefusal(start, env, `  - ${variable}: not the one that this installation has`);
    expect(await occurrences(`"event":"secret.mismatch","variable":"${variable}"`)).toBe(1);
  },
);

test.each([
  ["startApi", "REALMPASS_MASTER_KEY", "master-key", {}],
  ["startApi", "REALMPASS_OUTPUT_PRIVATE_KEY", "output-private-key.json", {}],
  ["startWorker", "REALMPASS_AUDIT_KEY", "audit-key.json", {}],
  ["startWorker", "REALMPASS_ISSUER_KEY_PASSPHRASE", "issuer-key-passphrase", { REALMPASS_ISSUER_KEY_PASSPHRASE: "" }],
] as const)(
  "%s without %s names the variable, the file and the command, and makes no file",
  async (start, variable, file, env) => {
    for (const generates of ["0", "1"]) {
      const empty = join(directories, `empty-${start}-${file}-${generates}`);
      await expectRefusal(
        start,
        { ...env, REALMPASS_DATA_DIRECTORY: empty, REALMPASS_GENERATE_SECRETS: generates },
        `${variable}: not set, and ${empty}/${file} is not there; "operator secrets create" makes the secrets of a new installation`,
      );
      expect(() => readdirSync(empty)).toThrow("ENOENT");
    }
  },
);

test("a complete directory is not written to", async () => {
  const directory = join(directories, "complete");
  mkdirSync(directory, { mode: 0o750 });
  for (const file of ["master-key", "output-private-key.json"]) {
    writeFileSync(join(directory, file), readFileSync(join(directories, "api", file)));
  }
  const before = statSync(directory);
  const child = await service.startApi({ REALMPASS_DATA_DIRECTORY: directory, REALMPASS_METRICS_PORT: "0" });
  await ended(child);
  const after = statSync(directory);
  expect([after.mode, after.mtimeMs, after.ctimeMs]).toEqual([before.mode, before.mtimeMs, before.ctimeMs]);
});

test("a master key that does not open the keys that sign tokens is not recorded, even as the first", async () => {
  const rows = await service.owner.query<object>(sql`select * from installation_secrets where kind = 'master'`);
  expect(rows).toHaveLength(1);
  await service.owner.query(sql`delete from installation_secrets where kind = 'master'`);
  await expectRefusal("startApi", { REALMPASS_MASTER_KEY: masterKey() }, "  - REALMPASS_MASTER_KEY: not the one");
  const right = await service.startApi({ REALMPASS_DATA_DIRECTORY: join(directories, "api") });
  await ended(right);
  expect(
    await service.owner.query(sql`select kind, check_value from installation_secrets where kind = 'master'`),
  ).toEqual(
    rows.map(
      (row) => expect.objectContaining({ check_value: (row as { check_value: Buffer }).check_value }) as unknown,
    ),
  );
});
