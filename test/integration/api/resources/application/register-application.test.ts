import { expect, test } from "vitest";
import { sql } from "../../../../../db/sql.ts";
import { allScopes } from "../../../../../domain/people/scopes.ts";
import { useApi } from "../../../../support/service/api.ts";
import { auditOf } from "../../../../support/given/audit.ts";
import { service, tokenWith, useragent } from "../../../../support/given/registration.ts";

const api = useApi();
const { as, given } = api;
const uris = Array.from({ length: 11 }, (_, index) => `https://client.example/${index}`);

test("a useragent has exactly the fields of its registration, and no secret", async () => {
  const { status, body } = await as.admin().post("/api/applications", useragent);

  expect(status).toBe(200);
  expect(body).toEqual({
    result: "ok",
    code: 200,
    data: {
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...useragent,
      redirectURIs: [useragent.redirectURI],
      active: true,
      useClientSecret: false,
      requirePKCE: true,
      fullTokenAnswers: false,
      creationDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      createdBy: expect.any(String),
      lastUsed: null,
    },
  });
});

test("a service gets a secret that works in every process, and only this response shows it", async () => {
  const admin = as.admin();
  const { body, text } = await admin.post("/api/applications", service);
  const { client_id, client_secret } = body.data;

  expect(body.data).toMatchObject({
    ...service,
    redirectURI: null,
    redirectURIs: [],
    useClientSecret: true,
    requirePKCE: false,
  });
  expect(client_secret).toMatch(/^rps_[A-Za-z0-9_-]{43}$/);
  for (const one of [api, await api.another()]) {
    expect((await tokenWith(one, { client_id, client_secret })).status).toBe(200);
    expect((await tokenWith(one, { client_id, client_secret: `${client_secret}x` })).status).toBe(401);
  }

  expect(text).toContain(client_secret);
  expect((await admin.get(`/api/applications/${client_id}`)).text).not.toContain("rps_");
  expect((await admin.get("/api/applications")).text).not.toContain("rps_");
  expect(JSON.stringify(await auditOf(api.database, "clientID", client_id))).not.toContain("rps_");
});

test.each([
  [{ useClientSecret: true }, { secret: true, requirePKCE: false }],
  [
    { useClientSecret: true, requirePKCE: true },
    { secret: true, requirePKCE: true },
  ],
  [{ useClientSecret: false }, { secret: false, requirePKCE: true }],
  [{ requirePKCE: false }, { secret: false, requirePKCE: false }],
])("a useragent registered with %j has %j", async (given, { secret, requirePKCE }) => {
  const { body } = await as.admin().post("/api/applications", { ...useragent, ...given });
  expect(body.data).toMatchObject({ useClientSecret: secret, requirePKCE });
  expect("client_secret" in body.data).toBe(secret);
});

test("the registration has one audit entry, with the registrant and the values", async () => {
  const user = await given.user({ realmId: api.realmId, administrator: true });
  const { body } = await as.user(user).post("/api/applications", { ...useragent, useClientSecret: true });

  expect(body.data.createdBy).toBe(user.id);
  const entries = await auditOf(api.database, "clientID", body.data.client_id);
  expect(entries).toMatchObject([
    { event: "client_create", userId: user.id, properties: { ...useragent, useClientSecret: true } },
  ]);
});

test("a repeat with the same key returns the first response with the secret, and registers nothing", async () => {
  const caller = as.service();
  const headers = { "idempotency-key": "register-1" };
  const first = await caller.post("/api/applications", service, { headers });
  await caller.put(`/api/applications/${first.body.data.client_id}`, { name: "renamed since" });
  const total = async () => (await caller.get("/api/applications?limit=1")).body.total as number;
  const before = await total();

  const repeat = await caller.post("/api/applications", service, { headers });

  expect(repeat.text).toBe(first.text);
  expect(await total()).toBe(before);
  expect((await tokenWith(api, repeat.body.data)).status).toBe(200);
  expect(await caller.post("/api/applications", { ...service, name: "another" }, { headers })).toBeError(
    "idempotency_key_reused",
  );
  const other = await as.service().post("/api/applications", service, { headers });
  expect(other.body.data.client_id).not.toBe(first.body.data.client_id);
});

test("the database does not contain the secret in readable form", async () => {
  const headers = { "idempotency-key": "register-2" };
  const { body } = await as.service().post("/api/applications", service, { headers });

  const rows = await api.database.owner.query<{ row: string }>(sql`
    select to_jsonb(t)::text as row from idempotency_keys t
    union all select to_jsonb(t)::text from applications t
    union all select to_jsonb(t)::text from application_secrets t
    union all select to_jsonb(t)::text from audit_entries t
  `);
  const everything = rows.map(({ row }) => row).join("\n");
  const secret = String(body.data.client_secret);
  expect(everything).toContain(body.data.client_id);
  for (const form of [
    secret,
    secret.slice(4),
    Buffer.from(secret).toString("hex"),
    Buffer.from(secret).toString("base64url"),
  ]) {
    expect(everything).not.toContain(form);
  }
});

test("an application with scopes that its registrant lacks is refused, and the response names these scopes", async () => {
  const admin = as.admin({ scopes: ["application.modify", "openid", "profile.read"] });
  const scopes = ["openid", "profile.read", "user.delete", "offline_access"];

  const answer = await admin.post("/api/applications", { ...useragent, scopes });

  expect(answer).toBeError("insufficient_scope");
  expect(answer.body.error_description).toContain("user.delete offline_access");
  expect(answer.headers["www-authenticate"]).toBe(
    'Bearer realm="api", error="insufficient_scope", scope="user.delete offline_access"',
  );
  expect((await admin.post("/api/applications", { ...useragent, scopes: ["openid", "profile.read"] })).status).toBe(
    200,
  );
});

test("a service can grant openid and offline_access to a useragent, although it never holds them", async () => {
  expect((await as.service().post("/api/applications", useragent)).status).toBe(200);
  const weak = as.service({ scopes: ["application.modify"] });
  const signInOnly = { ...useragent, scopes: ["openid", "offline_access"] };
  expect((await weak.post("/api/applications", signInOnly)).status).toBe(200);
  expect(await weak.post("/api/applications", useragent)).toBeError("insufficient_scope");
});

test("a service cannot grant role.modify, which no service may hold", async () => {
  const scopes = ["openid", "role.modify"];
  const answer = await as.service().post("/api/applications", { ...useragent, scopes });
  expect(answer).toBeError("insufficient_scope");
  expect(answer.headers["www-authenticate"]).toContain('scope="role.modify"');

  expect((await as.admin().post("/api/applications", { ...useragent, scopes })).status).toBe(200);
});

test.each<[name: string, change: object, path: string]>([
  ["no type", { type: undefined }, "type"],
  ["an unknown type", { type: "native" }, "type"],
  ["no name", { name: undefined }, "name"],
  ["an empty name", { name: "" }, "name"],
  ["a name of 201 characters", { name: "x".repeat(201) }, "name"],
  ["a name of two lines", { name: "a\nb" }, "name"],
  ["no client URI", { clientURI: undefined }, "clientURI"],
  ["a client URI that runs a script", { clientURI: "javascript:alert(1)" }, "clientURI"],
  ["a client URI with a password", { clientURI: "https://a:b@client.example" }, "clientURI"],
  ["a relative client URI", { clientURI: "/client" }, "clientURI"],
  ["no redirect URI", { redirectURI: undefined }, "redirectURI"],
  ["a null redirect URI", { redirectURI: null }, "redirectURI"],
  ["a redirect URI with a fragment", { redirectURI: "https://client.example/back#x" }, "redirectURI"],
  ["a redirect URI without TLS", { redirectURI: "http://client.example/back" }, "redirectURI"],
  ["a redirect URI with a line end", { redirectURI: "https://client.example/\r\nx" }, "redirectURI"],
  ["a redirect URI that runs a script", { redirectURI: "javascript:alert(1)" }, "redirectURI"],
  ["no redirect URIs", { redirectURI: undefined, redirectURIs: [] }, "redirectURIs"],
  ["an empty list beside a redirect URI", { redirectURIs: [] }, "redirectURI"],
  ["a redirect URI that is not the first of the list", { redirectURIs: uris.slice(0, 2) }, "redirectURI"],
  ["11 redirect URIs", { redirectURI: undefined, redirectURIs: uris }, "redirectURIs"],
  [
    "a faulty redirect URI in a list",
    { redirectURI: undefined, redirectURIs: [uris[0], "http://a.example/"] },
    "redirectURIs.1",
  ],
  ["null in a list of redirect URIs", { redirectURI: undefined, redirectURIs: [null] }, "redirectURIs.0"],
  ["no scopes", { scopes: undefined }, "scopes"],
  ["an empty list of scopes", { scopes: [] }, "scopes"],
  ["an unknown scope", { scopes: ["openid", "everything"] }, "scopes.1"],
  ["scopes in one text", { scopes: "openid profile.read" }, "scopes"],
  ["active that is no boolean", { active: "true" }, "active"],
])("a useragent with %s is refused, and the response names the field", async (_, change, path) => {
  const answer = await as.admin().post("/api/applications", { ...useragent, ...change });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(path);
});

test.each<[name: string, change: object, path: string]>([
  ["a redirect URI", { redirectURI: "https://import.example/back" }, "redirectURI"],
  ["redirect URIs", { redirectURIs: ["https://import.example/back"] }, "redirectURIs"],
  ["openid", { scopes: ["openid", "user.read"] }, "scopes"],
  ["offline_access", { scopes: ["offline_access"] }, "scopes"],
  ["no secret", { useClientSecret: false }, "useClientSecret"],
  ["PKCE", { requirePKCE: true }, "requirePKCE"],
])("a service with %s is refused, and the response names the field", async (_, change, path) => {
  const answer = await as.admin().post("/api/applications", { ...service, ...change });
  expect(answer).toBeError("invalid_request");
  expect(answer.body.fields[0].path).toBe(path);
});

test.each(["http://localhost:8123/back", "http://127.0.0.1/back", "com.example.app:/back", "https://a.example/?b=c"])(
  "the redirect URI %s is stored unchanged",
  async (redirectURI) => {
    const { body } = await as.admin().post("/api/applications", { ...useragent, redirectURI });
    expect(body.data.redirectURI).toBe(redirectURI);
  },
);

test("up to 10 redirect URIs are stored in their order, each once, and the first is redirectURI", async () => {
  const { redirectURI: _, ...rest } = useragent;
  const admin = as.admin();
  const [first = "", ...more] = uris.slice(0, 10);
  for (const [given, expected] of [
    [{ redirectURIs: [first, ...more] }, [first, ...more]],
    [{ redirectURIs: [first, more[0], first] }, [first, more[0]]],
    [{ redirectURI: first, redirectURIs: [first, ...more] }, [first, ...more]],
    [{ redirectURI: null, redirectURIs: [first] }, [first]],
  ] as [object, string[]][]) {
    const { body } = await admin.post("/api/applications", { ...rest, ...given });
    expect(body.data).toMatchObject({ redirectURI: first, redirectURIs: expected });
    const { data } = (await admin.get(`/api/applications/${body.data.client_id}`)).body;
    expect(data).toMatchObject({ redirectURI: first, redirectURIs: expected });
    const [entry] = await auditOf(api.database, "clientID", body.data.client_id);
    expect(entry?.properties).toMatchObject({ redirectURI: first, redirectURIs: expected });
  }
});

test("a repeated scope is granted once, and scope names are case-insensitive", async () => {
  const { scopes: _, ...rest } = useragent;
  const { body } = await as.admin().post("/api/applications", { ...rest, SCOPES: ["openid", "openid"] });
  expect(body.data.scopes).toEqual(["openid"]);
});

test("an application can be registered switched off", async () => {
  const { body } = await as.admin().post("/api/applications", { ...service, active: false });
  expect(body.data.active).toBe(false);
  expect((await tokenWith(api, body.data)).body.error).toBe("invalid_client");
});

test("every scope can be registered", async () => {
  const { body } = await as.admin().post("/api/applications", { ...useragent, scopes: allScopes });
  expect(body.data.scopes).toEqual(allScopes);
});

test("a machine scope excludes all others, and needs profile.read to grant", async () => {
  const alone = { ...service, scopes: ["radius.read"] };
  const giver = as.admin({ scopes: ["application.modify", "profile.read"] });
  expect((await giver.post("/api/applications", alone)).body.data.scopes).toEqual(["radius.read"]);

  const stranger = as.admin({ scopes: ["application.modify"] });
  expect(await stranger.post("/api/applications", alone)).toBeError("insufficient_scope");
  const more = { ...service, scopes: ["radius.read", "profile.read"] };
  expect(await giver.post("/api/applications", more)).toBeError("invalid_request");
});

test("the scope scim can be granted only by a caller with user.modify and user.delete", async () => {
  const directory = { ...service, scopes: ["scim"] };
  for (const held of [[], ["user.modify"], ["user.delete"]] as const) {
    const caller = as.admin({ scopes: ["application.modify", ...held] });
    expect(await caller.post("/api/applications", directory)).toBeError("insufficient_scope");
  }
  const giver = as.admin({ scopes: ["application.modify", "user.modify", "user.delete"] });
  expect((await giver.post("/api/applications", directory)).body.data.scopes).toEqual(["scim"]);
});
