import { createHash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from "jose";
import { beforeAll, expect, test } from "vitest";
import { clientCertificateGrantType } from "../../api/oauth/grants/client-certificate.ts";
import { sql } from "../../db/sql.ts";
import { systemClock } from "../../runtime/clock.ts";
import { postForm } from "../support/given/authorization.ts";
import {
  bearer,
  byteSequence,
  derOf,
  deviceSignInOn,
  header,
  send,
  withClientCertificates,
  type Sent,
} from "../support/given/device-sign-in.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { givenIssuingRealm } from "../support/given/issuing.ts";
import { useApi, type ApiAnswer } from "../support/service/api.ts";

const api = useApi(withClientCertificates);
const { as, given } = api;
const { issue, signIn } = deviceSignInOn(api);

let user: GivenUser;
let client: GivenApplication;
beforeAll(async () => {
  const { realmId } = await givenIssuingRealm(api.database.owner, { maxProfiles: 100 });
  user = await given.user({ realmId });
  client = await given.application({ realmId, type: "useragent" });
  await api.startWorker();
});

const open = (token: string, sent: Sent = {}, base = api.tlsUrl): Promise<ApiAnswer> =>
  send(`${base}/api/profile`, { ...sent, headers: { ...bearer(token), ...sent.headers } });

test("3 a token works only with its certificate: the response is 401 without the certificate, with another or with a forged header", async () => {
  const [device, other] = [await issue(user), await issue(user)];
  const token = String((await signIn(client, device)).body.access_token);
  const forged = { [header]: byteSequence(derOf(device)) };
  for (const answer of [
    await open(token),
    await open(token, {}, api.url),
    await open(token, { device: other }),
    await open(token, { headers: forged }),
    await open(token, { device: other, headers: forged }),
    await open(token, { headers: forged }, api.url),
  ]) {
    expect(answer).toBeError("unauthenticated");
    expect(answer.headers["www-authenticate"]).toContain('error="invalid_token"');
  }
  const info = await send(`${api.url}/oauth/userinfo`, { headers: bearer(token) });
  expect(info).toMatchObject({ status: 401, body: { error: "invalid_token" } });
  expect((await open(token, { device })).status).toBe(200);
});

test("3.1 the access token names its certificate; the id token names the session and the time of the sign-in", async () => {
  const device = await issue(user);
  const before = Math.floor(systemClock.now().getTime() / 1000);
  const { body } = await signIn(client, device);
  const keys = (await as.nobody().get("/oauth/jwks")).body as JSONWebKeySet;
  const { payload: access } = await jwtVerify(body.access_token, createLocalJWKSet(keys), { issuer: api.url });
  expect(access).toMatchObject({
    sub: user.id,
    client_id: client.clientId,
    cnf: { "x5t#S256": createHash("sha256").update(derOf(device)).digest("base64url") },
  });
  const { payload: id } = await jwtVerify(body.id_token, createLocalJWKSet(keys), { audience: client.clientId });
  expect(id).toMatchObject({ sub: user.id, sid: expect.any(String), auth_time: expect.any(Number) });
  expect(id["auth_time"]).toBeGreaterThanOrEqual(before);

  const sessions = await api.database.owner.query(sql`
    select s.user_id as "userId", s.login_id as "loginId", c.serial_number as serial
      from sessions s
      join certificates c on c.id = s.certificate_id
     where s.id = ${id["sid"]}
  `);
  expect(sessions).toEqual([{ userId: user.id, loginId: null, serial: device.serial }]);
});

test("3.2 introspection shows the certificate that a token is bound to", async () => {
  const device = await issue(user);
  const { access_token: token } = (await signIn(client, device)).body;
  const service = await given.application({ realmId: user.realmId });
  const { body } = await postForm(`${api.url}/oauth/introspect`, {
    token,
    client_id: service.clientId,
    client_secret: service.secret,
  });
  expect(body).toMatchObject({ active: true, sub: user.id, cnf: decodeJwt(token)["cnf"] });

  const { paths } = (await as.nobody().get("/openapi.json")).body;
  const schema = paths["/oauth/introspect"].post.responses["200"].content["application/json"].schema;
  // Rejects response fields that the document does not contain.
  const exact = { ...schema, unevaluatedProperties: false };
  expect(new Ajv2020({ strict: false }).validate(exact, body)).toBe(true);
  expect(new Ajv2020({ strict: false }).validate(exact, { ...body, cnf: {} })).toBe(false);
  expect(new Ajv2020({ strict: false }).validate(exact, { ...body, other: 1 })).toBe(false);
});

test("3.3 and 5 the metadata list the grant for client certificates and the endpoint aliases for mutual TLS", async () => {
  const { body } = await as.nobody().get("/.well-known/openid-configuration");
  expect(body).toMatchObject({
    tls_client_certificate_bound_access_tokens: true,
    mtls_endpoint_aliases: {
      token_endpoint: `${api.tlsUrl}/oauth/token`,
      userinfo_endpoint: `${api.tlsUrl}/oauth/userinfo`,
    },
  });
  expect(body.grant_types_supported).toContain(clientCertificateGrantType);
});
