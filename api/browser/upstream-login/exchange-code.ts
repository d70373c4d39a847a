import {
  authorizationCodeGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  getValidatedIdTokenClaims,
  None,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  userInfoRequest,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
} from "oauth4webapi";
import type { SignInClaims } from "../../../domain/people/vlan.ts";
import type { Attempt } from "./attempt.ts";
import type { Claims } from "./claim-rules.ts";
import { lacksClaims, withUserinfo } from "./claims-to-user.ts";
import type { Provider } from "./provider.ts";
import { UpstreamError } from "./upstream-error.ts";

export interface CodeExchange {
  provider: Provider;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** The response, accepted by `validateAuthResponse`. */
  answer: URLSearchParams;
  redirectUri: string;
  attempt: Pick<Attempt, "nonce" | "codeVerifier">;
  /** The claims that the realm needs. */
  names: SignInClaims;
}

/**
 * Exchanges a code for an id token (OpenID Connect Core sections 3.1.3.1 to 3.1.3.7, signature included). Returns the
 * token's issuer and claims, with the claims of the userinfo endpoint (section 5.3) if the realm needs them.
 */
export async function exchangeCode(exchange: CodeExchange): Promise<{ issuer: string; claims: Claims }> {
  const { provider, attempt, names } = exchange;
  const { metadata, requests } = provider;
  const client: Client = { client_id: exchange.clientId };
  const answer = await authorizationCodeGrantRequest(
    metadata,
    client,
    authenticationFor(metadata, exchange.clientSecret),
    exchange.answer,
    exchange.redirectUri,
    attempt.codeVerifier,
    requests,
  );
  const tokens = await processAuthorizationCodeResponse(metadata, client, answer, {
    expectedNonce: attempt.nonce,
    requireIdToken: true,
  });
  await provider.verifySignature(answer);
  const claims = getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new UpstreamError("upstream_bad_answer", "there is no id token");

  const { iss: issuer, sub: subject } = claims;
  const complete = metadata.userinfo_endpoint === undefined || !lacksClaims(claims, names);
  if (complete) return { issuer, claims };
  const userinfo = await askUserinfo(provider, client, { accessToken: tokens.access_token, subject });
  return { issuer, claims: withUserinfo(claims, userinfo) };
}

/** Fetches the same person's claims from userinfo; a response that is a JWT must be signed. */
async function askUserinfo(
  provider: Provider,
  client: Client,
  { accessToken, subject }: { accessToken: string; subject: string },
): Promise<Claims> {
  const { metadata, requests } = provider;
  const answer = await userInfoRequest(metadata, client, accessToken, requests);
  const userinfo = await processUserInfoResponse(metadata, client, subject, answer);
  if (/^application\/jwt\b/.test(answer.headers.get("content-type") ?? "")) await provider.verifySignature(answer);
  return userinfo;
}

/**
 * Returns how the client authenticates: with Basic, which every provider must offer (RFC 6749 section 2.3.1), or in the
 * body if the provider declares the body and not Basic; without a secret, not at all.
 */
function authenticationFor(metadata: AuthorizationServer, secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  const offered = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const wantsBody = offered.includes("client_secret_post") && !offered.includes("client_secret_basic");
  return wantsBody ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}
