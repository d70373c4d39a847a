import { AuthorizationResponseError, validateAuthResponse } from "oauth4webapi";
import type { PageRequest } from "../../pages/page-request.ts";
import { attemptIssuer, endAttempt, isLive, spendAttempt, type Attempt } from "./attempt.ts";
import { callbackAddress } from "./callback-address.ts";
import { openSecret, type ChosenUpstream } from "./chosen-upstream.ts";
import type { Claims } from "./claim-rules.ts";
import { exchangeCode } from "./exchange-code.ts";
import type { Provider } from "./provider.ts";
import type { ProvidersOfRealms } from "./providers-of-realms.ts";
import { wrapUpstreamErrors, reasonOf, UpstreamError, type UpstreamProblem } from "./upstream-error.ts";

/** The state that all callback requests of this process share. */
export interface Callback {
  providers: ProvidersOfRealms;
  /**
   * The `state` of each attempt that is being redeemed, so that no code is sent twice: a provider may treat a repeated
   * code as stolen, and revoke the tokens of the first request.
   */
  underWay: Set<string>;
}

/**
 * Returns the claims about the person whom the provider names. Any response to the attempt, good or bad, removes the
 * attempt from the browser; a verified response also marks the attempt as used. No other request changes the attempt,
 * and nothing is stored earlier. Throws {@link UpstreamError}.
 */
export async function readClaims(
  page: PageRequest,
  { attempt, upstream }: { attempt: Attempt; upstream: ChosenUpstream | undefined },
  { providers, underWay }: Callback,
): Promise<{ issuer: string; claims: Claims }> {
  const { deps } = page;
  const isSame = upstream !== undefined && attemptIssuer(upstream.issuer, attempt.test) === attempt.issuer;
  if (!isSame || !(await isLive(page, attempt))) throw ended();
  const provider = await providers.find(upstream);
  const { clientId, claims: names } = upstream;

  const answer = await readAnswer(page, { provider, clientId, state: attempt.state });
  endAttempt(page);
  if (answer instanceof UpstreamError) throw answer;

  const { state } = attempt;
  if (underWay.has(state)) throw ended();
  underWay.add(state);
  try {
    // Another request may have used the attempt since the check above.
    if (!(await isLive(page, attempt))) throw ended();
    const clientSecret = openSecret(deps, upstream);
    const redirectUri = callbackAddress(deps);
    const began = performance.now();
    const read = await wrapUpstreamErrors(() =>
      exchangeCode({ provider, clientId, clientSecret, answer, redirectUri, attempt, names }),
    );
    deps.metrics.upstreamAnswer("oidc", (performance.now() - began) / 1_000);
    if (!(await spendAttempt(page, attempt))) throw ended();
    return read;
  } finally {
    underWay.delete(state);
  }
}

const ended = (): UpstreamError => new UpstreamError("upstream_attempt_ended", "the attempt was used or is too old");

/**
 * Returns the response to this very attempt (RFC 6749 section 4.1.2, RFC 9207), or the error that the provider sent.
 */
const readAnswer = (
  { query }: PageRequest,
  { provider, clientId, state }: { provider: Provider; clientId: string; state: string },
): Promise<URLSearchParams | UpstreamError> =>
  wrapUpstreamErrors(() => {
    const parameters = new URLSearchParams();
    for (const [name, values] of query) for (const value of values) parameters.append(name, value);
    try {
      return validateAuthResponse(provider.metadata, { client_id: clientId }, parameters, state);
    } catch (error) {
      if (!(error instanceof AuthorizationResponseError)) throw error;
      return new UpstreamError(problems.get(error.error) ?? "upstream_bad_answer", reasonOf(error), { cause: error });
    }
  });

/** Errors that providers send instead of a code (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const problems: ReadonlyMap<string, UpstreamProblem> = new Map([
  ["access_denied", "upstream_refused"],
  ["login_required", "upstream_refused"],
  ["consent_required", "upstream_refused"],
  ["interaction_required", "upstream_refused"],
  ["account_selection_required", "upstream_refused"],
  ["temporarily_unavailable", "upstream_unreachable"],
  ["server_error", "upstream_unreachable"],
]);
