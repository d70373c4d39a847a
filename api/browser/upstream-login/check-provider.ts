import { customFetch, type AuthorizationServer } from "oauth4webapi";
import { z } from "zod";
import { ClaimName } from "../../../domain/people/upstream-claims.ts";
import type { ApiSettings, CheckProvider } from "../../contract/deps.ts";
import { createProviders, type Provider } from "./provider.ts";
import { consoleFetch } from "./providers-of-realms.ts";
import { UpstreamError } from "./upstream-error.ts";

/** Creates a check that reads a provider's documents at each call: the provider may have changed them a moment ago. */
export const createProviderCheck = (settings: ApiSettings): CheckProvider => {
  const fetch = consoleFetch(settings);
  return async (issuer) => {
    try {
      const provider = await createProviders(fetch).find(issuer);
      await requireKeys(provider);
      return {
        found: { authorizationEndpoint: provider.authorizationEndpoint, claims: offeredClaims(provider.metadata) },
      };
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      return { fault: error.check };
    }
  };
};

const Keys = z.object({ keys: z.array(z.object({ kty: z.string() })).min(1) });

/** Throws unless the provider has a token endpoint, and keys that verify its id tokens (OpenID Connect Discovery section 3). */
async function requireKeys({ metadata, requests }: Provider): Promise<void> {
  if (metadata.token_endpoint === undefined) {
    throw new UpstreamError("upstream_bad_answer", "there is no token endpoint", { check: "document" });
  }
  const noKeys = new UpstreamError("upstream_bad_answer", "it publishes no keys", { check: "keys" });
  if (metadata.jwks_uri === undefined) throw noKeys;
  const answer = await requests[customFetch](metadata.jwks_uri, {
    method: "GET",
    headers: { accept: "application/json" },
    body: null,
  });
  const keys: unknown = await answer.json().catch(() => undefined);
  if (answer.status !== 200 || !Keys.safeParse(keys).success) throw noKeys;
}

const claimsMax = 100;

/** Returns the names of the claims that the provider lists as supported. */
const offeredClaims = ({ claims_supported: offered }: AuthorizationServer): string[] =>
  (Array.isArray(offered) ? offered : []).flatMap((name) => ClaimName.safeParse(name).data ?? []).slice(0, claimsMax);
