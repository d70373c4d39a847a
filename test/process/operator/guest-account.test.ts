import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { only } from "../../../db/client.ts";
import * as guestAccounts from "../../../db/queries/people/guest-accounts.ts";
import { sql } from "../../../db/sql.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { drawSecret } from "../../../runtime/keys/data-directory.ts";
import { guestCodeOf, hashOfGuestCode } from "../../../runtime/keys/guest-code.ts";
import { masterKeys, openUnderMasterKey } from "../../../runtime/keys/master-key.ts";
import { useOperator } from "../../support/service/test-operator.ts";

const operator = useOperator();
const nextYear = systemClock.now().getUTCFullYear() + 1;

test("a guest account has the fields of the specification", async () => {
  const realm = await operator.realm();

  const made = await operator.run(
    [
      "guest-account",
      "create",
      "--realm",
      realm,
      "--name",
      "Fair",
      "--expires",
      `${nextYear}-01-31T12:00:00+02:00`,
    ].concat(["--profile-limit", "50"]),
  );

  expect(made.code).toBe(0);
  expect(made.json).toEqual({
    id: expect.stringMatching(/^[1-9][0-9]*$/) as string,
    name: "Fair",
    creationDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    expirationDate: `${nextYear}-01-31T10:00:00.000Z`,
    note: null,
    profileLimit: 50,
    revoked: false,
    activeProfileCount: 0,
  });
  expect(await operator.auditEvents(realm)).toContain("guest_account_create");
});

test("a guest account's token is stored as a hash and sealed under the master key", async () => {
  const realm = await operator.realm();

  const made = await operator.run([
    "guest-account",
    "create",
    "--realm",
    realm,
    "--name",
    "Day",
    "--expires",
    `${nextYear}-01-31`,
  ]);

  expect(made.json).toMatchObject({ expirationDate: `${nextYear}-01-31T00:00:00.000Z`, profileLimit: null });
  const { hash, sealed } = only(
    await operator.database.owner.query<{ hash: Buffer; sealed: Buffer }>(sql`
      select token_hash as hash, token_sealed as sealed from guest_accounts where id = ${made.json["id"]}
    `),
  );
  const key = masterKeys(operator.data.find("masterKey")!);
  const token = openUnderMasterKey(key, sealed, guestAccounts.tokenContext(hash));
  expect(token.toString()).toMatch(/^[a-z]+_[A-Za-z0-9_-]{43}$/);
  expect(createHash("sha256").update(token).digest()).toEqual(hash);
  expect(made.out + made.err).not.toContain(token.toString());
});

test.each([
  ["no end", ["--name", "x"]],
  ["no name", ["--expires", `${nextYear}-01-31`]],
  ["an end that is no date", ["--name", "x", "--expires", "soon"]],
  ["an end on a day that does not exist", ["--name", "x", "--expires", `${nextYear}-02-30`]],
  ["an end without its offset from UTC", ["--name", "x", "--expires", `${nextYear}-01-31T12:00:00`]],
  ["an end in the past", ["--name", "x", "--expires", "2020-01-01T00:00:00Z"]],
  ["a limit that is none", ["--name", "x", "--expires", `${nextYear}-01-31`, "--profile-limit", "-1"]],
])("a guest account with %s is a usage error", async (_, options) => {
  const realm = await operator.realm();
  const { code, err } = await operator.run(["guest-account", "create", "--realm", realm, ...options]);
  expect(code).toBe(2);
  expect(err).not.toContain("    at ");
});

test("a code that was shown stays known under a new master key, and one that was not shown stays unknown", async () => {
  const realm = await operator.realm();
  const [shown, unseen] = await Promise.all(
    ["Fair", "Open day"].map(async (name) => {
      const argv = [
        "guest-account",
        "create",
        "--realm",
        realm,
        "--name",
        name,
        "--expires",
        `${nextYear}-01-31T12:00:00Z`,
      ];
      return String((await operator.run(argv)).json["id"]);
    }),
  );
  const owner = operator.database.owner;
  const rowOf = async (id: string | undefined) =>
    only(
      await owner.query<{ hash: Buffer; sealed: Buffer; code: Buffer | null }>(sql`
        select token_hash as hash, token_sealed as sealed, code_hash as code from guest_accounts where id = ${id}
      `),
    );
  const old = operator.data.find("masterKey")!;
  const { hash, sealed } = await rowOf(shown);
  const token = openUnderMasterKey(masterKeys(old), sealed, guestAccounts.tokenContext(hash)).toString();
  const code = guestCodeOf(token);
  await guestAccounts.noteCode(owner, { tokenHash: hash, codeHash: hashOfGuestCode(masterKeys(old), code) });

  const next = drawSecret.masterKey();
  const env = { ...operator.env(), REALMPASS_MASTER_KEY: `${next},${old}` };
  expect(await operator.run(["master-key", "reseal"], { env })).toMatchObject({ code: 0 });
  expect((await rowOf(shown)).code).toEqual(hashOfGuestCode(masterKeys(next), code));
  expect((await rowOf(unseen)).code).toBeNull();
});
