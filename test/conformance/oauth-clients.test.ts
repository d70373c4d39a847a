import { generateCodeVerifier, OAuth2Client, OAuth2Fetch } from "@badgateway/oauth2-client";
import * as oauth from "oauth4webapi";
import * as client from "openid-client";
import { AuthorizationCode, ClientCredentials } from "simple-oauth2";
import { beforeAll, describe, expect, test } from "vitest";
import { sendRequest, useApi } from "../support/service/api.ts";
import { drawPkce } from "../support/given/authorization.ts";
import { createBrowserSession, formsOf, type BrowserSession, type Visit } from "../support/browser/browser-session.ts";
import {
  authJsApplication,
  omniauthApplication,
  openidConnectApplication,
  passportApplication,
} from "../support/counterparts/client-applications.ts";
import type { GivenApplication, GivenGuestAccount } from "../support/given/given.ts";
import type { Scope } from "../../domain/people/scopes.ts";
import { describeWithTool } from "../support/run/tools.ts";
import { givenLocalAccount, testPassword, type LocalAccount } from "../support/given/local-account.ts";

/**
 * Unchanged third-party client libraries use the service over HTTP. A person signs in with the form and consents with
 * the button.
 */

const redirectUri = "https://client.example/back";
const home = "https://client.example/goodbye";
const scope = "openid offline_access realm.read";

const service = useApi();
let issuer: string;
let person: LocalAccount;
let confidential: GivenApplication;
let publicClient: GivenApplication;
let machine: GivenApplication;
let guests: GivenGuestAccount;
let register: (
  url: string,
  path: string,
  settings?: { fullTokenAnswers: boolean; scopes: Scope[] },
) => Promise<GivenApplication>;

beforeAll(async () => {
  issuer = service.url;
  const { given, realmId } = service;
  const useragent = { realmId, type: "useragent" } as const;
  person = await givenLocalAccount(service, { username: "mia" });
  confidential = await given.application({ ...useragent, useClientSecret: true });
  publicClient = await given.application({ ...useragent, requirePkce: true });
  machine = await given.application({ realmId });
  guests = await given.guestAccount({ realmId });
  register = (url, path, settings) =>
    given.application({
      ...useragent,
      useClientSecret: true,
      clientUri: url,
      redirectUri: `${url}${path}`,
      ...settings,
    });
});

const api = (path: string, accessToken: string) =>
  sendRequest(`${issuer}${path}`, "GET", { headers: { authorization: `Bearer ${accessToken}` } });

const expectToWork = async (accessToken: string): Promise<void> => {
  expect(await api(`/api/user/${person.id}`, accessToken)).toMatchObject({
    status: 200,
    body: { data: { userID: person.id } },
  });
};

/** Acts as the person: signs in, consents, and is sent back to the application. */
async function walk(url: string, browser: BrowserSession = createBrowserSession(() => [issuer])): Promise<Visit> {
  const signIn = await browser.get(url);
  expect(Object.keys(formsOf(signIn)[0]?.fields ?? {})).toEqual(expect.arrayContaining(["username", "password"]));
  const consent = await browser.submit(signIn, { username: person.username, password: testPassword });
  if (consent.status !== 200 || !consent.text.includes('name="decision"')) return consent;
  return browser.submit(consent, { decision: "allow" });
}

const returned = (visit: Visit): URL => new URL(visit.headers.location ?? "");

describe("oauth4webapi", () => {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to make people think; this is loopback
  const insecure = { [oauth.allowInsecureRequests]: true };
  const discover = async (): Promise<oauth.AuthorizationServer> => {
    const answer = await oauth.discoveryRequest(new URL(issuer), insecure);
    return oauth.processDiscoveryResponse(new URL(issuer), answer);
  };

  test("a person signs in with code and PKCE, is identified, refreshes, and logs out", async () => {
    const as = await discover();
    const me: oauth.Client = { client_id: publicClient.clientId };
    const { verifier, challenge } = drawPkce();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const url = new URL(as.authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: me.client_id,
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: "S256",
    }).toString();

    const parameters = oauth.validateAuthResponse(as, me, returned(await walk(url.href)), state);
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      me,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, me, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(as, answer, insecure);
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: person.id, sid: expect.any(String) });
    await expectToWork(tokens.access_token);

    const info = await oauth.userInfoRequest(as, me, tokens.access_token, insecure);
    expect(await oauth.processUserInfoResponse(as, me, person.id, info)).toMatchObject({ sub: person.id });

    const refreshed = await oauth.refreshTokenGrantRequest(as, me, oauth.None(), tokens.refresh_token ?? "", insecure);
    const next = await oauth.processRefreshTokenResponse(as, me, refreshed);
    await oauth.validateApplicationLevelSignature(as, refreshed, insecure);
    await expectToWork(next.access_token);

    const logout = new URL(as.end_session_endpoint ?? "");
    logout.search = new URLSearchParams({
      id_token: tokens.id_token ?? "",
      client_id: me.client_id,
      logout_uri: home,
    }).toString();
    expect(await sendRequest(logout.href, "GET", {})).toMatchObject({ status: 303, headers: { location: home } });
    expect(await api("/api/realm", next.access_token)).toMatchObject({ status: 401 });
  });

  test.each([
    ["client_secret_post", oauth.ClientSecretPost],
    ["client_secret_basic", oauth.ClientSecretBasic],
  ])("by %s, a service gets a token by client credentials, introspects it and revokes it", async (_, method) => {
    const as = await discover();
    const me: oauth.Client = { client_id: machine.clientId };
    const authentication = method(machine.secret);
    const answer = await oauth.clientCredentialsGrantRequest(as, me, authentication, new URLSearchParams(), insecure);
    const { access_token: accessToken } = await oauth.processClientCredentialsResponse(as, me, answer);
    expect(await api("/api/user", accessToken)).toMatchObject({ status: 200 });

    const response = await oauth.introspectionRequest(as, me, authentication, accessToken, insecure);
    expect(await oauth.processIntrospectionResponse(as, me, response)).toMatchObject({
      active: true,
      sub: machine.clientId,
    });
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, me, authentication, accessToken, insecure));
    expect(await api("/api/user", accessToken)).toMatchObject({ status: 401 });
  });

  test("a client exchanges a guest account's token for an access token", async () => {
    const as = await discover();
    const me: oauth.Client = { client_id: "anything" };
    const parameters = new URLSearchParams({ guest_token: guests.token });
    const answer = await oauth.genericTokenEndpointRequest(as, me, oauth.None(), "guest_token", parameters, insecure);
    const { access_token: accessToken } = await oauth.processGenericTokenEndpointResponse(as, me, answer);
    expect(await api("/api/realm", accessToken)).toMatchObject({ status: 200 });
  });
});

describe("openid-client", () => {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to make people think; this is loopback
  const options = { execute: [client.allowInsecureRequests] };

  test("a person signs in with code and PKCE, is identified, refreshes, and logs out", async () => {
    const config = await client.discovery(
      new URL(issuer),
      confidential.clientId,
      confidential.secret,
      undefined,
      options,
    );
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    });
    const tokens = await client.authorizationCodeGrant(config, returned(await walk(url.href)), {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
      idTokenExpected: true,
    });
    expect(tokens.claims()).toMatchObject({ sub: person.id });
    // Token responses have no `expires_in`, as documented; clients renew on invalid_token.
    expect(tokens.expiresIn()).toBeUndefined();
    expect(await client.fetchUserInfo(config, tokens.access_token, person.id)).toMatchObject({ sub: person.id });

    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
    await expectToWork(refreshed.access_token);

    const logout = client.buildEndSessionUrl(config, {
      id_token_hint: refreshed.id_token ?? "",
      post_logout_redirect_uri: home,
    });
    expect(await sendRequest(logout.href, "GET", {})).toMatchObject({ status: 303, headers: { location: home } });
    expect(await api("/api/realm", refreshed.access_token)).toMatchObject({ status: 401 });
  });

  test("a service gets a token by client credentials, and a client gets one for a guest account's token", async () => {
    const config = await client.discovery(new URL(issuer), machine.clientId, machine.secret, undefined, options);
    const { access_token: accessToken } = await client.clientCredentialsGrant(config);
    expect(await api("/api/user", accessToken)).toMatchObject({ status: 200 });
    const guest = await client.genericGrantRequest(config, "guest_token", { guest_token: guests.token });
    expect(await api("/api/realm", guest.access_token)).toMatchObject({ status: 200 });
  });
});

describe("simple-oauth2", () => {
  const auth = () => ({ tokenHost: issuer, tokenPath: "/oauth/token", revokePath: "/oauth/revoke" });

  test("a person signs in with code and PKCE, refreshes, and revokes all tokens", async () => {
    const app = new AuthorizationCode({
      client: { id: confidential.clientId, secret: confidential.secret },
      auth: { ...auth(), authorizePath: "/oauth/authorize" },
    });
    const { verifier, challenge } = drawPkce();
    const url = app.authorizeURL({
      redirect_uri: redirectUri,
      scope,
      state: "s",
      ...{ code_challenge: challenge, code_challenge_method: "S256" },
    });
    const code = returned(await walk(url)).searchParams.get("code") ?? "";
    const token = await app.getToken({ code, redirect_uri: redirectUri, ...{ code_verifier: verifier } });
    await expectToWork(String(token.token["access_token"]));
    expect(token.expired()).toBe(false);

    const refreshed = await token.refresh();
    await expectToWork(String(refreshed.token["access_token"]));
    await token.revokeAll();
    expect(await api("/api/realm", String(refreshed.token["access_token"]))).toMatchObject({ status: 401 });
  });

  test("a service gets a token by client credentials", async () => {
    const app = new ClientCredentials({ client: { id: machine.clientId, secret: machine.secret }, auth: auth() });
    const { token } = await app.getToken({});
    expect(await api("/api/user", String(token["access_token"]))).toMatchObject({ status: 200 });
  });
});

describe("@badgateway/oauth2-client", () => {
  test("a person signs in with code and PKCE, the library renews a rejected token, and revocation signs the person out", async () => {
    const { clientId, secret: clientSecret } = confidential;
    const app = new OAuth2Client({ server: issuer, clientId, clientSecret });
    const [state, codeVerifier] = [oauth.generateRandomState(), await generateCodeVerifier()];
    const request = { redirectUri, state, codeVerifier };
    const uri = await app.authorizationCode.getAuthorizeUri({ ...request, scope: scope.split(" ") });
    const token = await app.authorizationCode.getTokenFromCodeRedirect(returned(await walk(uri)), request);
    await expectToWork(token.accessToken);

    const fetching = new OAuth2Fetch({
      client: app,
      getStoredToken: () => ({ ...token, accessToken: `${token.accessToken}x` }),
      getNewToken: () => null,
    });
    expect((await fetching.fetch(`${issuer}/api/user/${person.id}`)).status).toBe(200);
    const renewed = await fetching.getToken();
    expect(renewed.accessToken).not.toBe(`${token.accessToken}x`);
    await expectToWork(renewed.accessToken);

    await app.revoke(renewed, "refresh_token");
    expect(await api("/api/realm", renewed.accessToken)).toMatchObject({ status: 401 });
    await expect(app.refreshToken(renewed)).rejects.toMatchObject({ oauth2Code: "invalid_grant" });
  });

  test("a service gets a token by client credentials, introspects it and revokes it", async () => {
    const { clientId, secret: clientSecret } = machine;
    const app = new OAuth2Client({ server: issuer, clientId, clientSecret });
    const token = await app.clientCredentials();
    expect(await api("/api/user", token.accessToken)).toMatchObject({ status: 200 });
    expect(await app.introspect(token)).toMatchObject({ active: true, client_id: clientId });
    await app.revoke(token);
    expect(await app.introspect(token)).toEqual({ active: false });
  });
});

describe("express-openid-connect", () => {
  const code = { authorizationParams: { response_type: "code" }, idpLogout: true };
  const start = (settings: Parameters<typeof openidConnectApplication>[2], fullTokenAnswers = false) =>
    openidConnectApplication(
      issuer,
      (at) => register(at, "/callback", { fullTokenAnswers, scopes: ["openid", "offline_access"] }),
      settings,
    );

  test("with response_type code a person signs in, and signing out ends the session at the application and at the service", async () => {
    const { url } = await start(code);
    const browser = createBrowserSession(() => [issuer, url]);
    expect(JSON.parse((await walk(url, browser)).text)).toEqual({
      user: expect.objectContaining({ sub: person.id, sid: expect.any(String) }),
    });
    expect(JSON.parse((await browser.get(url)).text)).toMatchObject({ user: { sub: person.id } });

    await browser.get(`${url}/logout`);
    expect((await browser.get(`${issuer}/me`)).text).toContain('name="password"');
    expect((await browser.get(url)).text).toContain('name="password"');
  });

  test("an application registered for full token responses gets an access token, which ends when the person signs out", async () => {
    const { url } = await start(code, true);
    const browser = createBrowserSession(() => [issuer, url]);
    const { accessToken } = JSON.parse((await walk(url, browser)).text) as { accessToken: string };
    const info = () => api("/oauth/userinfo", accessToken);
    expect(await info()).toMatchObject({ status: 200, body: { sub: person.id } });
    await browser.get(`${url}/logout`);
    expect(await info()).toMatchObject({ status: 401 });
  });

  test("an application that requests offline access renews its access token", async () => {
    const authorizationParams = { response_type: "code", scope: "openid profile email offline_access" };
    const { url } = await start({ ...code, authorizationParams }, true);
    const browser = createBrowserSession(() => [issuer, url]);
    const { accessToken: first } = JSON.parse((await walk(url, browser)).text) as { accessToken: string };
    const { accessToken: second } = JSON.parse((await browser.get(`${url}/renew`)).text) as { accessToken: string };
    expect(second).not.toBe(first);
    expect(await api("/oauth/userinfo", second)).toMatchObject({ status: 200, body: { sub: person.id } });
  });

  test("an application that keeps the default, a token in the front channel, gets the error unsupported_response_type", async () => {
    const { url } = await start({});
    const { headers } = await createBrowserSession(() => [issuer]).get(url);
    expect(headers.location).toContain(`${url}/callback?error=unsupported_response_type`);
  });
});

describeWithTool(["ruby", "omniauth_openid_connect", "webrick"], "omniauth_openid_connect", () => {
  test("a person signs in with code, state and nonce, and signs out after confirming", async () => {
    const client = await register("http://127.0.0.1", "/auth/openid_connect/callback");
    const { url } = await omniauthApplication(issuer, client);
    const browser = createBrowserSession(() => [issuer, url]);
    const begun = await browser.submit(await browser.get(url), {}, { follow: false });
    const visit = await walk(begun.headers.location ?? "", browser);
    interface SignedIn {
      uid: string;
      credentials: { token: string };
    }
    const { uid, credentials } = JSON.parse(visit.text) as SignedIn;
    expect(uid).toBe(person.id);
    const info = () => api("/oauth/userinfo", credentials.token);
    expect(await info()).toMatchObject({ status: 200, body: { sub: person.id } });

    // The application does not request offline access: to renew, it signs the person in again, without any question.
    const again = JSON.parse((await browser.submit(await browser.get(url), {})).text) as SignedIn;
    expect(again.uid).toBe(person.id);
    expect(again.credentials.token).not.toBe(credentials.token);

    const question = await browser.get(`${url}/auth/openid_connect/logout`);
    expect(question.text).toContain("Sign out?");
    expect(await info()).toMatchObject({ status: 200 });
    const out = await browser.submit(question, {});
    expect(out.text).toContain("You are signed out");
    expect((await browser.get(`${issuer}/me`)).text).toContain('name="password"');
  });
});

test("passport-oauth2: a person signs in with code, state and PKCE", async () => {
  const { url } = await passportApplication(issuer, (at) => register(at, "/callback"));
  const browser = createBrowserSession(() => [issuer, url]);
  const { status, text } = await walk(url, browser);
  expect(status).toBe(200);
  const { accessToken, refreshToken } = JSON.parse(text) as { accessToken: string; refreshToken: string };
  await expectToWork(accessToken);
  expect(refreshToken).toMatch(/^rpr_/);
});

test("@auth/core: a person signs in with code, state, nonce and PKCE, and logs out", async () => {
  const { url } = await authJsApplication(issuer, (at) => register(at, "/auth/callback/realmpass"));
  const browser = createBrowserSession(() => [issuer, url]);
  const { text } = await browser.get(`${url}/auth/csrf`);
  const { csrfToken } = JSON.parse(text) as { csrfToken: string };
  const begun = await browser.post(
    `${url}/auth/signin/realmpass`,
    { csrfToken, callbackUrl: `${url}/auth/session` },
    { follow: false },
  );
  const session = JSON.parse((await walk(begun.headers.location ?? "", browser)).text) as {
    account: { providerAccountId: string; access_token: string; id_token: string };
  };
  expect(session.account.providerAccountId).toBe(person.id);
  await expectToWork(session.account.access_token);

  const logout = new URLSearchParams({
    id_token_hint: session.account.id_token,
    post_logout_redirect_uri: `${url}/auth/csrf`,
  });
  expect((await browser.get(`${issuer}/oauth/logout?${logout.toString()}`)).url).toBe(`${url}/auth/csrf`);
  expect(await api("/api/realm", session.account.access_token)).toMatchObject({ status: 401 });
});
