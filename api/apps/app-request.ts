import { findOnboardingApp, fitsOnboardingApp, type OnboardingApp } from "../../domain/onboarding-apps.ts";
import { AuthorizationError } from "../oauth/authorization-error.ts";
import {
  isTooLong,
  onlyOne,
  readCodeChallenge,
  readPrompt,
  refuseRepeated,
  refuseUnsupported,
  type Query,
} from "../oauth/authorization-request.ts";
import type { Problem } from "../pages/problem.tsx";

/** The app that sent an authorization request, and the redirect URI where the user returns. */
export interface AppClient {
  app: OnboardingApp;
  /** As sent. */
  redirectUri: string;
  /** As sent, to be returned unchanged; undefined if there was none. */
  state: string | undefined;
}

/** A validated authorization request of an app. */
export interface AppRequest extends AppClient {
  codeChallenge: string;
}

/**
 * Returns the app, or the problem to show to the user. Problems are never sent to the redirect URI, as an attacker may
 * have chosen it.
 */
export function readAppClient(query: Query): AppClient | Problem {
  if (isTooLong(query)) return "bad_request";
  const app = findOnboardingApp(onlyOne(query, "client_id"));
  if (app === undefined) return "unknown_client";
  const redirectUri = onlyOne(query, "redirect_uri");
  if (redirectUri === undefined || !fitsOnboardingApp(app, redirectUri)) return "redirect_mismatch";
  return { app, redirectUri, state: onlyOne(query, "state") };
}

/** The only scope: it permits fetching one file. */
const fileScope = "eap-metadata";

/** Validates the rest of a request, one check after the other. Throws {@link AuthorizationError}. */
export function readAppRequest(client: AppClient, query: Query): AppRequest {
  refuseRepeated(query);
  refuseUnsupported(query);
  if ((onlyOne(query, "scope") ?? fileScope) !== fileScope) {
    throw new AuthorizationError("invalid_scope", `The only scope is ${fileScope}.`);
  }
  const codeChallenge = readCodeChallenge(query, { isRequired: true });
  if (codeChallenge === undefined) throw new AuthorizationError("invalid_request");
  // The user must consent every time.
  if (readPrompt(query).has("none")) throw new AuthorizationError("consent_required");
  return { ...client, codeChallenge };
}
