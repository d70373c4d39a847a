import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { sql } from "../../db/sql.ts";
import { scopesAllowedTo } from "../../domain/people/scopes.ts";
import { postForm } from "../support/given/authorization.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("2.1 and 2.2 an access token is a JWT for 30 minutes, signed with the stored key, and accepted by the API", async () => {
  const service = await given.application({ realmId: api.realmId });
  const { access_token: token } = (
    await postForm(`${api.url}/oauth/token`, {
      grant_type: "client_credentials",
      client_id: service.clientId,
      client_secret: service.secret,
    })
  ).body;
  const keys = await api.database.owner.query<{ publicJwk: object; kid: string }>(sql`
    select public_jwk as "publicJwk", kid from token_signing_keys where state = 'current'
  `);
  const jwks = createLocalJWKSet({ keys: keys.map(({ publicJwk, kid }) => ({ ...publicJwk, kid })) });
  const { payload } = await jwtVerify(token, jwks, {
    issuer: api.url,
    audience: api.url,
    typ: "at+jwt",
    algorithms: ["ES256"],
  });

  expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", typ: "at+jwt", kid: keys[0]?.kid });
  expect(payload).toMatchObject({ sub: service.clientId, client_id: service.clientId, jti: expect.any(String) });
  expect(Number(payload.exp) - Number(payload.iat)).toBe(1800);
  expect(String(payload["scope"]).split(" ").sort()).toEqual(scopesAllowedTo("service").sort());
  expect(await as.token(token).get("/api/user")).toMatchObject({ status: 200 });
});
