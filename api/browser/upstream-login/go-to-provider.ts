import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from "oauth4webapi";
import type { UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import type { PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { redirect } from "../../pages/redirect.ts";
import { attemptIssuer, beginAttempt } from "./attempt.ts";
import { callbackAddress } from "./callback-address.ts";
import type { ChosenUpstream } from "./chosen-upstream.ts";
import type { Provider } from "./provider.ts";

export interface Journey {
  upstream: ChosenUpstream;
  provider: Provider;
  /** The person signs in again, even if the provider knows the browser. */
  again: boolean;
  /** The service's path to continue at. */
  path?: string | undefined;
  /** Set if the attempt is a test. */
  test?: string;
}

/**
 * Sends the browser to the identity provider (OpenID Connect Core section 3.1.2.1), and stores the attempt in the
 * browser.
 */
export async function goToProvider(page: PageRequest, journey: Journey): Promise<void> {
  const { upstream, provider, again, path, test } = journey;
  const { realmId, realmName, clientId, claims } = upstream;
  const [state, nonce, codeVerifier] = [generateRandomState(), generateRandomNonce(), generateRandomCodeVerifier()];
  const attempt = {
    realmId,
    realmName,
    issuer: attemptIssuer(upstream.issuer, test),
    state,
    nonce,
    codeVerifier,
    ...(path !== undefined && { path }),
    ...(test !== undefined && { test }),
  };
  if (!beginAttempt(page, attempt)) {
    sendProblem(page, "bad_request");
    return;
  }
  const address = new URL(provider.authorizationEndpoint);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: callbackAddress(page.deps),
    scope: "openid email profile",
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    ...(again ? { prompt: "login" } : {}),
    ...hostedDomainOf(claims),
  };
  for (const [parameter, value] of Object.entries(parameters)) address.searchParams.set(parameter, value);
  redirect(page, address.href);
}

/**
 * Returns the parameter that makes Google first offer the accounts of the domain in the realm's only rule. It is only a
 * hint: the `hd` claim decides.
 */
function hostedDomainOf({ mayUse = [] }: UpstreamClaims): { hd?: string } {
  const [only, ...others] = mayUse;
  return only?.claim === "hd" && others.length === 0 ? { hd: only.value } : {};
}
