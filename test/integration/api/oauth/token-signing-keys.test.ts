import { randomBytes } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, expect, test } from "vitest";
import type { TokenSigningKeys } from "../../../../api/contract/deps.ts";
import { createTokenSigningKeys } from "../../../../api/oauth/token-signing-keys.ts";
import type { Database } from "../../../../db/client.ts";
import { sql } from "../../../../db/sql.ts";
import { masterKeys } from "../../../../runtime/keys/master-key.ts";
import { useDatabase } from "../../../support/run/database.ts";

const database = useDatabase();
const key = masterKeys(randomBytes(32).toString("base64url"));
const start = Date.parse("2027-01-01T00:00:00Z");
const day = 24 * 3_600_000;

let db: Database;
beforeAll(() => {
  db = database.open("realmpass_api", { connectionsMax: 4 });
});

/** Starts another process at this moment, which knows no earlier keys. */
const processAt = (ms: number): TokenSigningKeys =>
  createTokenSigningKeys({ db, masterKeys: key, clock: { now: () => new Date(start + ms) } });

const signed = (keys: TokenSigningKeys, exp = 1): Promise<string> =>
  keys.sign({ algorithm: "RS256", type: "JWT", claims: { sub: "mia", exp } });

const verifies = async (token: string, by: TokenSigningKeys): Promise<boolean> => {
  const keySet = createLocalJWKSet({ keys: await by.publicKeys() });
  return jwtVerify(token, keySet, { currentDate: new Date(0) }).then(
    () => true,
    () => false,
  );
};

const kidOf = (token: string): string => decodeProtectedHeader(token).kid ?? "";
const kidsOf = async (keys: TokenSigningKeys): Promise<string[]> =>
  (await keys.publicKeys()).filter(({ alg }) => alg === "RS256").map(({ kid = "" }) => kid);

test("concurrent callers that need the first key create one and share the read", async () => {
  const asked: string[] = [];
  const watched: Database = {
    ...db,
    query(statement) {
      asked.push(statement.text);
      return db.query(statement);
    },
  };
  const keys = createTokenSigningKeys({ db: watched, masterKeys: key, clock: { now: () => new Date(start) } });
  await Promise.all(Array.from({ length: 20 }, () => signed(keys)));
  const count = (part: string): number => asked.filter((text) => text.includes(part)).length;
  expect({ made: count("insert into token_signing_keys"), read: count("select") }).toEqual({ made: 1, read: 2 });
});

test("processes that start at the same time share one key of each algorithm", async () => {
  const processes = Array.from({ length: 5 }, () => processAt(0));
  const sets = await Promise.all(processes.map(async (one) => JSON.stringify(await one.publicKeys())));
  expect(new Set(sets).size).toBe(1);
  expect(JSON.parse(sets[0] ?? "")).toHaveLength(2);
});

test("a key is published a day before it signs, signs for 30 days, and stays published while its tokens are valid", async () => {
  const before = processAt(28 * day);
  const old = kidOf(await signed(before));

  const announcing = processAt(29 * day);
  const [next = "", ...others] = (await kidsOf(announcing)).filter((kid) => kid !== old);
  expect({ next: next.length, others }).toEqual({ next: 43, others: [] });
  expect(kidOf(await signed(announcing))).toBe(old);

  const rotated = processAt(30 * day);
  expect(kidOf(await signed(rotated))).toBe(next);
  // A process that has not noticed the rotation yet signs with the old key, and every process can verify the signature.
  const late = await signed(before);
  expect(kidOf(late)).toBe(old);
  expect(await verifies(late, rotated)).toBe(true);
  expect(await verifies(await signed(rotated), announcing)).toBe(true);

  expect(await kidsOf(processAt(30 * day + 59 * 60_000))).toContain(old);
  expect(await kidsOf(processAt(30 * day + 61 * 60_000))).not.toContain(old);
});

test("a retired key's private half is erased", async () => {
  const rows = await database.owner.query(
    sql`select sealed_key is null as erased from token_signing_keys where state = 'retired'`,
  );
  expect(rows).toEqual([{ erased: true }, { erased: true }]);
});

test("a retired key is kept for as long as a session lasts, so that an ID token is accepted at logout", async () => {
  const [retired] = await database.owner.query<{ kid: string }>(
    sql`select kid from token_signing_keys where state = 'retired'`,
  );
  const kept = () =>
    database.owner.query(sql`select 1 as one from token_signing_keys where kid = ${retired?.kid ?? ""}`);
  await processAt((30 + 90) * day).publicKeys();
  expect(await kept()).toHaveLength(1);
  await processAt((30 + 92) * day).publicKeys();
  expect(await kept()).toEqual([]);
});

test("a longer-lived token keeps its key published", async () => {
  const at = 500 * day;
  const guests = processAt(at);
  const kid = kidOf(await signed(guests, (start + at + 60 * day) / 1000));
  await processAt(at + 29 * day).publicKeys();
  await processAt(at + 30 * day).publicKeys();
  const [row] = await database.owner.query<{ state: string }>(
    sql`select state from token_signing_keys where kid = ${kid}`,
  );
  expect(row?.state).toBe("retired");
  expect(await kidsOf(processAt(at + 59 * day))).toContain(kid);
  expect(await kidsOf(processAt(at + 61 * day))).not.toContain(kid);
});

test("verification fails for another algorithm, another type, a changed signature and an empty token", async () => {
  const keys = processAt(600 * day);
  const token = await signed(keys);
  expect(await keys.verify(token, { algorithm: "RS256", type: "JWT" })).toMatchObject({ sub: "mia" });
  for (const [other, expected] of [
    [token, { algorithm: "ES256", type: "JWT" }],
    [token, { algorithm: "RS256", type: "at+jwt" }],
    [`${token.slice(0, -4)}AAAA`, { algorithm: "RS256", type: "JWT" }],
    ["", { algorithm: "RS256", type: "JWT" }],
  ] as const) {
    expect(await keys.verify(other, expected)).toBeUndefined();
  }
});
