import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { fromNow } from "../../../../support/given/given.ts";

const api = useApi();
const { as, given } = api;

const create = async (): Promise<string> => {
  const account = { name: "Fair", expirationDate: "2999-01-01" };
  return (await as.service().post("/api/guest-account", account)).body.data.id;
};

test("an account's code never changes and differs from other accounts' codes, and each read is in the audit log", async () => {
  const id = await create();
  const first = await as.service().get(`/api/guest-accounts/${id}/code`);
  const again = await as.admin().get(`/api/guest-accounts/${id}/code`);
  expect(first).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  const form = /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/;
  expect(first.body).toEqual({ result: "ok", code: 200, data: expect.stringMatching(form) });
  expect(again.body).toEqual(first.body);
  const other = await as.service().get(`/api/guest-accounts/${await create()}/code`);
  expect(other.body.data).not.toBe(first.body.data);

  const entries = await auditOf(api.database, "guestAccountID", id);
  expect(entries.map(({ event }) => event)).toEqual(["guest_account_create", "guest_token_read", "guest_token_read"]);
  expect(JSON.stringify(entries)).not.toContain(first.body.data);
  const [stored] = await api.database.owner.query<{ hash: Buffer; row: string }>(
    sql`select code_hash as hash, g::text as row from guest_accounts g where id = ${id}`,
  );
  // Control: octets are readable in the row as hexadecimal digits.
  expect(stored?.row).toContain(stored?.hash.toString("hex"));
  const code = first.body.data.replaceAll("-", "");
  for (const form of [code, Buffer.from(code).toString("hex")]) expect(stored?.row).not.toContain(form);
});

test("HEAD gets 405, and is not in the audit log", async () => {
  const id = await create();
  expect(await as.service().send("HEAD", `/api/guest-accounts/${id}/code`)).toMatchObject({ status: 405, text: "" });
  const entries = await auditOf(api.database, "guestAccountID", id);
  expect(entries.map(({ event }) => event)).toEqual(["guest_account_create"]);
});

test("the code of an ended account is refused, and the refusal is not in the audit log", async () => {
  const { realmId } = api;
  const expired = await given.guestAccount({ realmId, expiresAt: fromNow(-1) });
  const revoked = await given.guestAccount({ realmId, revokedAt: fromNow(-1) });
  for (const { id } of [expired, revoked]) {
    expect(await as.service().get(`/api/guest-accounts/${id}/code`)).toBeError("guest_account_ended");
    expect(await auditOf(api.database, "guestAccountID", id)).toEqual([]);
  }
});

test("a code whose token was lost with its master key cannot be shown", async () => {
  const id = await create();
  await api.database.owner.query(sql`update guest_accounts set token_sealed = null where id = ${id}`);
  expect(await as.service().get(`/api/guest-accounts/${id}/code`)).toBeError("output_erased");
});

test("accounts of other realms and unknown accounts are not found", async () => {
  const stranger = await given.guestAccount({ realmId: await given.realm() });
  for (const id of [stranger.id, "999999999", "abc"]) {
    expect(await as.service().get(`/api/guest-accounts/${id}/code`)).toBeError("guest_account_not_found");
  }
});
