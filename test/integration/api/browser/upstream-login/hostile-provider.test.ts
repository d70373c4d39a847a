import { generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { SignJWT } from "jose";
import { pino } from "pino";
import { beforeEach, describe, expect, test } from "vitest";
import type { Problem } from "../../../../../api/pages/problems.ts";
import { systemClock } from "../../../../../runtime/clock.ts";
import { useApi } from "../../../../support/service/api.ts";
import {
  useHostileProvider,
  type HostileResponse,
  type UpstreamPlace,
} from "../../../../support/counterparts/hostile-provider.ts";
import { makeSigningKey } from "../../../../support/counterparts/upstream-provider.ts";
import {
  browserOf,
  expectProblem,
  setUpstream,
  signedInUser,
  startPath,
  usersOf,
  walkToCallback,
} from "./upstream-login-support.ts";

const timeoutMs = 400;
let logged = "";
const log = pino(
  { level: "debug" },
  new Writable({
    write(chunk: Buffer, _, done) {
      logged += chunk.toString();
      done();
    },
  }),
);
const api = useApi({ settings: { upstreamTimeoutMs: timeoutMs }, log });
const upstream = useHostileProvider();
const clientId = "realmpass";
let realmId = "";

beforeEach(async () => {
  realmId = await api.given.realm();
  await upstream.behave();
  await setUpstream(api, realmId, { issuer: upstream.url, clientId, clientSecret: "s" });
});

async function signIn(browser = browserOf(api, () => upstream.url)) {
  const visit = await browser.get(`${api.url}${await startPath(api, realmId)}`);
  return { browser, visit, user: await signedInUser(api, browser) };
}

/** Expects a sign-in to show this page, with a link to start again, and to create no user. */
async function expectNobody(problem: Problem): Promise<void> {
  const { visit, user } = await signIn();
  const startAgain = expectProblem(visit, problem);
  expect(startAgain?.replace("&again=true", "")).toBe(await startPath(api, realmId));
  expect(user).toBeUndefined();
  expect(await usersOf(api, realmId)).toEqual([]);
}

const seconds = (from: number): number => Math.floor(systemClock.now().getTime() / 1000) + from;

const send =
  (status: number, body: string | Buffer, headers: Record<string, string> = {}): HostileResponse =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  };

test("control: with a correct provider the user is signed in", async () => {
  const { user } = await signIn();
  expect(user).toMatchObject({ pairwiseId: "somebody", email: "somebody@example.org", method: "upstream" });
});

describe("an invalid ID token is refused", () => {
  test.each([
    ["another nonce", { nonce: "other" }],
    ["no nonce", { nonce: undefined }],
    ["another issuer", { iss: "https://evil.example" }],
    ["another audience", { aud: "somebody else" }],
    ["us and others as its audience, and others as its party", { aud: ["realmpass", "x"], azp: "x" }],
    ["an end in the past", { exp: seconds(-120) }],
    ["no end", { exp: undefined }],
    ["a beginning in the future", { nbf: seconds(600) }],
    ["no subject", { sub: undefined }],
    ["an empty subject", { sub: "" }],
    ["a subject of 256 characters", { sub: "x".repeat(256) }],
    ["a subject with NUL", { sub: "a\0b" }],
    ["a subject that is a number", { sub: 7 }],
  ])("%s", async (_, claims) => {
    upstream.changeIdToken({ claims });
    await expectNobody("upstream_bad_answer");
  });

  test("if another key signed it under the published key's id", async () => {
    upstream.changeIdToken({ key: { ...(await makeSigningKey()), kid: upstream.key.kid ?? "" } });
    await expectNobody("upstream_bad_answer");
  });

  test("if an unpublished key signed it: the keys are fetched again once, not every time", async () => {
    upstream.changeIdToken({ key: await makeSigningKey() });
    await expectNobody("upstream_bad_answer");
    await expectNobody("upstream_bad_answer");
    await expectNobody("upstream_bad_answer");
    expect(upstream.asked("jwks")).toBe(2);
  });

  test.each([
    ["as its metadata allows", ["RS256", "none"]],
    ["although its metadata does not allow it", ["RS256"]],
  ])("if it has no signature, %s", async (_, algorithms) => {
    upstream.change("discovery", (document) => ({ ...document, id_token_signing_alg_values_supported: algorithms }));
    upstream.changeIdToken({ none: true });
    await expectNobody("upstream_bad_answer");
  });

  test("if it is signed with the client's own secret, or with the public key as an HMAC secret", async () => {
    upstream.change("discovery", (document) => ({ ...document, id_token_signing_alg_values_supported: ["HS256"] }));
    for (const secret of ["s", JSON.stringify(upstream.key.n)]) {
      const k = Buffer.from(secret).toString("base64url");
      upstream.changeIdToken({ key: { kty: "oct", k, alg: "HS256", kid: upstream.key.kid ?? "" } });
      await expectNobody("upstream_bad_answer");
    }
  });

  test("if its header contains its own key", async () => {
    const key = await makeSigningKey();
    const { kty, n, e } = key;
    upstream.changeIdToken({ key: { ...key, kid: upstream.key.kid ?? "" }, header: { jwk: { kty, n, e } } });
    await expectNobody("upstream_bad_answer");
  });

  test.each([
    ["none at all", undefined],
    ["a number", 7],
    ["three dots", "..."],
    ["no JSON in it", "eA.eA.eA"],
  ])("%s", async (_, id_token) => {
    upstream.change("token", (document) => ({ ...document, id_token }));
    await expectNobody("upstream_bad_answer");
  });
});

describe("the callback", () => {
  test.each<[string, Record<string, string | undefined>]>([
    ["another issuer", { iss: "https://evil.example" }],
    ["no issuer although the metadata promises one", { iss: undefined }],
    ["another state", { state: "other" }],
    ["no state", { state: undefined }],
    ["no code", { code: undefined }],
    ["a code and an error", { error: "invalid_request" }],
    ["an id token in the address", { id_token: "x" }],
    ["an unknown error", { error: "\r\nX: y" }],
    ["a refusal with another state", { state: "other", error: "access_denied" }],
  ])("%s is refused", async (_, changes) => {
    upstream.changeAnswer((back) => {
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) back.delete(name);
        else back.set(name, value);
      }
    });
    await expectNobody("upstream_bad_answer");
  });

  test.each<[string, Problem]>([
    ["access_denied", "upstream_refused"],
    ["login_required", "upstream_refused"],
    ["temporarily_unavailable", "upstream_unreachable"],
    ["server_error", "upstream_unreachable"],
    ["unauthorized_client", "upstream_bad_answer"],
  ])("the error %s is reported as %s", async (error, problem) => {
    upstream.changeAnswer((back) => {
      back.delete("code");
      back.set("error", error);
      back.set("error_description", "<script>alert(1)</script>");
    });
    await expectNobody(problem);
  });
});

const places: UpstreamPlace[] = ["discovery", "token", "jwks", "userinfo"];

describe("every endpoint of the provider", () => {
  const slow: HostileResponse = (_, response) => {
    setTimeout(() => response.destroy(), 5 * timeoutMs).unref();
  };
  /** Sends bytes without end. */
  const drip: HostileResponse = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.once("close", () => {
      clearInterval(timer);
    });
  };
  const endless: HostileResponse = (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = (to: ServerResponse): void => {
      while (!to.destroyed && to.write(" ".repeat(65_536)));
    };
    response.on("drain", () => {
      more(response);
    });
    more(response);
  };
  const reset: HostileResponse = (request) => {
    request.socket.destroy();
  };
  const redirect: HostileResponse = (_, response) => {
    response.writeHead(302, { location: `${api.url}/healthz` }).end();
  };

  test.each(
    places.flatMap((place): [UpstreamPlace, string, HostileResponse, Problem][] => [
      [place, "silence", slow, "upstream_unreachable"],
      [place, "a drip", drip, "upstream_unreachable"],
      [place, "a broken connection", reset, "upstream_unreachable"],
      [place, "500", send(500, "{}"), "upstream_unreachable"],
      [place, "503", send(503, "{}"), "upstream_unreachable"],
      [place, "429", send(429, "{}"), "upstream_unreachable"],
      [place, "an endless answer", endless, "upstream_bad_answer"],
      [
        place,
        "a small answer that unpacks to 50 MB",
        send(200, bomb(), { "content-encoding": "gzip" }),
        "upstream_bad_answer",
      ],
      [place, "a redirect", redirect, "upstream_bad_answer"],
      [place, "404", send(404, "{}"), "upstream_bad_answer"],
      [place, "204", send(204, ""), "upstream_bad_answer"],
      [place, "HTML", send(200, "<html>", { "content-type": "text/html" }), "upstream_bad_answer"],
      [place, "bytes that are no UTF-8", send(200, Buffer.from([0xff, 0xfe, 0x00])), "upstream_bad_answer"],
      [place, "an empty object", send(200, "{}"), "upstream_bad_answer"],
      [place, "a list", send(200, "[]"), "upstream_bad_answer"],
      [place, "null", send(200, "null"), "upstream_bad_answer"],
      [place, "an odd prototype", send(200, '{"__proto__":{"issuer":"x","keys":[]}}'), "upstream_bad_answer"],
    ]),
  )("%s: %s shows a calm page", async (place, _, lie, problem) => {
    upstream.lie(place, lie);
    await expectNobody(problem);
  });

  test("a failure is not cached: a provider that recovers works immediately", async () => {
    upstream.lie("discovery", send(503, ""));
    await expectNobody("upstream_unreachable");
    upstream.lie("discovery", undefined);
    expect((await signIn()).user).toBeDefined();
  });

  test("a provider that goes down during the sign-in is reported", async () => {
    const browser = browserOf(api, () => upstream.url);
    const callback = await walkToCallback(browser, `${api.url}${await startPath(api, realmId)}`);
    await upstream.behave();
    expectProblem(await browser.get(callback), "upstream_unreachable");
  });

  test("a provider that is down is reported before the user is redirected to it", async () => {
    await upstream.behave();
    await expectNobody("upstream_unreachable");
  });

  test("provider documents are cached across users", async () => {
    await Promise.all(Array.from({ length: 5 }, () => signIn()));
    await signIn();
    expect(upstream.asked("discovery")).toBe(1);
    expect(upstream.asked("token")).toBe(6);
    expect(upstream.asked("jwks")).toBeLessThanOrEqual(5);
  });
});

function bomb(): Buffer {
  return gzipSync(Buffer.alloc(50 * 1024 * 1024, " "));
}

describe("a misleading discovery document", () => {
  test.each([
    ["another issuer", { issuer: "https://evil.example" }],
    ["no authorization endpoint", { authorization_endpoint: undefined }],
    ["an authorization endpoint that is a script", { authorization_endpoint: "javascript:alert(1)" }],
    ["an authorization endpoint without https", { authorization_endpoint: "http://evil.example/" }],
    ["an authorization endpoint with a line end", { authorization_endpoint: "https://idp.example/\r\nX: y" }],
    ["an authorization endpoint that is a list", { authorization_endpoint: ["https://idp.example/"] }],
    ["a token endpoint without https elsewhere", { token_endpoint: "http://192.0.2.1/token" }],
    ["a token endpoint that is a file", { token_endpoint: "file:///etc/passwd" }],
    ["no token endpoint", { token_endpoint: undefined }],
    ["keys without https elsewhere", { jwks_uri: "http://192.0.2.1/jwks" }],
    ["no keys", { jwks_uri: undefined }],
    ["a userinfo endpoint without https elsewhere", { userinfo_endpoint: "http://192.0.2.1/" }],
    ["ways to authenticate that are no list", { token_endpoint_auth_methods_supported: 7 }],
  ])("%s is refused", async (_, changed) => {
    upstream.change("discovery", (document) => ({ ...document, ...changed }));
    await expectNobody("upstream_bad_answer");
  });
});

describe("a misleading userinfo response", () => {
  test("a response about another subject is refused", async () => {
    upstream.change("userinfo", (document) => ({ ...document, sub: "somebody else" }));
    await expectNobody("upstream_bad_answer");
  });

  test("claims in the response cannot override the signed ID token", async () => {
    await setUpstream(api, realmId, {
      issuer: upstream.url,
      clientId,
      claims: { administrator: { claim: "role", value: "admin" } },
    });
    upstream.changeIdToken({ claims: { role: "user", pairwise_id: "signed" } });
    upstream.change("userinfo", (document) => ({ ...document, role: "admin", pairwise_id: "unsigned" }));
    expect((await signIn()).user).toMatchObject({ pairwiseId: "signed", administrator: false });
  });

  test("a JWT with a bad signature is refused", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const jwt = await new SignJWT({ sub: "somebody", iss: upstream.url, aud: clientId, pairwise_id: "forged" })
      .setProtectedHeader({ alg: "RS256", kid: upstream.key.kid ?? "" })
      .sign(privateKey);
    upstream.change("discovery", (document) => ({ ...document, userinfo_signing_alg_values_supported: ["RS256"] }));
    upstream.lie("userinfo", send(200, jwt, { "content-type": "application/jwt" }));
    await expectNobody("upstream_bad_answer");
  });

  test("is not requested if the ID token has every claim", async () => {
    upstream.changeIdToken({ claims: { pairwise_id: "p", email: "e@example.org", name: "N" } });
    upstream.lie("userinfo", send(500, ""));
    expect((await signIn()).user).toMatchObject({ pairwiseId: "p", email: "e@example.org", displayName: "N" });
    expect(upstream.asked("userinfo")).toBe(0);
  });
});

test("the log names the problem and contains nothing that was sent", async () => {
  logged = "";
  upstream.changeIdToken({ claims: { nonce: "a wrong nonce" } });
  await expectNobody("upstream_bad_answer");
  upstream.lie("token", send(400, '{"error":"invalid_grant","error_description":"a refused code"}'));
  await expectNobody("upstream_bad_answer");
  upstream.lie("token", send(400, '{"error":"\\nforged line","error_description":"a refused code"}'));
  await expectNobody("upstream_bad_answer");
  upstream.lie("token", send(200, "not JSON but a secret"));
  await expectNobody("upstream_bad_answer");
  upstream.lie("token", (request) => {
    request.socket.destroy();
  });
  await expectNobody("upstream_unreachable");

  const lines = logged
    .split("\n")
    .filter((line) => line.includes('"event":"upstream.failed"'))
    .map((line) => JSON.parse(line) as { reason: string; realmId: string; requestId: string });
  expect(lines.map(({ reason }) => reason)).toEqual([
    'unexpected ID Token "nonce" claim value',
    "server responded with an error in the response body: invalid_grant",
    "server responded with an error in the response body: of an unknown kind",
    'failed to parse "response" body as JSON',
    "TypeError: UND_ERR_SOCKET",
  ]);
  for (const line of lines)
    expect(line).toMatchObject({ realmId, requestId: expect.stringMatching(/^[\w-]{36}$/) as string });
  expect(logged).not.toMatch(/eyJ|an access token|refused code|forged line|but a secret|wrong nonce/);
});
