import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { sql, verbatim } from "../../../../db/sql.ts";
import { useApi } from "../../../support/service/api.ts";
import { authorizationOn } from "../../../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../../../support/given/given.ts";

let transactions = 0;
/** Queries for keys outside a transaction: all of them, and those while a transaction was open. */
let forKeys = 0;
let beside = 0;

const api = useApi({
  watch: (db) => ({
    ...db,
    query(statement) {
      if (statement.text.includes("token_signing_keys")) {
        forKeys += 1;
        if (transactions > 0) beside += 1;
      }
      return db.query(statement);
    },
    async transaction(run) {
      transactions += 1;
      try {
        return await db.transaction(run);
      } finally {
        transactions -= 1;
      }
    },
  }),
});
const { as, given } = api;
const { browser, codeFor, redeem } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId, pairwiseId: "pairwise-1" });
});

test("an exchange reads and creates signing keys before it locks a session, and needs no second connection", async () => {
  const code = await codeFor(user, application);
  [forKeys, beside] = [0, 0];
  expect(await redeem(application, code)).toMatchObject({ status: 200 });
  expect(forKeys).toBeGreaterThan(0);
  expect(beside).toBe(0);
});

describe("an invalid code exchange", () => {
  test("does not end the session if another client sends a used code", async () => {
    const code = await codeFor(user, application);
    const { body } = await redeem(application, code);
    const other = await given.application({ realmId: api.realmId, type: "useragent" });
    await redeem(other, code);
    await redeem(application, code, { redirect_uri: "https://evil.example/" });
    expect(await as.token(body.access_token).get("/api/realm")).toMatchObject({ status: 200 });
  });

  test("is refused with invalid_grant if the user was offboarded after signing in, even after a reactivation", async () => {
    const leaver = await given.user({ realmId: api.realmId });
    const code = await codeFor(leaver, application);
    expect(await as.admin().delete(`/api/user/${leaver.id}`)).toMatchObject({ status: 200 });
    expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await as.admin().put(`/api/user/${leaver.id}/undelete`)).toMatchObject({ status: 200 });
    expect(await redeem(application, code)).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
  });
});

test("the database contains no readable code, refresh token, access token or login", async () => {
  const code = await codeFor(user, application);
  const who = await browser(user);
  const { body } = await redeem(application, code);
  const secrets = [code, body.refresh_token, body.access_token, ...who.cookies.values()].map(String);
  const tables = await api.database.owner.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["refresh_tokens", "access_tokens", "logins"]));
  for (const { name } of tables) {
    const [row] = await api.database.owner.query<{ found: boolean }>(
      verbatim(
        `select bool_or(exists (select 1 from unnest($1::text[]) s where strpos(t::text, s) > 0
                                      or strpos(t::text, encode(convert_to(s, 'utf8'), 'hex')) > 0)) as found from ${name} t`,
        [secrets],
      ),
    );
    expect({ name, found: row?.found ?? false }).toEqual({ name, found: false });
  }
  const hashed = await api.database.owner.query(sql`
    select 1 as one from refresh_tokens where token_hash = ${createHash("sha256").update(String(body.refresh_token)).digest()}
  `);
  expect(hashed).toHaveLength(1);
});
