import { describe, expect, test } from "vitest";
import * as realms from "../../../../../db/queries/realm/realms.ts";
import { sql } from "../../../../../db/sql.ts";
import { sendRequest, useApi, type TestApi } from "../../../../support/service/api.ts";
import { createBrowserSession } from "../../../../support/browser/browser-session.ts";
import { useHostileProvider } from "../../../../support/counterparts/hostile-provider.ts";
import { expectProblem, setUpstream, startPath } from "./upstream-login-support.ts";

const api = useApi();
const published = useApi({ settings: { authUrl: "https://id.example/wifi", baseUrl: "https://id.example/wifi" } });
const upstream = useHostileProvider();

async function realmWithUpstream(at: TestApi = api): Promise<string> {
  const realmId = await at.given.realm();
  await setUpstream(at, realmId, { issuer: upstream.url, clientId: "realmpass" });
  return realmId;
}

const visit = (path: string, at: TestApi = api) =>
  createBrowserSession(() => []).get(`${at.url}${path}`, { follow: false });

describe("starting a sign-in at the identity provider", () => {
  test("sends all parameters that OpenID Connect and PKCE require, with new random values each time", async () => {
    const path = await startPath(api, await realmWithUpstream());
    const starts = await Promise.all([visit(path), visit(path)]);

    const sent = starts.map(({ status, headers }) => {
      expect(status).toBe(303);
      const address = new URL(headers.location ?? "");
      expect(`${address.origin}${address.pathname}`).toBe(`${upstream.url}/authorize`);
      return Object.fromEntries(address.searchParams);
    });
    const random = expect.stringMatching(/^[\w-]{43}$/) as string;
    expect(sent[0]).toEqual({
      response_type: "code",
      client_id: "realmpass",
      redirect_uri: `${api.url}/login/upstream/callback`,
      scope: "openid email profile",
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(sent[0]?.[name]).not.toBe(sent[1]?.[name]);
    expect(starts[0].headers["set-cookie"]).not.toEqual(starts[1].headers["set-cookie"]);
    expect(starts[0].headers["cache-control"]).toBe("no-store");
  });

  test("keeps the query of the provider's own address", async () => {
    await upstream.behave();
    upstream.change("discovery", (document) => ({
      ...document,
      authorization_endpoint: `${upstream.url}/authorize?tenant=x&client_id=other`,
    }));
    const { headers } = await visit(await startPath(api, await realmWithUpstream()));
    const { searchParams } = new URL(headers.location ?? "");
    expect([searchParams.getAll("tenant"), searchParams.getAll("client_id")]).toEqual([["x"], ["realmpass"]]);
  });

  test("requests a new sign-in at the provider if this service requires one", async () => {
    const { headers } = await visit(await startPath(api, await realmWithUpstream(), { again: "true" }));
    expect(new URL(headers.location ?? "").searchParams.get("prompt")).toBe("login");
  });

  test("stores the attempt, sealed, in a cookie for this host only", async () => {
    const realmId = await realmWithUpstream(published);
    const { headers } = await visit(await startPath(published, realmId), published);
    const [cookie = ""] = headers["set-cookie"] ?? [];
    expect(cookie).toMatch(
      /^__Host-realmpass-upstream=[\w-]{300,3900}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    );
    const sent = new URL(headers.location ?? "").searchParams;
    expect(sent.get("redirect_uri")).toBe("https://id.example/wifi/login/upstream/callback");
    const plain = Buffer.from(/=([\w-]+);/.exec(cookie)?.[1] ?? "", "base64url").toString("latin1");
    for (const secret of [sent.get("state"), sent.get("nonce")]) {
      expect(secret).toMatch(/.{43}/);
      expect(plain).not.toContain(secret);
    }
  });

  test("is refused if the redirect target does not fit into the cookie", async () => {
    const realmId = await realmWithUpstream();
    const long = (length: number) => startPath(api, realmId, { continue: `/oauth/authorize?x=${"y".repeat(length)}` });
    const page = await visit(await long(4_000));
    expectProblem(page, "bad_request");
    expect(page.headers["set-cookie"]).toBeUndefined();
    expect((await visit(await long(2_000))).status).toBe(303);
  });

  test("links to a new start below the base path if the attempt has ended", async () => {
    const { headers } = await visit("/login/upstream/callback?code=a&state=b", published);
    expect(headers["set-cookie"]).toBeUndefined();
    const page = await visit("/login/upstream/callback?code=a&state=b", published);
    expect(expectProblem(page, "upstream_attempt_ended")).toBe("/wifi/login");
  });
});

describe("no sign-in is started", () => {
  test("for an unknown realm or one without an identity provider, with identical responses", async () => {
    const without = await api.given.realm();
    const half = await api.given.realm();
    await realms.update(api.database.owner, half, { upstreamIssuer: upstream.url });
    const paths = [await startPath(api, without), await startPath(api, half), "/login/upstream?realm=nowhere"];
    const pages = await Promise.all(paths.map((path) => visit(path)));
    for (const page of pages) expectProblem(page, "no_sign_in");
    const stable = (text: string) => text.replace(/<dl>.*?<\/dl>/gs, "");
    expect(new Set(pages.map(({ text }) => stable(text))).size).toBe(1);
  });

  test.each([
    ["no realm", ""],
    ["an empty realm", "realm="],
    ["two realms", "realm=a&realm=b"],
    ["NUL", "realm=a%00"],
    ["a lone percent sign", "realm=%"],
    ["bytes that are no UTF-8", "realm=%ff"],
  ])("with %s", async (_, query) => {
    expectProblem(await visit(`/login/upstream?${query}`), "bad_request");
  });

  test.each([
    ["a line end", "realm=a%0d%0aSet-Cookie:%20a=b"],
    ["5 kB", `realm=${"x".repeat(5000)}`],
    ["markup", "realm=%3Cscript%3E"],
    ["__proto__", "realm=__proto__"],
    ["a quote", "realm='"],
  ])("with %s as a realm's name", async (_, query) => {
    const page = await visit(`/login/upstream?${query}`);
    expectProblem(page, "no_sign_in");
    expect(page.headers["set-cookie"]).toBeUndefined();
    expect(page.text).not.toContain("<script>");
  });

  test.each(["HEAD", "POST", "PUT", "DELETE"])("with %s", async (method) => {
    const realmId = await realmWithUpstream();
    for (const path of [await startPath(api, realmId), "/login/upstream/callback"]) {
      const { status, headers } = await sendRequest(`${api.url}${path}`, method);
      expect([status, headers.allow, headers.location]).toEqual([405, "GET", undefined]);
    }
    expect(await api.database.owner.query(sql`select 1 from upstream_attempts where realm_id = ${realmId}`)).toEqual(
      [],
    );
  });
});

test("the realm's API shows neither the client id, the secret nor the claims", async () => {
  const realmId = await realmWithUpstream();
  await setUpstream(api, realmId, {
    issuer: upstream.url,
    clientId: "the-client-id",
    clientSecret: "the-secret",
    claims: { email: "the-claim" },
  });
  const { status, text } = await api.as.admin({ realmId }).get("/api/realm");
  expect(status).toBe(200);
  expect(text).not.toMatch(/the-client-id|the-secret|the-claim|upstream/i);
});
