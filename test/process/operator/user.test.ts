import { createHash } from "node:crypto";
import { verify } from "@node-rs/argon2";
import { describe, expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import * as signInLinks from "../../../db/queries/sign-in/sign-in-links.ts";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { givenTwins } from "../../support/given/spellings.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();

const password = "correct horse battery staple";

const passwordHashOf = async (userId: unknown): Promise<string | null> =>
  only(
    await operator.database.owner.query<{ hash: string | null }>(
      sql`select password_hash as hash from local_credentials where user_id = ${userId}`,
    ),
  ).hash;

test("a new user has a pseudonym that reveals nothing about the person", async () => {
  const realm = await operator.realm();

  const made = await operator.run([
    "user",
    "create",
    "--realm",
    realm,
    "--username",
    "ada",
    "--email",
    "ada@north.example",
    "--admin",
  ]);

  expect(made.code).toBe(0);
  expect(made.json).toEqual({
    userID: expect.stringMatching(/^[1-9][0-9]*$/) as string,
    pairwiseID: expect.stringMatching(/^[0-9a-f]{32}@/) as string,
    username: "ada",
    email: "ada@north.example",
    administrator: true,
    roles: ["administrator"],
  });
  expect(await passwordHashOf(made.json["userID"])).toBeNull();
  expect(await operator.auditEvents(realm)).toEqual(["realm_create", "issuer_create", "user_create"]);
});

test("a password is read from standard input and stored as argon2id", async () => {
  const realm = await operator.realm();

  const made = await operator.run(["user", "create", "--realm", realm, "--username", "bob", "--password-stdin"], {
    input: `${password}\n`,
  });

  const hash = await passwordHashOf(made.json["userID"]);
  expect(hash).toMatch(/^\$argon2id\$/);
  expect(await verify(hash ?? "", password)).toBe(true);
  expect(made.out + made.err).not.toContain(password);
  const [entry] = await operator.database.owner.query<{ properties: object }>(
    sql`select properties from audit_entries where event = 'user_create' order by id desc limit 1`,
  );
  expect(JSON.stringify(entry)).not.toMatch(/argon2|horse/);
});

test.each([
  ["too short", "elevenchars\n"],
  ["empty", ""],
  ["of several lines", "first line of it\nsecond\n"],
  ["endless", "x".repeat(1025)],
])("a password that is %s is a usage error, and no user is made", async (_, input) => {
  const realm = await operator.anyRealm();

  const { code } = await operator.run(["user", "create", "--realm", realm, "--username", "carl", "--password-stdin"], {
    input,
  });

  expect(code).toBe(2);
  expect(await operator.auditEvents(realm)).not.toContain("user_create");
});

test("a taken username, in any letter case, and a taken pairwise id are refused", async () => {
  const realm = await operator.realm();
  const create = (...options: string[]) => operator.run(["user", "create", "--realm", realm, ...options]);
  expect((await create("--username", "dora", "--pairwise-id", "p1")).json["pairwiseID"]).toBe("p1");

  const sameName = await create("--username", "DORA");
  const samePairwiseId = await create("--username", "emil", "--pairwise-id", "p1");

  expect([sameName.code, sameName.json["error"]]).toEqual([1, "name_taken"]);
  expect([samePairwiseId.code, samePairwiseId.json["error"]]).toEqual([1, "name_taken"]);
  const other = await operator.realm();
  expect(
    (await operator.run(["user", "create", "--realm", other, "--username", "dora", "--pairwise-id", "p1"])).code,
  ).toBe(0);
});

test.each([
  ["no username", []],
  ["an empty username", ["--username", ""]],
  ["a control character in the username", ["--username", "a\u0007"]],
  ["an email address that is none", ["--username", "a", "--email", "a"]],
  ["a password as an argument", ["--username", "a", "--password", password]],
])("%s is a usage error", async (_, options) => {
  const realm = await operator.anyRealm();
  expect((await operator.run(["user", "create", "--realm", realm, ...options])).code).toBe(2);
});

test.each(["\u212aira", "ﬁona", "e\u0301va", "\u0130pek", "ΟΔΟΣ"])(
  "the username %j, with two possible spellings or folds, is a usage error",
  async (username) => {
    const realm = await operator.anyRealm();
    const { code, json } = await operator.run(["user", "create", "--realm", realm, "--username", username]);
    expect([code, json["error"]]).toEqual([2, "usage"]);
    expect(await operator.auditEvents(realm)).not.toContain("user_create");
  },
);

test.each(["Kira", "fiona", "éva", "ipek", "οδος", "Жанна", "李"])("the username %j can be used", async (username) => {
  const realm = await operator.realm();
  expect((await operator.run(["user", "create", "--realm", realm, "--username", username])).code).toBe(0);
});

test("a sign-in link works for fifteen minutes, once, and only its hash is stored", async () => {
  const realm = await operator.realm();
  const user = await operator.run(["user", "create", "--realm", realm, "--username", "fay"]);

  const link = await operator.run(["user", "sign-in-link", "--realm", realm, "--username", "FAY"], {
    env: { REALMPASS_AUTH_URL: "https://login.example/" },
  });

  expect(Object.keys(link.json)).toEqual(["url"]);
  const [, token = ""] =
    /^https:\/\/login\.example\/sign-in\/([a-z]+_[A-Za-z0-9_-]{43})$/.exec(String(link.json["url"])) ?? [];
  const tokenHash = createHash("sha256").update(token).digest();
  const stored = only(
    await operator.database.owner.query<{ row: string }>(
      sql`select l::text as row from sign_in_links l where token_hash = ${tokenHash}`,
    ),
  );
  for (const form of [token, Buffer.from(token).toString("hex")]) expect(stored.row).not.toContain(form);
  const db = operator.database.open("realmpass_api");
  const minutes = (count: number): Date => new Date(systemClock.now().getTime() + count * 60_000);
  expect(await signInLinks.findUsable(db, { tokenHash, at: minutes(14) })).toBeDefined();
  expect(await signInLinks.findUsable(db, { tokenHash, at: minutes(16) })).toBeUndefined();
  expect(await signInLinks.consume(db, { tokenHash, at: minutes(0) })).toMatchObject({ userId: user.json["userID"] });
  expect(await signInLinks.consume(db, { tokenHash, at: minutes(0) })).toBeUndefined();
  expect(await operator.auditEvents(realm)).toContain("sign_in_link_create");
});

test("no sign-in link is made for an unknown or offboarded person", async () => {
  const realm = await operator.realm();
  const { json } = await operator.run(["user", "create", "--realm", realm, "--username", "gil"]);
  await operator.database.owner.query(sql`update users set offboarded_at = now() where id = ${json["userID"]}`);

  const unknown = await operator.run(["user", "sign-in-link", "--realm", realm, "--username", "nobody"]);
  const offboarded = await operator.run(["user", "sign-in-link", "--realm", realm, "--username", "gil"]);

  expect([unknown.code, unknown.json["error"]]).toEqual([1, "user_not_found"]);
  expect([offboarded.code, offboarded.json["error"]]).toEqual([1, "user_offboarded"]);
});

describe("roles", () => {
  const roles = async (realm: string, ...argv: string[]) =>
    operator.run(["user", "roles", "--realm", realm, "--username", "hal", ...argv]);

  test("are given to a new user, and can later be given and removed, with one audit entry for each change", async () => {
    const realm = await operator.realm();
    const made = await operator.run(
      ["user", "create", "--realm", realm, "--username", "hal"].concat(["--role", "auditor", "--role", "help_desk"]),
    );
    expect(made.json).toMatchObject({ administrator: false, roles: ["help_desk", "auditor"] });
    const changed = await roles(realm, "--give", "guest_manager,administrator", "--take", "auditor");
    const held = ["administrator", "help_desk", "guest_manager"];
    expect(changed.json).toMatchObject({ roles: held, given: held, fromProvider: [] });
    expect((await roles(realm)).json).toMatchObject({ roles: held });
    const [entry, ...more] = await operator.database.owner.query<{ properties: object }>(sql`
      select properties from audit_entries where event = 'user_role_update' and properties->>'userID' = ${made.json["userID"]}
    `);
    expect(more).toEqual([]);
    expect(entry?.properties).toMatchObject({ before: ["help_desk", "auditor"], after: held, source: "operator" });
  });

  test("of the last administrator can be removed by the operator", async () => {
    const realm = await operator.realm();
    await operator.run(["user", "create", "--realm", realm, "--username", "hal", "--admin"]);
    expect((await roles(realm, "--take", "administrator")).json).toMatchObject({ roles: [] });
  });

  test.each([
    ["a role that there is not", ["--give", "root"]],
    ["a role both ways", ["--give", "auditor", "--take", "auditor"]],
  ])("%s is a usage error", async (_, argv) => {
    expect((await roles(await operator.anyRealm(), ...argv)).code).toBe(2);
  });

  test("of an unknown person are reported as missing", async () => {
    expect((await roles(await operator.realm())).json["error"]).toBe("user_not_found");
  });
});

test("no user is made with another spelling of an existing pairwise id, or with a pairwise id that has an invisible character", async () => {
  const realm = await operator.realm();
  const make = (username: string, pairwiseId: string) =>
    operator.run(["user", "create", "--realm", realm, "--username", username, "--pairwise-id", pairwiseId]);
  expect((await make("one", "\u200bJ\u00e4ger@north.example\u00a0")).json["pairwiseID"]).toBe(
    "J\u00e4ger@north.example",
  );

  for (const spelling of ["j\u00e4ger@NORTH.example", "JA\u0308GER@north.example"]) {
    const { code, json } = await make("two", spelling);
    expect(code).not.toBe(0);
    expect(json).toMatchObject({ error: "name_taken" });
  }
  const invisible = await make("two", "j\u200bdoe@north.example");
  expect(invisible.code).not.toBe(0);
  expect(invisible.out + invisible.err).toContain("must not contain an invisible character, as at 2");
  expect((await make("two", "jaeger@north.example")).code).toBe(0);
});

test("no user is created with any spelling of an id that two people share, even after the first of the two was forgotten", async () => {
  const realm = await operator.realm();
  const { owner } = operator.database;
  const [row] = await owner.query<{ id: string }>(sql`select id from realms where name = ${realm}`);
  const [first] = await givenTwins(owner, { realmId: row?.id ?? "", ids: ["JDoe", "jdoe"] });
  await owner.query(sql`delete from users where id = ${first?.id}`);
  const make = (pairwiseId: string) =>
    operator.run(["user", "create", "--realm", realm, "--username", pairwiseId, "--pairwise-id", pairwiseId]);

  for (const spelling of ["JDOE", "JDoe", "jdoe"])
    expect((await make(spelling)).json).toMatchObject({ error: "name_taken" });
  expect((await make("jdoe2")).code).toBe(0);
});

test("a local account is found in any letter case and Unicode form", async () => {
  const realm = await operator.realm();
  await operator.run(["user", "create", "--realm", realm, "--username", "j\u00e4ger"]);
  for (const username of ["j\u00e4ger", "J\u00c4GER", "ja\u0308ger"]) {
    expect((await operator.run(["user", "roles", "--realm", realm, "--username", username])).code).toBe(0);
    expect((await operator.run(["user", "sign-in-link", "--realm", realm, "--username", username])).code).toBe(0);
  }
  expect((await operator.run(["user", "roles", "--realm", realm, "--username", "jager"])).code).not.toBe(0);
});
