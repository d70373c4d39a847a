import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, expect, test } from "vitest";
import { authorizationOn } from "../support/given/authorization.ts";
import type { GivenApplication, GivenUser } from "../support/given/given.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { as, given } = api;
const { codeFor, redeem, signIn, token } = authorizationOn(api);

let application: GivenApplication;
let user: GivenUser;
beforeAll(async () => {
  application = await given.application({ realmId: api.realmId, type: "useragent" });
  user = await given.user({ realmId: api.realmId, pairwiseId: "pairwise-1" });
});

test("2 the id token is RS256 under the published keys and names person, time, client and session", async () => {
  const { body } = await redeem(application, await codeFor(user, application, { nonce: "n-1" }));
  const { body: jwks } = await as.nobody().get("/oauth/jwks");
  const { payload } = await jwtVerify(body.id_token, createLocalJWKSet(jwks), {
    issuer: api.url,
    audience: application.clientId,
    algorithms: ["RS256"],
  });
  expect(decodeProtectedHeader(body.id_token).typ).toBe("JWT");
  expect(payload).toEqual({
    iss: api.url,
    aud: application.clientId,
    sub: user.id,
    pairwise_id: "pairwise-1",
    sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    auth_time: expect.any(Number),
    nonce: "n-1",
    iat: expect.any(Number),
    exp: Number(payload.iat) + 1800,
  });
});

test("12.2 a refreshed id token names the same sign-in, without the nonce", async () => {
  const { body: first } = await signIn(user, application, { nonce: "n" });
  const { body } = await token({
    grant_type: "refresh_token",
    client_id: application.clientId,
    refresh_token: first.refresh_token,
  });
  const { iat: _, exp: __, nonce, ...same } = decodeJwt(first.id_token);
  const { iat: ___, exp: ____, ...refreshed } = decodeJwt(body.id_token);
  expect(nonce).toBe("n");
  expect(refreshed).toEqual(same);
});
