import { expect, test } from "vitest";
import { metadataPaths } from "../../api/oauth/metadata.ts";
import { useApi } from "../support/service/api.ts";

const api = useApi();
const { as } = api;

test("2 and 3.2 both discovery documents are the same, and list only endpoints that exist", async () => {
  const [openid, oauth] = await Promise.all(
    ["openid-configuration", "oauth-authorization-server"].map((name) => as.nobody().get(`/.well-known/${name}`)),
  );
  expect(openid).toMatchObject({
    status: 200,
    headers: { "access-control-allow-origin": "*", "cache-control": "public, max-age=300" },
    body: {
      issuer: api.url,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ["code"],
      id_token_signing_alg_values_supported: ["RS256"],
    },
  });
  expect(oauth?.body).toEqual(openid?.body);
  const endpoints = Object.entries(openid?.body as Record<string, unknown>).filter(([name]) =>
    /_endpoint$|_uri$/.test(name),
  );
  expect(endpoints.length).toBeGreaterThan(6);
  for (const [, url] of endpoints) {
    expect((await as.nobody().get(String(url).slice(api.url.length))).status).not.toBe(404);
  }
});

test("2 jwks_uri returns only public keys, with kid, use and alg", async () => {
  const { status, headers, body } = await as.nobody().get("/oauth/jwks");
  expect({ status, cache: headers["cache-control"] }).toEqual({ status: 200, cache: "public, max-age=300" });
  expect(body.keys.map(({ alg }: { alg: string }) => alg).sort()).toEqual(["ES256", "RS256"]);
  for (const key of body.keys) {
    expect(key).toMatchObject({ kid: expect.stringMatching(/^[\w-]{43}$/), use: "sig" });
    expect(Object.keys(key).filter((name) => ["d", "p", "q", "dp", "dq", "qi", "k"].includes(name))).toEqual([]);
  }
});

test("3.1 a server below a path has its documents at the paths of RFC 8414 and of OpenID Connect", () => {
  const settings = { authUrl: "https://login.example/campus" };
  expect(metadataPaths({ settings } as Parameters<typeof metadataPaths>[0])).toEqual([
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration/campus",
    "/.well-known/oauth-authorization-server/campus",
  ]);
});

test("3.1 there is no document for another path", async () => {
  expect((await as.nobody().get("/.well-known/openid-configuration/other")).status).toBe(404);
});
