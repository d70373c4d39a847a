import type { Response } from "express";
import type { Deps } from "../contract/deps.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationClient } from "./authorization-request.ts";

/** Redirects the browser back with a code (RFC 6749 section 4.1.2). */
export const sendCode = (deps: Deps, response: Response, client: AuthorizationClient, code: string): void => {
  sendBack(deps, response, client, { code });
};

/** Redirects the browser back with an error (section 4.1.2.1). */
export const sendAuthorizationError = (
  deps: Deps,
  response: Response,
  client: AuthorizationClient,
  error: AuthorizationError,
): void => {
  sendBack(deps, response, client, { error: error.code, error_description: error.message });
};

/**
 * Redirects to the address of the request, with its own query, the state as sent and our issuer (RFC 9207). 303: the
 * browser must not post our form again (RFC 9700 section 4.12).
 */
function sendBack(
  { settings }: Deps,
  response: Response,
  { redirectUri, state }: AuthorizationClient,
  parameters: Record<string, string>,
): void {
  const added = new URLSearchParams({
    ...parameters,
    ...(state === undefined ? {} : { state }),
    iss: settings.authUrl,
  }).toString();
  const separator = !redirectUri.includes("?") ? "?" : /[?&]$/.test(redirectUri) ? "" : "&";
  response.statusCode = 303;
  response.setHeader("Location", `${redirectUri}${separator}${added}`);
  response.end();
}
