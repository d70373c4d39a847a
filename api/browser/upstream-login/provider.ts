import {
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  JSON_ATTRIBUTE_COMPARISON,
  KEY_SELECTION,
  OperationProcessingError,
  processDiscoveryResponse,
  validateApplicationLevelSignature,
  type AuthorizationServer,
} from "oauth4webapi";
import { isSafeWebUri } from "../../../domain/uris.ts";
import { reasonOf, wrapUpstreamErrors, UpstreamError } from "./upstream-error.ts";
import type { UpstreamFetch } from "./upstream-fetch.ts";

/** Request options for oauth4webapi. Our own fetch decides which addresses may use http. */
export interface RequestOptions {
  [customFetch]: UpstreamFetch;
  [allowInsecureRequests]: true;
}

/** An identity provider, as its own documents describe it. */
export interface Provider {
  metadata: AuthorizationServer;
  /** Where users are sent to sign in. */
  authorizationEndpoint: string;
  requests: RequestOptions;
  /** Throws unless the JWT read from `answer` is signed with one of the provider's keys. */
  verifySignature(answer: Response): Promise<void>;
}

export interface Providers {
  /** Returns the provider with this issuer identifier. Throws {@link UpstreamError}. */
  find(issuer: string): Promise<Provider>;
}

/** How long each process reuses a provider's documents. */
const metadataMs = 5 * 60_000;

/** A token with an unknown key makes us read the keys again, but no more often than this. */
const unknownKeyMs = 10_000;

/** Finds identity providers by their discovery documents (OpenID Connect Discovery section 4), fetched when needed. */
export function createProviders(fetch: UpstreamFetch): Providers {
  const known = new Map<string, { readAt: number; provider: Promise<Provider> }>();
  return {
    find(issuer) {
      const found = known.get(issuer);
      if (found !== undefined && performance.now() - found.readAt < metadataMs) return found.provider;
      const provider = wrapUpstreamErrors(() => discover(issuer, fetch));
      known.set(issuer, { readAt: performance.now(), provider });
      // Failures are not cached: the next user's attempt fetches again.
      provider.catch(() => {
        if (known.get(issuer)?.provider === provider) known.delete(issuer);
      });
      return provider;
    },
  };
}

async function discover(issuer: string, fetch: UpstreamFetch): Promise<Provider> {
  const requests: RequestOptions = { [customFetch]: fetch, [allowInsecureRequests]: true };
  const metadata = await readMetadata(new URL(issuer), requests);
  const { authorization_endpoint: authorizationEndpoint } = metadata;
  if (typeof authorizationEndpoint !== "string" || !isSafeWebUri(authorizationEndpoint)) {
    throw new UpstreamError("upstream_bad_answer", "the authorization endpoint is no https address", {
      check: "document",
    });
  }
  return { metadata, authorizationEndpoint, requests, verifySignature: signatureVerifier(metadata, requests) };
}

async function readMetadata(issuer: URL, requests: RequestOptions): Promise<AuthorizationServer> {
  const answer = await discoveryRequest(issuer, requests);
  try {
    return await processDiscoveryResponse(issuer, answer);
  } catch (cause) {
    const isOther = cause instanceof OperationProcessingError && cause.code === JSON_ATTRIBUTE_COMPARISON;
    throw new UpstreamError("upstream_bad_answer", reasonOf(cause), { cause, check: isOther ? "issuer" : "document" });
  }
}

/**
 * Returns a function that verifies signatures. oauth4webapi caches keys for five minutes per metadata object; a new
 * object makes it read the keys again.
 */
function signatureVerifier(metadata: AuthorizationServer, requests: RequestOptions): Provider["verifySignature"] {
  let keysOf = metadata;
  let readAgainAt = -Infinity;
  return async (answer) => {
    try {
      await validateApplicationLevelSignature(keysOf, answer, requests);
    } catch (error) {
      const now = performance.now();
      const unknownKey = error instanceof OperationProcessingError && error.code === KEY_SELECTION;
      if (!unknownKey || now - readAgainAt < unknownKeyMs) throw error;
      readAgainAt = now;
      keysOf = { ...metadata };
      await validateApplicationLevelSignature(keysOf, answer, requests);
    }
  };
}
