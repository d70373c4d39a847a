import { beforeAll, expect, test } from "vitest";
import { authorizationOn, postForm } from "../support/given/authorization.ts";
import { fromNow, type GivenApplication, type GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { given } = api;
const { signIn } = authorizationOn(api);

let application: GivenApplication;
let service: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  service = await given.application({ realmId: api.realmId });
  user = await given.user({ realmId: api.realmId });
});

const introspect = (value: string, of = service) =>
  postForm(`${api.url}/oauth/introspect`, { token: value, client_id: of.clientId, client_secret: of.secret });

test("2.2 the response describes an access token", async () => {
  const { body } = await signIn(user, application, { scope: "openid realm.read" });
  const answer = await introspect(body.access_token);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      active: true,
      sub: user.id,
      client_id: application.clientId,
      scope: "openid realm.read",
      token_type: "Bearer",
      iss: api.url,
      aud: api.url,
    },
  });
  expect(answer.body.exp - answer.body.iat).toBe(1800);
});

test("2.2 the response is only active: false for a token that is unknown, revoked, expired, from another realm, or another client's refresh token", async () => {
  const { body } = await signIn(user, application);
  const stranger = await given.application({ realmId: await given.realm() });
  await postForm(`${api.url}/oauth/revoke`, { token: body.access_token, client_id: application.clientId });
  const living = await signIn(user, application);
  const expired = await given.token({ realmId: api.realmId, userId: user.id }, { expiresAt: fromNow(-1) });
  for (const [value, of] of [
    ["unknown", service],
    [body.access_token, service],
    [expired, service],
    [living.body.access_token, stranger],
    [living.body.refresh_token, service],
  ] as const) {
    expect((await introspect(String(value), of)).body).toEqual({ active: false });
  }
});

test("2.1 only clients with a secret can introspect", async () => {
  expect(await introspect("x", application)).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  expect(await introspect("x", { ...service, secret: "wrong" })).toMatchObject({ status: 401 });
});
