import { beforeAll, expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { fromNow } from "../../../../support/given/given.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;
let admin: Caller;

beforeAll(() => {
  admin = as.admin();
});

/** Makes a directory, and returns the address of its tokens. */
const givenDirectory = async (): Promise<{ clientId: string; path: string }> => {
  const { clientId } = await given.application({ realmId: api.realmId, scopes: ["scim"] });
  return { clientId, path: `/api/applications/${clientId}/tokens` };
};

test("only the response to a token's creation contains the token; the database has its hash, the audit log its id", async () => {
  const { clientId, path } = await givenDirectory();
  const body = { name: "  Okta ", networks: ["192.0.2.0/24", "2001:db8::7"], expiresAt: "2099-01-01T00:00:00+01:00" };
  const created = await admin.post(path, body);
  expect(created.status).toBe(200);
  const { token, ...rest } = created.body.data;
  expect(token).toMatch(/^rpk_[A-Za-z0-9_-]{43}$/);
  expect(rest).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: "Okta",
    networks: body.networks,
    createdAt: expect.any(String),
    createdBy: expect.any(String),
    expiresAt: "2098-12-31T23:00:00.000Z",
    lastUsedAt: null,
  });
  expect(created.headers["cache-control"]).toBe("no-store");

  const listed = await admin.get(path);
  expect(listed.body.data).toEqual([rest]);
  expect(listed.text).not.toContain("rpk_");
  const [row] = await api.database.owner.query(sql`
    select token_hash = sha256(convert_to(${token}, 'UTF8')) as hashed, strpos(t::text, ${token}) as at
      from static_tokens t where client_id = ${clientId}
  `);
  expect(row).toEqual({ hashed: true, at: 0 });
  const entries = await auditOf(api.database, "clientID", clientId);
  expect(entries).toEqual([
    expect.objectContaining({
      event: "static_token_create",
      properties: {
        clientID: clientId,
        tokenID: rest.id,
        name: "Okta",
        networks: body.networks,
        expiresAt: rest.expiresAt,
      },
    }),
  ]);
  expect(JSON.stringify(entries)).not.toContain("rpk_");
});

test("a repeat with the same key returns the same token and creates no other token", async () => {
  const { clientId, path } = await givenDirectory();
  const service = as.service();
  const headers = { "idempotency-key": "k" };
  const [first, repeat] = await Promise.all([service.post(path, {}, { headers }), service.post(path, {}, { headers })]);
  expect(first.status).toBe(200);
  expect(repeat.text).toBe(first.text);
  expect((await service.get(path)).body.data).toHaveLength(1);
  const [row] = await api.database.owner.query<{ result: string }>(sql`
    select result::text from idempotency_keys where result::text like ${`%${String(first.body.data.id)}%`}
  `);
  expect(row?.result).toContain(String(first.body.data.id));
  expect(row?.result).not.toContain(String(first.body.data.token).slice(4));
  expect(await auditOf(api.database, "clientID", clientId)).toHaveLength(1);
});

test("an application has at most two tokens, even after concurrent requests for more", async () => {
  for (let round = 0; round < 10; round++) {
    const { path } = await givenDirectory();
    const answers = await Promise.all(Array.from({ length: 6 }, () => admin.post(path, {})));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toBeError("too_many_tokens");
  }
});

test("expired tokens do not count towards the limit", async () => {
  const { clientId, path } = await givenDirectory();
  for (let made = 1; made <= 2; made++) expect((await admin.post(path, {})).status).toBe(200);
  await api.database.owner.query(sql`
    update static_tokens set expires_at = now() where id = (select id from static_tokens where client_id = ${clientId} limit 1)
  `);
  expect((await admin.post(path, {})).status).toBe(200);
  expect((await admin.get(path)).body.data).toHaveLength(2);
  expect(await admin.post(path, {})).toBeError("too_many_tokens");
});

test("only an application with the scope scim can have static tokens", async () => {
  for (const scopes of [["user.read"], ["radius.read"]] as const) {
    const { clientId } = await given.application({ realmId: api.realmId, scopes });
    expect(await admin.post(`/api/applications/${clientId}/tokens`, {})).toBeError("machine_scope_required");
  }
  expect((await admin.post((await givenDirectory()).path, {})).status).toBe(200);
});

test("a token can be created only by a caller with user.modify and user.delete", async () => {
  const { path } = await givenDirectory();
  for (const held of [[], ["user.modify"], ["user.delete"]] as const) {
    const caller = as.admin({ scopes: ["application.modify", ...held] });
    expect(await caller.post(path, {})).toBeError("insufficient_scope");
  }
  const caller = as.admin({ scopes: ["application.modify", "user.modify", "user.delete"] });
  expect((await caller.post(path, {})).status).toBe(200);
});

test.each<[what: string, body: object, at: RegExp]>([
  ["an end that is over", { expiresAt: fromNow(-1_000).toISOString() }, /^expiresAt$/],
  ["an end that is no time", { expiresAt: "tomorrow" }, /^expiresAt$/],
  ["every address", { networks: ["0.0.0.0/0"] }, /^networks/],
  ["a network that is none", { networks: ["192.0.2.0/33"] }, /^networks/],
  ["65 networks", { networks: Array.from({ length: 65 }, (_, n) => `192.0.2.${n}`) }, /^networks$/],
  ["an empty name", { name: " " }, /^name$/],
  ["a name that is too long", { name: "x".repeat(101) }, /^name$/],
  ["a name with an invisible character", { name: "a\u202eb" }, /^name$/],
])("%s is refused", async (_, body, at) => {
  const { path } = await givenDirectory();
  const answer = await admin.post(path, body);
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toMatch(at);
  expect((await admin.get(path)).body.data).toEqual([]);
});
