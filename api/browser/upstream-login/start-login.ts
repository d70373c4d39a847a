import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from "oauth4webapi";
import * as realms from "../../../db/queries/realm/realms.ts";
import type { UpstreamClaims } from "../../../domain/people/upstream-claims.ts";
import { single, type PageRequest } from "../../pages/page-request.ts";
import { sendProblem } from "../../pages/problem.tsx";
import { redirect } from "../../pages/redirect.ts";
import { readParameters, signInAddress } from "../sign-in/sign-in-request.ts";
import { beginAttempt } from "./attempt.ts";
import { callbackAddress } from "./callback-address.ts";
import type { Provider, Providers } from "./provider.ts";
import { sendUpstreamProblem } from "./upstream-problem.ts";
import { UpstreamError } from "./upstream-error.ts";

/** `GET /login/upstream`: sends the browser to the realm's identity provider (OpenID Connect Core section 3.1.2.1). */
export const startLogin =
  (providers: Providers) =>
  async (page: PageRequest): Promise<void> => {
    const { deps } = page;
    const asked = readParameters((name) => single(page, name));
    const { realmName: name } = asked;
    if (name === undefined) {
      sendProblem(page, "bad_request");
      return;
    }
    const upstream = await realms.findUpstream(deps.db, { name });
    if (upstream === undefined) {
      sendProblem(page, "no_sign_in");
      return;
    }

    const { realmId, realmName, issuer, clientId, claims } = upstream;
    let provider: Provider;
    try {
      provider = await providers.find(issuer);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      await sendUpstreamProblem(page, error, { realmId, startAgain: signInAddress(deps, asked, "/login/upstream") });
      return;
    }
    const [state, nonce, codeVerifier] = [generateRandomState(), generateRandomNonce(), generateRandomCodeVerifier()];
    const path = asked.path === undefined ? {} : { path: asked.path };
    if (!beginAttempt(page, { realmId, realmName, issuer, state, nonce, codeVerifier, ...path })) {
      sendProblem(page, "bad_request");
      return;
    }

    const address = new URL(provider.authorizationEndpoint);
    const parameters = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: callbackAddress(deps),
      scope: "openid email profile",
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      ...(asked.again ? { prompt: "login" } : {}),
      ...hostedDomainOf(claims),
    };
    for (const [parameter, value] of Object.entries(parameters)) address.searchParams.set(parameter, value);
    redirect(page, address.href);
  };

/** Makes Google offer this domain's accounts first. Only a hint: the claim decides. */
function hostedDomainOf({ mayUse = [] }: UpstreamClaims): { hd?: string } {
  const [only, ...others] = mayUse;
  return only?.claim === "hd" && others.length === 0 ? { hd: only.value } : {};
}
