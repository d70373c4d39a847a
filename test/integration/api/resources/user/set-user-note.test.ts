import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { useApi } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("an administrator can write, change and remove a note; the audit log records who and when, never the text", async () => {
  const user = await given.user({ realmId: api.realmId });
  const admin = await given.user({ realmId: api.realmId, administrator: true });
  const path = `/api/user/${user.id}/note`;
  const read = async () => (await as.admin().get(path)).body.data.note;
  expect(await read()).toBeNull();
  for (const note of ["Calls back on Monday", "Calls back on Monday", " On Tuesday,\nafter ten. ", "   "]) {
    expect((await as.user(admin).put(path, { note })).status).toBe(200);
    expect(await read()).toBe(note.trim() === "" ? null : note.trim());
  }
  const entries = (await auditOf(api.database, "userID", user.id)).filter(({ event }) => event === "user_note_update");
  expect(entries).toHaveLength(3);
  expect(entries[0]).toMatchObject({ userId: admin.id });
  const everything = await api.database.owner.query(sql`select a::text as row from audit_entries a`);
  expect(JSON.stringify(everything)).not.toMatch(/Monday|Tuesday/);
});

test("a note has at most 500 characters, not bytes", async () => {
  const user = await given.user({ realmId: api.realmId });
  const path = `/api/user/${user.id}/note`;
  expect((await as.admin().put(path, { note: "😀".repeat(500) })).status).toBe(200);
  expect(await as.admin().put(path, { note: "x".repeat(501) })).toBeError("invalid_request");
  expect(await as.admin().put(path, { note: "a\u0000b" })).toBeError("invalid_request");
});

test("a change with the ETag of an older version is refused", async () => {
  const user = await given.user({ realmId: api.realmId });
  const path = `/api/user/${user.id}/note`;
  const { headers } = await as.admin().get(path);
  const condition = { headers: { "if-match": String(headers.etag) } };
  expect(await as.admin().put(path, { note: "1" }, condition)).toMatchObject({ status: 200 });
  expect(await as.admin().put(path, { note: "2" }, condition)).toBeError("precondition_failed");
});

test("the note is in the export of the user's data", async () => {
  const user = await given.user({ realmId: api.realmId });
  await as.admin().put(`/api/user/${user.id}/note`, { note: "Prefers e-mail" });
  const { text } = await as.user(user).get(`/api/user/${user.id}/export`);
  expect(JSON.parse(text).note).toMatchObject({ note: "Prefers e-mail" });
});

test("a note is erased when the user is forgotten, and no note can be written afterwards", async () => {
  const realmId = await given.realm();
  const user = await given.user({ realmId });
  await api.database.owner.query(sql`update realms set forget_after_months = 1 where id = ${realmId}`);
  const admin = as.admin({ realmId });
  const path = `/api/user/${user.id}/note`;
  await admin.put(path, { note: "Mind the dog" });
  const rows = async (): Promise<number> =>
    (await api.database.owner.query(sql`select from user_notes where user_id = ${user.id}`)).length;
  expect(await rows()).toBe(1);
  await api.database.owner.query(sql`update users set offboarded_at = now() - interval '1 year' where id = ${user.id}`);
  expect((await admin.put(path, { note: "Mind the dog, still" })).status).toBe(200);
  await api.database.owner.query(sql`select forget_users(array[${user.id}]::bigint[], now())`);
  expect(await rows()).toBe(0);
  expect(await admin.put(path, { note: "x" })).toBeError("user_forgotten");
  expect(await rows()).toBe(0);
});
