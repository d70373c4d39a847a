import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { expect, test } from "vitest";
import { useApi } from "../../../../support/service/api.ts";
import { useUpstreamProvider } from "../../../../support/counterparts/upstream-provider.ts";
import { browserOf, setUpstream, signedInUser } from "./upstream-login-support.ts";

const api = useApi();
const upstream = useUpstreamProvider({ redirectUri: () => `${api.url}/login/upstream/callback` });
const redirectUri = "https://client.example/back";

test("an application signs in a user through the realm's identity provider, from the first request to the tokens", async () => {
  const realmId = await api.given.realm();
  const { url: issuer, clientId, clientSecret } = upstream;
  await setUpstream(api, realmId, { issuer, clientId, clientSecret });
  const application = await api.given.application({ realmId, type: "useragent", redirectUri });
  upstream.signsIn({ sub: "ada", email: "ada@example.org", name: "Ada" });

  const client = await discovery(new URL(api.url), application.clientId, undefined, None(), {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so to make people think; this is loopback
    execute: [allowInsecureRequests],
  });
  const [pkceCodeVerifier, expectedState, expectedNonce] = [randomPKCECodeVerifier(), randomState(), randomNonce()];
  const address = buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    scope: "openid offline_access",
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });

  const browser = browserOf(api, () => upstream.url);
  const consent = await browser.get(address.href);
  expect(consent.url).toMatch(new RegExp(`^${api.url}/oauth/authorize\\?`));
  const { location = "" } = (await browser.submit(consent, { decision: "allow" })).headers;

  const tokens = await authorizationCodeGrant(client, new URL(location), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
  const user = await signedInUser(api, browser);
  expect(user).toMatchObject({ realmId, pairwiseId: "ada", method: "upstream" });
  expect(tokens.claims()?.sub).toBe(user?.id);
  const userinfo = await fetchUserInfo(client, tokens.access_token, tokens.claims()?.sub ?? "");
  expect(userinfo.sub).toBe(tokens.claims()?.sub);

  const again = await browser.get(address.href, { follow: false });
  expect(again.headers.location).toMatch(/^https:\/\/client\.example\/back\?code=/);
});

test("an application that requires a new sign-in gets one at the identity provider", async () => {
  const realmId = await api.given.realm();
  const { url: issuer, clientId, clientSecret } = upstream;
  await setUpstream(api, realmId, { issuer, clientId, clientSecret });
  const application = await api.given.application({ realmId, type: "useragent", redirectUri, firstParty: true });
  upstream.signsIn({ sub: "grace" });
  const browser = browserOf(api, () => upstream.url);
  const authorize = (parameters: Record<string, string>) =>
    browser.get(
      `${api.url}/oauth/authorize?${new URLSearchParams({
        response_type: "code",
        client_id: application.clientId,
        redirect_uri: redirectUri,
        ...parameters,
      }).toString()}`,
    );

  const before = upstream.asked;
  for (const parameters of [{}, {}, { prompt: "login" }]) {
    expect((await authorize(parameters)).headers.location).toMatch(/^https:\/\/client\.example\/back\?code=/);
  }
  expect(upstream.asked - before).toBe(2);
});
