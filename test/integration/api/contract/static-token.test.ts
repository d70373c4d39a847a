import { describe, expect, test } from "vitest";
import { endpoints } from "../../../../api/endpoints.ts";
import { sql } from "../../../../db/sql.ts";
import { nobodysSubject, samplesOf } from "../../../support/given/endpoint-samples.ts";
import { sendRequest, useApi, type ApiAnswer } from "../../../support/service/api.ts";

/** The API trusts a proxy, so a test's request can come from any address. */
const api = useApi({ settings: { trustedProxies: "127.0.0.1" } });
const { as, given } = api;
const owner = () => api.database.owner;

interface Directory {
  clientId: string;
  /** The API path of the application's tokens. */
  path: string;
  token: string;
  id: string;
}

async function givenDirectory(settings: object = {}): Promise<Directory> {
  const { clientId } = await given.application({ realmId: api.realmId, scopes: ["scim"] });
  const path = `/api/applications/${clientId}/tokens`;
  const { body } = await as.admin().post(path, settings);
  return { clientId, path, token: body.data.token, id: body.data.id };
}

const ask = (token: string, headers: Record<string, string> = {}): Promise<ApiAnswer> =>
  sendRequest(`${api.url}/scim/v2/Users?count=0`, "GET", { headers: { authorization: `Bearer ${token}`, ...headers } });

const isKnown = ({ status }: ApiAnswer): void => {
  expect(status).toBe(200);
};
const isRefused = ({ status, headers }: ApiAnswer): void => {
  expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="api", error="invalid_token"']);
};

/** Returns a directory whose token has been accepted once. */
async function givenKnown(settings: object = {}): Promise<Directory> {
  const directory = await givenDirectory(settings);
  isKnown(await ask(directory.token));
  return directory;
}

describe("a static token is refused", () => {
  test("outside its networks, wherever the request claims to come from", async () => {
    const { token } = await givenDirectory({ networks: ["192.0.2.0/28", "2001:db8::/32", "198.51.100.7"] });
    const from = (address: string) => ask(token, { "x-forwarded-for": address });
    for (const inside of ["192.0.2.7", "2001:db8::1", "198.51.100.7", "::ffff:192.0.2.7", "203.0.113.1, 192.0.2.7"]) {
      isKnown(await from(inside));
    }
    for (const outside of ["192.0.2.16", "2001:db9::1", "198.51.100.8", "192.0.2.7, 203.0.113.1", "nonsense"]) {
      isRefused(await from(outside));
    }
    isRefused(await ask(token));
    // The refusals do not affect a caller inside the networks.
    isKnown(await from("192.0.2.7"));
  });

  test("once it has ended", async () => {
    const { token, id } = await givenKnown({ expiresAt: "2099-01-01T00:00:00Z" });
    await owner().query(sql`update static_tokens set expires_at = now() where id = ${id}`);
    isRefused(await ask(token));
  });

  test("while its application is switched off, and accepted at once when it is switched on", async () => {
    const { token, clientId } = await givenKnown();
    const admin = as.admin();
    await admin.put(`/api/applications/${clientId}`, { active: false });
    isRefused(await ask(token));
    await admin.put(`/api/applications/${clientId}`, { active: true });
    isKnown(await ask(token));
  });

  test("from the first request after the token is deleted", async () => {
    const { token, path, id } = await givenKnown();
    const sibling = (await as.admin().post(path, {})).body.data.token;
    await as.admin().delete(`${path}/${id}`);
    isRefused(await ask(token));
    isKnown(await ask(sibling));
  });

  test("once its application is deleted", async () => {
    const { token, clientId } = await givenKnown();
    await as.admin().delete(`/api/applications/${clientId}`);
    isRefused(await ask(token));
  });

  test("once its application has lost the scope, even after the application has the scope again", async () => {
    const { token, clientId, path } = await givenKnown();
    const admin = as.admin();
    await admin.put(`/api/applications/${clientId}`, { scopes: ["user.read"] });
    isRefused(await ask(token));
    expect((await admin.get(path)).body.data).toEqual([]);
    await admin.put(`/api/applications/${clientId}`, { scopes: ["scim"] });
    isRefused(await ask(token));
  });

  test("when it differs in one character, lacks its prefix or consists only of the prefix", async () => {
    const { token } = await givenKnown();
    isRefused(await ask(`${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`));
    isRefused(await ask(token.replace("rpk_", "")));
    isRefused(await ask("rpk_"));
  });
});

/** The errors for a caller who is authenticated but not allowed. */
const refusals = ["forbidden", "insufficient_scope", "user_required", "guest_account_required"];

test("a static token gives access to no endpoint of the API", async () => {
  const { token } = await givenKnown();
  const caller = as.token(token);
  const samples = samplesOf(
    endpoints.filter(({ access }) => access !== "public"),
    nobodysSubject,
  );
  expect(samples.length).toBeGreaterThan(100);
  for (const { method, path, body } of samples) {
    const answer = await caller.send(method.toUpperCase(), path, { body });
    expect(refusals, `${method} ${path}`).toContain(answer.body.error);
  }
  expect(
    (await sendRequest(`${api.url}/oauth/userinfo`, "GET", { headers: { authorization: `Bearer ${token}` } })).status,
  ).toBe(403);
});

test("the use of a token is recorded for the token and its application, at most once a minute", async () => {
  const { token, id, clientId } = await givenDirectory();
  const found = () =>
    owner().query<{ token: Date | null; application: Date | null }>(sql`
      select t.last_used_at as token, a.last_used_at as application
        from static_tokens t join applications a using (client_id) where t.id = ${id}
    `);
  expect(await found()).toEqual([{ token: null, application: null }]);
  await ask(token);
  const first = await found();
  expect(first[0]?.token).toBeInstanceOf(Date);
  expect(first[0]?.application).toEqual(first[0]?.token);
  await ask(token);
  expect(await found()).toEqual(first);
  await owner().query(sql`update static_tokens set last_used_at = last_used_at - interval '1 minute' where id = ${id}`);
  await ask(token);
  const [again] = await found();
  expect(again?.token?.getTime()).toBeGreaterThan(first[0]?.token?.getTime() ?? Infinity);
  const { lastUsed } = (await as.admin().get(`/api/applications/${clientId}`)).body.data;
  expect(lastUsed).toBe(again?.application?.toISOString());
});

test("a refused token is not recorded as used", async () => {
  const { token, id } = await givenDirectory({ networks: ["192.0.2.1"] });
  isRefused(await ask(token));
  expect(await owner().query(sql`select last_used_at as used from static_tokens where id = ${id}`)).toEqual([
    { used: null },
  ]);
});
