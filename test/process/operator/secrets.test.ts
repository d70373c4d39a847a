import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import { sql } from "../../../db/sql.ts";
import { auditPublicKey, generateAuditKey } from "../../../runtime/keys/audit-key.ts";
import { drawSecret } from "../../../runtime/keys/data-directory.ts";
import { generateOutputKeyPair } from "../../../runtime/keys/sealed-output.ts";
import { eventually } from "../../support/run/eventually.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();
const scratch = mkdtempSync(join(tmpdir(), "realmpass-secrets-"));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

const directory = (): string => mkdtempSync(join(scratch, "d-"));

/** Returns the content of each file below a directory, by the file's path. */
function contentOf(path: string): Record<string, string> {
  const files = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(path, name)).isFile(),
  );
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(path, name), "utf8").trim()]));
}

const readable = (part: Record<string, string>): string[] => Object.keys(part).sort();

describe("secrets create", () => {
  test("makes a directory for each process, with only the secrets that the process reads", async () => {
    const dir = join(directory(), "secrets");
    const { code, json } = await operator.run(["secrets", "create", "--dir", dir]);
    expect(code).toBe(0);
    const files = contentOf(dir);
    expect(readable(files)).toEqual([
      "api/database-password",
      "api/master-key",
      "api/output-private-key.json",
      "api/queue-database-password",
      "api/redis-password",
      "operator/audit-public-key.json",
      "operator/database-password",
      "operator/issuer-key-passphrase",
      "operator/master-key",
      "operator/redis-password",
      "operator/root-key-passphrase",
      "postgres/database-password",
      "postgres/owner-password",
      "redis/redis-password",
      "responder/database-password",
      "worker/audit-key.json",
      "worker/database-password",
      "worker/issuer-key-passphrase",
      "worker/output-public-key.json",
      "worker/queue-database-password",
      "worker/redis-password",
    ]);
    for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o700);
    for (const name of readable(files)) expect([name, statSync(join(dir, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(files["operator/audit-public-key.json"]).not.toContain('"d"');
    expect(files["worker/output-public-key.json"]).not.toContain('"d"');
    expect(files["api/master-key"]).toBe(files["operator/master-key"]);
    expect(files["api/queue-database-password"]).toBe(files["worker/queue-database-password"]);
    const logins = readable(files).filter((name) => name.endsWith("/database-password"));
    expect(new Set(logins.map((name) => files[name])).size).toBe(5);
    expect(json["checkValues"]).toEqual({
      master: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      output: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      audit: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(json["files"]).toHaveLength(21);
  });

  test("run again, adds missing files from the same secrets and overwrites none", async () => {
    const dir = directory();
    const first = await operator.run(["secrets", "create", "--dir", dir]);
    const before = contentOf(dir);
    for (const name of ["operator/master-key", "worker/redis-password", "worker/output-public-key.json"]) {
      rmSync(join(dir, name));
    }
    const again = await operator.run(["secrets", "create", "--dir", dir]);
    expect(again.json["files"]).toHaveLength(3);
    expect(again.json["checkValues"]).toEqual(first.json["checkValues"]);
    expect(contentOf(dir)).toEqual(before);
  });

  test("run again, touches no directory, so the parent directory can be read-only", async () => {
    const dir = directory();
    await operator.run(["secrets", "create", "--dir", dir]);
    const touched = (): number[] => [dir, join(dir, "api")].map((path) => statSync(path).ctimeMs);
    const before = touched();
    expect((await operator.run(["secrets", "create", "--dir", dir])).json["files"]).toEqual([]);
    expect(touched()).toEqual(before);
  });

  test("with --only, makes one kind of secret", async () => {
    const dir = directory();
    await operator.run(["secrets", "create", "--dir", dir, "--only", "output"]);
    expect(readable(contentOf(dir))).toEqual(["api/output-private-key.json", "worker/output-public-key.json"]);
  });

  test("with --from, splits a shared data directory, keeps the values and leaves the source unchanged", async () => {
    const dir = directory();
    const from = directory();
    for (const [name, value] of [
      ["master-key", drawSecret.masterKey()],
      ["issuer-key-passphrase", "a passphrase that people chose"],
      ["output-private-key.json", generateOutputKeyPair().privateJwk],
      ["audit-key.json", generateAuditKey()],
    ] as const) {
      writeFileSync(join(from, name), `${value}\n`);
    }
    const given = contentOf(from);
    expect((await operator.run(["secrets", "create", "--dir", dir, "--from", from])).code).toBe(0);
    const files = contentOf(dir);
    expect(files["api/master-key"]).toBe(given["master-key"]);
    expect(files["worker/issuer-key-passphrase"]).toBe("a passphrase that people chose");
    expect(files["api/output-private-key.json"]).toBe(given["output-private-key.json"]);
    expect(JSON.parse(files["operator/audit-public-key.json"]!)).toEqual(auditPublicKey(given["audit-key.json"]!));
    expect(contentOf(from)).toEqual(given);
  });

  test("with --from, keeps the passphrase of the roots of a shared data directory, if there is one", async () => {
    const [dir, from] = [directory(), directory()];
    const only = ["--only", "root-key-passphrase", "--from", from];
    expect((await operator.run(["secrets", "create", "--dir", directory(), ...only])).code).toBe(0);
    writeFileSync(join(from, "root-key-passphrase"), "what opens the root\n");
    expect((await operator.run(["secrets", "create", "--dir", dir, ...only])).code).toBe(0);
    expect(contentOf(dir)).toEqual({ "operator/root-key-passphrase": "what opens the root" });
  });

  test("refuses a secret that differs from the data directory's, or is missing there, before writing anything", async () => {
    const dir = directory();
    const [from, empty] = [directory(), directory()];
    await operator.run(["secrets", "create", "--dir", dir, "--only", "master"]);
    writeFileSync(join(from, "master-key"), drawSecret.masterKey());
    const before = contentOf(dir);
    const another = await operator.run(["secrets", "create", "--dir", dir, "--only", "master", "--from", from]);
    expect([another.code, another.json["error"]]).toEqual([1, "secret_exists"]);
    const missing = await operator.run(["secrets", "create", "--dir", dir, "--from", empty]);
    expect([missing.code, missing.json["error"]]).toEqual([1, "secret_missing"]);
    expect(contentOf(dir)).toEqual(before);
  });
});

const listed = async (kind: string): Promise<string[]> => {
  const rows = await operator.database.owner.query<{ value: string }>(sql`
    select encode(check_value, 'hex') as value from installation_secrets where kind = ${kind} order by added_at
  `);
  return rows.map(({ value }) => value);
};

test("adopting adds a secret, and forgetting removes a secret, but never the last", async () => {
  const realm = await operator.anyRealm();
  const file = join(directory(), "key.json");
  const { privateJwk, publicJwk } = generateOutputKeyPair();
  writeFileSync(file, privateJwk);
  const first = await operator.run(["secrets", "adopt", "output", "--from", file]);
  expect(first.code).toBe(0);
  const row = only(
    await operator.database.owner.query<{ jwk: object }>(
      sql`select public_jwk as jwk from installation_secrets where kind = 'output'`,
    ),
  );
  expect(row.jwk).toEqual(JSON.parse(publicJwk));

  const last = await operator.run(["secrets", "forget", "output", String(first.json["checkValue"])]);
  expect([last.code, last.json["error"]]).toEqual([1, "secret_in_use"]);
  writeFileSync(file, generateOutputKeyPair().publicJwk);
  const second = await operator.run(["secrets", "adopt", "output", "--from", file]);
  expect(await listed("output")).toEqual([first.json["checkValue"], second.json["checkValue"]]);
  const forgotten = await operator.run(["secrets", "forget", "output", String(first.json["checkValue"])]);
  expect(forgotten.code).toBe(0);
  expect(await listed("output")).toEqual([second.json["checkValue"]]);
  const unknown = await operator.run(["secrets", "forget", "output", "00"]);
  expect([unknown.code, unknown.json["error"]]).toEqual([1, "secret_not_found"]);
  expect(await operator.auditEvents(realm)).toEqual(expect.arrayContaining(["secret_replace"]));
});

test.each(["master", "output", "audit"])(
  "a file without a secret of the kind %s is refused, and the error does not quote the file",
  async (kind) => {
    const file = join(directory(), "secret");
    writeFileSync(file, "not-what-it-should-be-Q7w");
    const { code, out, err } = await operator.run(["secrets", "adopt", kind, "--from", file]);
    expect(code).toBe(1);
    expect(out + err).not.toContain("Q7w");
  },
);

describe("the installation's secrets, with each role's rights", () => {
  const insert = (kind: string, value: number) => sql`
    insert into installation_secrets (kind, check_value, added_at)
    values (${kind}, ${Buffer.alloc(8, value)}, now())
  `;

  test("an api or a worker records only the first secret of a kind", async () => {
    const api = operator.database.open("realmpass_api");
    await operator.database.owner.query(sql`delete from installation_secrets where kind = 'audit'`);
    await api.query(insert("audit", 1));
    for (const role of ["realmpass_api", "realmpass_worker"] as const) {
      const db = operator.database.open(role);
      await expect(db.query(insert("audit", 2))).rejects.toThrow("only the operator adds another secret");
      await expect(db.query(sql`update installation_secrets set added_at = now()`)).rejects.toThrow(
        "permission denied",
      );
      await expect(db.query(sql`delete from installation_secrets`)).rejects.toThrow("permission denied");
    }
    await expect(operator.database.open("realmpass_responder").query(insert("audit", 3))).rejects.toThrow(
      "permission denied",
    );
    await operator.database.open("realmpass_operator").query(insert("audit", 2));
    expect(await listed("audit")).toHaveLength(2);
  });

  test("of two simultaneous first records, the second waits and is refused", async () => {
    await operator.database.owner.query(sql`delete from installation_secrets where kind = 'audit'`);
    const [one, other] = [operator.database.open("realmpass_api"), operator.database.open("realmpass_worker")];
    let second: Promise<unknown> = Promise.resolve();
    await one.transaction(async (tx) => {
      await tx.query(insert("audit", 1));
      second = other.query(insert("audit", 2));
      second.catch(() => undefined);
      await eventually(async () => {
        const waiting = await operator.database.owner.query(
          sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
    });
    await expect(second).rejects.toThrow("only the operator adds another secret");
  });
});

describe("root keys", () => {
  test("root rewrap changes a root from the issuers' passphrase to the roots' passphrase", async () => {
    const realm = `r${Math.random().toString(36).slice(2, 10)}`;
    const passphrase = operator.data.find("issuerKeyPassphrase")!;
    const made = await operator.run(["realm", "create", "--name", realm, "--domain", `${realm}.example`], {
      env: { REALMPASS_ROOT_KEY_PASSPHRASE: passphrase },
    });
    const rootKey = String(made.json["rootKey"]);
    const copy = join(directory(), "copy.json");
    copyFileSync(rootKey, copy);

    expect((await operator.run(["root", "rewrap", "--root-key", rootKey])).code).toBe(0);
    expect(readFileSync(rootKey)).not.toEqual(readFileSync(copy));
    expect(statSync(rootKey).mode & 0o777).toBe(0o600);
    const rotate = (env: Record<string, string>) =>
      operator.run(["issuer", "rotate", "--prepare", "--realm", realm], { env });
    const wrong = await rotate({ REALMPASS_ROOT_KEY_PASSPHRASE: "some other passphrase" });
    expect([wrong.code, wrong.json["error"]]).toEqual([1, "wrong_passphrase"]);
    expect((await rotate({})).code).toBe(0);
  });

  test("a root of an earlier version, under the issuers' passphrase, still opens", async () => {
    const realm = `r${Math.random().toString(36).slice(2, 10)}`;
    const passphrase = operator.data.find("issuerKeyPassphrase")!;
    await operator.run(["realm", "create", "--name", realm, "--domain", `${realm}.example`], {
      env: { REALMPASS_ROOT_KEY_PASSPHRASE: passphrase },
    });
    expect((await operator.run(["issuer", "rotate", "--realm", realm])).code).toBe(0);
  });

  test("a file other than a root's key is refused and stays as it is", async () => {
    const file = join(directory(), "root.key.json");
    writeFileSync(file, "{}");
    const { code, json } = await operator.run(["root", "rewrap", "--root-key", file]);
    expect([code, json["error"]]).toEqual([1, "root_unusable"]);
    expect(readFileSync(file, "utf8")).toBe("{}");
  });
});
