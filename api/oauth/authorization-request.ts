import * as applications from "../../db/queries/oauth/applications.ts";
import type { Application } from "../../db/queries/oauth/applications.ts";
import type { Db } from "../../db/client.ts";
import { claimScopes, type Scope } from "../../domain/people/scopes.ts";
import { fitsRedirectUri } from "../../domain/uris.ts";
import type { Problem } from "../pages/problem.tsx";
import { AuthorizationError } from "./authorization-error.ts";
import { readScope } from "./scope.ts";

export type Query = ReadonlyMap<string, readonly string[]>;

/** A client and the requested redirect URI, which fits one of the client's registered URIs. */
export interface AuthorizationClient {
  application: Application;
  /** The requested redirect URI, as sent. */
  redirectUri: string;
  /** The registered redirect URI that `redirectUri` fits. */
  registeredUri: string;
  /** As sent, to be returned unchanged; undefined if it was missing, empty or repeated. */
  state: string | undefined;
}

export interface AuthorizationRequest extends AuthorizationClient {
  scopes: readonly Scope[];
  nonce: string | undefined;
  codeChallenge: string | undefined;
  prompt: ReadonlySet<string>;
  maxAgeSeconds: number | undefined;
}

/** Longer values are refused. */
const valueLengthMax = 4096;

/**
 * Returns the client and its redirect URI (RFC 6749 section 3.1.2.4), or the problem to show to the user. Problems are
 * never sent to the redirect URI, as an attacker may have chosen it.
 */
export async function readClient(db: Db, query: Query): Promise<AuthorizationClient | Problem> {
  if (isTooLong(query)) return "bad_request";
  const clientId = onlyOne(query, "client_id");
  const application = clientId === undefined ? undefined : await applications.find(db, { clientId });
  if (application?.active !== true || application.type !== "useragent") return "unknown_client";
  const redirectUri = onlyOne(query, "redirect_uri");
  const registeredUri = application.redirectUris.find((uri) => fitsRedirectUri(redirectUri ?? "", uri));
  if (redirectUri === undefined || registeredUri === undefined) return "redirect_mismatch";
  return { application, redirectUri, registeredUri, state: onlyOne(query, "state") };
}

/** Returns whether a parameter is longer than the service accepts. */
export const isTooLong = (query: Query): boolean =>
  [...query.values()].flat().some((value) => value.length > valueLengthMax);

/** Validates the rest of a request, one check after the other. Throws {@link AuthorizationError}. */
export function readRequest(client: AuthorizationClient, query: Query): AuthorizationRequest {
  refuseRepeated(query);
  refuseUnsupported(query);
  return {
    ...client,
    scopes: readScopes(client.application, query),
    nonce: onlyOne(query, "nonce"),
    codeChallenge: readCodeChallenge(query, { isRequired: client.application.requirePkce }),
    prompt: readPrompt(query),
    maxAgeSeconds: readMaxAge(query),
  };
}

/** Returns the value of a parameter; undefined if it is missing, empty (RFC 6749 section 3.1) or repeated. */
export function onlyOne(query: Query, name: string): string | undefined {
  const [value, ...more] = query.get(name) ?? [];
  return value === "" || more.length > 0 ? undefined : value;
}

/** Throws {@link AuthorizationError} if a parameter is repeated. */
export function refuseRepeated(query: Query): void {
  for (const values of query.values()) {
    if (values.length > 1) throw new AuthorizationError("invalid_request", "A parameter occurs twice.");
  }
}

/**
 * Throws {@link AuthorizationError} unless the request asks for a code in the query and uses neither request objects
 * nor registration.
 */
export function refuseUnsupported(query: Query): void {
  if (onlyOne(query, "request") !== undefined) throw new AuthorizationError("request_not_supported");
  if (onlyOne(query, "request_uri") !== undefined) throw new AuthorizationError("request_uri_not_supported");
  if (onlyOne(query, "registration") !== undefined) throw new AuthorizationError("registration_not_supported");

  const responseType = onlyOne(query, "response_type");
  if (responseType === undefined) {
    throw new AuthorizationError("invalid_request", "The parameter response_type is missing.");
  }
  if (responseType !== "code") throw new AuthorizationError("unsupported_response_type");
  if ((onlyOne(query, "response_mode") ?? "query") !== "query") {
    throw new AuthorizationError("invalid_request", "The only response_mode is query.");
  }
}

function readScopes({ scopes }: Application, query: Query): readonly Scope[] {
  const granted = readScope(onlyOne(query, "scope"), scopes, claimScopes);
  if (granted === undefined) throw new AuthorizationError("invalid_scope");
  return granted;
}

/**
 * Reads the code challenge (RFC 7636). Accepts only S256: `plain` does not protect against the attacks that PKCE is for
 * (RFC 9700 section 2.1.1).
 */
export function readCodeChallenge(query: Query, { isRequired }: { isRequired: boolean }): string | undefined {
  const challenge = onlyOne(query, "code_challenge");
  const method = onlyOne(query, "code_challenge_method");
  if (challenge === undefined && method === undefined) {
    if (isRequired) throw new AuthorizationError("invalid_request", "This client has to use PKCE with S256.");
    return undefined;
  }
  if (method !== "S256") throw new AuthorizationError("invalid_request", "The only code_challenge_method is S256.");
  if (challenge === undefined || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new AuthorizationError("invalid_request", "The code_challenge is not the base64url of a SHA-256.");
  }
  return challenge;
}

/**
 * Returns the values of `prompt` (OpenID Connect Core section 3.1.2.1). Unknown values have no effect. Throws {@link
 * AuthorizationError} if `none` is not the only value.
 */
export function readPrompt(query: Query): ReadonlySet<string> {
  const prompt = new Set((onlyOne(query, "prompt") ?? "").split(" ").filter((value) => value !== ""));
  if (prompt.has("none") && prompt.size > 1) {
    throw new AuthorizationError("invalid_request", "The prompt none stands alone.");
  }
  return prompt;
}

function readMaxAge(query: Query): number | undefined {
  const text = onlyOne(query, "max_age");
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,10}$/.test(text))
    throw new AuthorizationError("invalid_request", "The max_age is not a number of seconds.");
  return Number(text);
}
