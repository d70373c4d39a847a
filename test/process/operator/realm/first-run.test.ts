import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Database } from "../../../../db/client.ts";
import * as issuers from "../../../../db/queries/realm/issuers.ts";
import * as realms from "../../../../db/queries/realm/realms.ts";
import * as signInLinks from "../../../../db/queries/sign-in/sign-in-links.ts";
import { sql, verbatim } from "../../../../db/sql.ts";
import { firstRun } from "../../../../operator/realm/first-run.ts";
import { systemClock } from "../../../../runtime/clock.ts";
import { createLog } from "../../../../runtime/log.ts";
import { openFileSigner } from "../../../../worker/keys/file-signer.ts";
import { useOperator } from "../../../support/service/test-operator.ts";
import * as issuerKeys from "../../../../db/queries/issuer-keys.ts";

const operator = useOperator();
const passphrase = "a passphrase for tests";
const log = createLog({ process: "test", level: "silent" });

const run = (db: Database, ceremony = operator.data.ceremony, domain?: string) =>
  firstRun({
    db,
    dataDirectory: { ceremony },
    passphrase,
    rootPassphrase: passphrase,
    clock: systemClock,
    authUrl: "http://localhost:3000",
    domain,
    log,
  });

const rootsIn = (directory: string) => readdirSync(directory).filter((name) => name.endsWith(".key.json"));

beforeEach(async () => {
  // Only the owner can empty the audit log, and only without its triggers.
  const text = "begin; set local session_replication_role = replica; truncate realms cascade; commit";
  await operator.database.owner.query(verbatim(text));
});

test("the first run makes a realm with an issuer and an administrator who signs in by link", async () => {
  const db = operator.database.open("realmpass_operator");

  const first = await run(db);

  expect(first?.realm).toBe("demo");
  const [realm] = await realms.list(db);
  expect(realm).toMatchObject({ name: "demo", domain: "demo.example", displayName: "Demo", localSignIn: true });
  const [issuer] = await issuers.list(db, realm?.id ?? "0");
  expect(issuer?.issuing).toBe(true);
  const [withKey] = await issuerKeys.listWithKeys(db, [issuer?.id ?? "0"]);
  expect((await openFileSigner(withKey?.encryptedKey, passphrase)).algorithm).toBe("ecdsa-with-SHA256");

  const token = first?.signInUrl.replace("http://localhost:3000/sign-in/", "") ?? "";
  const tokenHash = createHash("sha256").update(token).digest();
  expect(
    await signInLinks.consume(operator.database.open("realmpass_api"), { tokenHash, at: systemClock.now() }),
  ).toMatchObject({
    roles: ["administrator"],
  });
  const credentials = await db.query(sql`select username, password_hash from local_credentials`);
  expect(credentials).toEqual([{ username: "admin", password_hash: null }]);
  expect(await operator.auditEvents("demo")).toEqual([
    ...["realm_create", "issuer_create", "user_create", "sign_in_link_create"],
  ]);
});

test("a given domain becomes the first realm's and is in its certificates, and its first label becomes the realm's name", async () => {
  const db = operator.database.open("realmpass_operator");

  expect(await run(db, operator.data.ceremony, "wifi.campus.de")).toMatchObject({
    realm: "wifi",
    domain: "wifi.campus.de",
  });

  const [realm] = await realms.list(db);
  expect(realm).toMatchObject({ name: "wifi", domain: "wifi.campus.de", localSignIn: true });
  const [issuer] = await issuers.list(db, realm?.id ?? "0");
  expect(Buffer.from(issuer?.certificate ?? []).includes("wifi.campus.de")).toBe(true);
  expect(Buffer.from(issuer?.certificate ?? []).includes("demo.example")).toBe(false);
});

test("with an existing realm there is no first run", async () => {
  const db = operator.database.open("realmpass_operator");
  await run(db);
  expect(await run(db)).toBeUndefined();
  expect(await realms.list(db)).toHaveLength(1);
});

test("of several simultaneous first runs only one makes the realm", async () => {
  const db = operator.database.open("realmpass_operator");

  const made = await Promise.all([run(db), run(db), run(db)]);

  expect(made.filter((each) => each !== undefined)).toHaveLength(1);
  expect(await realms.list(db)).toHaveLength(1);
});

test("a run interrupted before its commit does not hinder the next", async () => {
  const ceremony = join(operator.data.path, "interrupted");
  const db = operator.database.open("realmpass_operator");
  const dying: Database = {
    ...db,
    transaction: (body) =>
      db.transaction(async (tx) => {
        await body(tx);
        throw new Error("the process ends here");
      }),
  };

  await expect(run(dying, ceremony)).rejects.toThrow("ends here");
  expect(rootsIn(ceremony)).toHaveLength(1);
  expect(await realms.list(db)).toEqual([]);

  expect((await run(db, ceremony))?.realm).toBe("demo");
  expect(rootsIn(ceremony)).toHaveLength(2);
});

test("if the root's files cannot be written, no realm is made", async () => {
  const db = operator.database.open("realmpass_operator");
  const blocked = join(operator.data.path, "blocked");
  mkdirSync(operator.data.path, { recursive: true });
  writeFileSync(blocked, "a file where the directory should be");

  await expect(run(db, blocked)).rejects.toThrow();
  expect(await realms.list(db)).toEqual([]);
});
