import { beforeAll, describe, expect, test } from "vitest";
import { authorizationOn, expectOAuthError, postForm, redirectUri } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi, type ApiAnswer } from "../support/service/api.ts";

const api = useApi();
const { given } = api;
const { codeFor, redeem, token } = authorizationOn(api);

let service: GivenApplication;
let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  service = await given.application({ realmId: api.realmId });
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId });
});

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`,
});

const grant = { grant_type: "client_credentials" };
const wrong = "rps_wrong";
const post = (fields: Record<string, string> = {}) =>
  token({ ...grant, client_id: service.clientId, client_secret: service.secret, ...fields });

test("2.3.1 both methods accept a secret, and a client with a secret must send it", async () => {
  const confidential = await given.application({ realmId: api.realmId, type: "useragent", useClientSecret: true });
  const { clientId, secret } = confidential;
  expect(await redeem(confidential, await codeFor(user, confidential))).toMatchObject({
    status: 401,
    body: { error: "invalid_client" },
  });
  expect(await redeem(confidential, await codeFor(user, confidential), { client_secret: secret })).toMatchObject({
    status: 200,
  });
  const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`;
  const fields = { grant_type: "authorization_code", redirect_uri: redirectUri };
  expect(await token({ ...fields, code: await codeFor(user, confidential) }, { authorization: basic })).toMatchObject({
    status: 200,
  });
  // The service checks a secret only if the client was registered with one.
  expect(await redeem(application, await codeFor(user, application), { client_secret: "whatever" })).toMatchObject({
    status: 200,
  });
});

test.each(["token", "revoke", "introspect"])(
  "2.3.1 at /oauth/%s only the right secret is accepted",
  async (endpoint) => {
    const ask = (secret: string) =>
      postForm(`${api.url}/oauth/${endpoint}`, {
        ...grant,
        token: "x",
        client_id: service.clientId,
        client_secret: secret,
      });
    expect(await ask(service.secret)).toMatchObject({ status: 200 });
    for (const other of [wrong, `${service.secret}x`, service.secret.slice(0, -1), service.secret.toUpperCase()]) {
      expect(await ask(other)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
    }
  },
);

test("2.3.1 the Basic scheme works, with form-encoded parts", async () => {
  expect(await token(grant, basic(service.clientId, service.secret))).toMatchObject({ status: 200 });
  expect(await token({ ...grant, client_id: service.clientId }, basic(service.clientId, service.secret))).toMatchObject(
    { status: 200 },
  );
  const encoded = (text: string): string => text.replace(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const parts = `${encoded(service.clientId)}:${encoded(service.secret)}`;
  expect(await token(grant, { authorization: `Basic ${Buffer.from(parts).toString("base64")}` })).toMatchObject({
    status: 200,
  });
});

test("2.3.1 and 3.2 credentials in the query are ignored, like unknown fields", async () => {
  expect(await post({ whatever: "x" })).toMatchObject({ status: 200 });
  const query = `?${new URLSearchParams({ ...grant, client_id: service.clientId, client_secret: service.secret }).toString()}`;
  expect(await postForm(`${api.url}/oauth/token${query}`, {})).toMatchObject({
    status: 400,
    body: { error: "invalid_request" },
  });
});

describe("5.2 the token endpoint rejects:", () => {
  type Case = [name: string, send: () => Promise<ApiAnswer>, status: number, error: string];
  const cases: Case[] = [
    ["an unknown client", () => post({ client_id: "nobody" }), 401, "invalid_client"],
    ["a wrong secret", () => post({ client_secret: wrong }), 401, "invalid_client"],
    ["no secret", () => token({ ...grant, client_id: service.clientId }), 401, "invalid_client"],
    ["an empty secret", () => post({ client_secret: "" }), 401, "invalid_client"],
    ["a wrong secret by Basic", () => token(grant, basic(service.clientId, wrong)), 401, "invalid_client"],
    ["Basic that is no Basic", () => token(grant, { authorization: "Basic !!!" }), 401, "invalid_client"],
    ["Basic with NUL", () => token(grant, basic("a\0", "b")), 401, "invalid_client"],
    [
      "Basic and a body secret",
      () => token({ ...grant, client_secret: service.secret }, basic(service.clientId, service.secret)),
      400,
      "invalid_request",
    ],
    [
      "Basic and another client_id",
      () => token({ ...grant, client_id: "other" }, basic(service.clientId, service.secret)),
      400,
      "invalid_request",
    ],
    ["no client", () => token(grant), 400, "invalid_request"],
  ];

  test.each(cases)("%s", async (_, send, status, error) => {
    expectOAuthError(await send(), { status, error });
  });
});

test("5.2 401 names the Basic scheme only if the request used that scheme", async () => {
  expect((await token(grant, basic(service.clientId, wrong))).headers["www-authenticate"]).toMatch(/^Basic /);
  expect((await post({ client_secret: wrong })).headers["www-authenticate"]).toBeUndefined();
});
