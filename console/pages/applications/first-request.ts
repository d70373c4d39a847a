import { authorizeUrl, tokenUrl } from "./oauth-addresses.ts";

/** Quotes a text as one word of a POSIX shell. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Joins the parts of one command over several lines. */
const lines = (parts: readonly string[]): string => parts.join(" \\\n  ");

/**
 * Returns the command that gets a service's first token. curl prompts for the secret, so the secret does not appear in
 * the shell history or the process list.
 */
export const serviceCommand = (clientId: string): string =>
  lines([`curl -s -u ${quoted(clientId)}`, "-d grant_type=client_credentials", quoted(tokenUrl())]);

/** The state, PKCE verifier and challenge of an authorization request (RFC 7636). */
export interface Proof {
  state: string;
  verifier: string;
  challenge: string;
}

export async function drawProof(): Promise<Proof> {
  const verifier = base64Url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const state = base64Url(crypto.getRandomValues(new Uint8Array(16)));
  return { state, verifier, challenge: base64Url(new Uint8Array(digest)) };
}

interface Useragent {
  clientId: string;
  redirectUri: string;
  useClientSecret: boolean;
}

/** Returns the address of the authorization request that a client sends the browser to. */
export const signInAddress = ({ clientId, redirectUri }: Useragent, { state, challenge }: Proof): string =>
  `${authorizeUrl()}?${new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  }).toString()}`;

/** Returns the command that exchanges the authorization code for tokens. If there is a secret, curl prompts for it. */
export const exchangeCommand = ({ clientId, redirectUri, useClientSecret }: Useragent, { verifier }: Proof): string =>
  lines([
    `curl -s ${useClientSecret ? `-u ${quoted(clientId)}` : `-d client_id=${quoted(clientId)}`}`,
    "-d grant_type=authorization_code",
    `--data-urlencode ${quoted(`redirect_uri=${redirectUri}`)}`,
    `-d code_verifier=${quoted(verifier)}`,
    "-d code=CODE",
    quoted(tokenUrl()),
  ]);

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
