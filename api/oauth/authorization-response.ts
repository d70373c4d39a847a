import type { Response } from "express";
import type { Deps } from "../contract/deps.ts";
import type { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationClient } from "./authorization-request.ts";

/** Redirects the browser back with a code (RFC 6749 section 4.1.2). */
export const sendCode = (deps: Deps, response: Response, client: AuthorizationClient, code: string): void => {
  sendBack(response, client, { code, ...ourIssuer(deps) });
};

/** Redirects the browser back with an error (section 4.1.2.1). */
export const sendAuthorizationError = (
  deps: Deps,
  response: Response,
  client: AuthorizationClient,
  error: AuthorizationError,
): void => {
  sendBack(response, client, { ...describedError(error), ...ourIssuer(deps) });
};

/** Returns the `iss` parameter of a response (RFC 9207). */
const ourIssuer = ({ settings }: Deps): { iss: string } => ({ iss: settings.authUrl });

/** Returns the parameters of an error (section 4.1.2.1). */
export const describedError = (error: AuthorizationError): Record<string, string> => ({
  error: error.code,
  error_description: error.message,
});

/**
 * Redirects to the request's redirect URI, with that URI's own query and the state as sent. 303: the browser must not
 * post our form again (RFC 9700 section 4.12).
 */
export function sendBack(
  response: Response,
  { redirectUri, state }: Pick<AuthorizationClient, "redirectUri" | "state">,
  { iss, ...parameters }: Record<string, string>,
): void {
  const added = new URLSearchParams({
    ...parameters,
    ...(state === undefined ? {} : { state }),
    ...(iss === undefined ? {} : { iss }),
  }).toString();
  const separator = !redirectUri.includes("?") ? "?" : /[?&]$/.test(redirectUri) ? "" : "&";
  response.statusCode = 303;
  response.setHeader("Location", `${redirectUri}${separator}${added}`);
  response.end();
}
