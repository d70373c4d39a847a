import { expect, test } from "vitest";
import { sendRequest, useApi } from "../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

test("every response has its own request id and security headers, and only a read is cacheable", async () => {
  const headers = { "x-request-id": "mine" };
  const answers = await Promise.all([
    as.admin().post("/api/user", {}, { headers }),
    as.nobody().get("/api/realm", { headers }),
    as.nobody().get("/nowhere", { headers }),
    as.nobody().get("/healthz", { headers }),
    as.nobody().get("/oauth/token", { headers }),
  ]);
  expect(new Set(answers.map((answer) => answer.headers["x-request-id"])).size).toBe(5);
  for (const answer of answers) {
    expect(answer.headers).toMatchObject({
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "cache-control": "no-store",
      "x-rate-limit-limit": expect.any(String),
      "x-rate-limit-remaining": expect.any(String),
      "x-rate-limit-reset": expect.any(String),
    });
    expect(answer.headers["x-powered-by"]).toBeUndefined();
  }
  expect((await as.admin().get("/api/realm")).headers["cache-control"]).toBe("private, no-cache");
});

test("401 distinguishes a missing token from a bad one, and only the header is read", async () => {
  const token = await given.token({
    realmId: api.realmId,
    clientId: (await given.application({ realmId: api.realmId })).clientId,
  });
  const challenge = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await sendRequest(`${api.url}${path}`, "GET", { headers });
    expect(answer).toBeError("unauthenticated");
    return answer.headers["www-authenticate"];
  };
  const without = 'Bearer realm="api"';
  const bad = 'Bearer realm="api", error="invalid_token"';

  expect(await challenge("/api/realm")).toBe(without);
  expect(await challenge(`/api/realm?access_token=${token}`)).toBe(without);
  expect(await challenge("/api/realm", { authorization: "Basic YTpi" })).toBe(without);
  expect(await challenge("/api/realm", { authorization: "Bearer" })).toBe(without);
  expect(await challenge("/api/realm", { authorization: "Bearer nonsense" })).toBe(bad);
  expect(await challenge("/api/realm", { authorization: `Bearer ${token} x` })).toBe(bad);
  expect(await challenge("/api/realm", { authorization: `Bearer ${"x".repeat(5000)}` })).toBe(bad);
  expect(
    (await sendRequest(`${api.url}/api/realm`, "GET", { headers: { authorization: `bEARER ${token}` } })).status,
  ).toBe(200);
});

test("an expired token, the token of an offboarded user and the token of a switched-off client are refused", async () => {
  const { realmId } = api;
  const clientId = (await given.application({ realmId })).clientId;
  const off = (await given.application({ realmId, active: false })).clientId;
  const gone = await given.user({ realmId, offboardedAt: new Date(0) });
  const tokens = await Promise.all([
    given.token({ realmId, clientId }, { expiresAt: new Date(0) }),
    given.token({ realmId, clientId: off }),
    given.token({ realmId, clientId, userId: gone.id }),
  ]);
  for (const token of tokens) expect(await as.token(token).get("/api/realm")).toBeError("unauthenticated");
});

test("a failure is sent as problem details to a client that accepts them", async () => {
  const answer = await as
    .admin()
    .get("/api/user?limit=0", { headers: { accept: "application/problem+json, application/json;q=0.5" } });
  expect(answer).toMatchObject({ status: 400, headers: { "content-type": "application/problem+json" } });
  expect(answer.body).toEqual({
    type: "urn:realmpass:error:invalid_request",
    title: expect.any(String),
    status: 400,
    detail: expect.any(String),
    instance: `urn:uuid:${String(answer.headers["x-request-id"])}`,
    error: "invalid_request",
    request_id: answer.headers["x-request-id"],
    fields: [{ path: "limit", reason: expect.any(String) }],
  });
});

test("browsers can call the API and the token endpoint from any origin, without credentials", async () => {
  const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };
  for (const path of ["/api/user", "/oauth/token", "/api/whatever"]) {
    const answer = await sendRequest(`${api.url}${path}`, "OPTIONS", { headers: preflight });
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        "access-control-allow-origin": "*",
        "access-control-allow-headers": "Authorization, Content-Type, x-api-version, Idempotency-Key, Prefer",
        "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
      },
    });
    expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
  }
  const answer = await as.nobody().get("/api/user", { headers: { origin: "https://app.example" } });
  expect(answer.headers).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-expose-headers":
      "Location, Retry-After, X-Request-Id, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, X-Rate-Limit-Reset",
  });
  for (const path of ["/sign-in/x", "/oauth/authorize", "/oauth/logout"]) {
    const page = await sendRequest(`${api.url}${path}`, "GET", { headers: { origin: "https://app.example" } });
    expect(page.headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("the OpenAPI document is served with the service's own address", async () => {
  const answer = await as.nobody().get("/openapi.json");
  expect(answer).toMatchObject({ status: 200, body: { openapi: "3.1.1", servers: [{ url: api.url }] } });
});
