import { z } from "zod";

/** An absolute http(s) URI (RFC 3986 section 4.3). */
export const WebUri = z.string().refine(isWebUri, "must be an absolute http(s) URI");

/**
 * A redirect URI: https, http on the user's own machine (RFC 8252 section 7.3), or the application's own scheme, which
 * must contain a dot (section 7.1). It has no fragment (RFC 6749 section 3.1.2).
 */
export const RedirectUri = z
  .string()
  .refine(
    isRedirectUri,
    "must be an https URI, http on localhost, or have a scheme of its own such as com.example.app:/",
  );

/**
 * An issuer identifier (OpenID Connect Discovery section 2): https without query or fragment; http on this machine, for
 * trials.
 */
export const UpstreamIssuer = z
  .string()
  .refine((uri) => isSafeWebUri(uri) && !/[?#]/.test(uri), "must be an https URI without ? and #");

/** Microsoft's tenant for personal accounts, and the names that stand for it or for many tenants. */
const openTenants = ["9188040d-6c67-4c5b-b112-36a304b66dad", "common", "consumers", "organizations"];

/**
 * Identity providers that are open to the public: Google, Apple, and Microsoft for personal accounts or for more than
 * one tenant.
 */
const openIssuers: ReadonlySet<string> = new Set([
  "https://accounts.google.com",
  "https://appleid.apple.com",
  ...openTenants.flatMap((tenant) => [
    `https://login.microsoftonline.com/${tenant}`,
    `https://login.microsoftonline.com/${tenant}/v2.0`,
  ]),
]);

/** Whether an issuer is open to the public, so that signing in there proves nothing about who may use a realm. */
export const isOpenIssuer = (issuer: string): boolean =>
  URL.canParse(issuer) && openIssuers.has(new URL(issuer).href.toLowerCase().replace(/\/+$/, ""));

/** Whether a host, as `URL.hostname` returns it, is this machine (RFC 6761 section 6.3, RFC 5735 section 3). */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

/** An http address on a loopback IP address: its host, and its path and query. */
const loopbackUri = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?((?:[/?].*)?)$/;

/**
 * Whether a client may be sent back to this address: it must equal the registered address. On a loopback IP address the
 * port may differ (RFC 8252 section 7.3).
 */
export function fitsRedirectUri(asked: string, registered: string): boolean {
  if (asked === registered) return true;
  const [one, other] = [asked, registered].map((uri) => loopbackUri.exec(uri)?.slice(1).join(" "));
  return one !== undefined && one === other && isRedirectUri(asked);
}

/**
 * Parses a URI of printable ASCII. The parser would also accept spaces, line ends and similar characters, which a byte
 * comparison does not tolerate.
 */
const parseUri = (uri: string): URL | undefined =>
  /^[!-~]{1,2000}$/.test(uri) && !uri.includes("\\") && URL.canParse(uri) ? new URL(uri) : undefined;

/** Whether a text is an absolute http(s) URI without a user name or password. */
export function isWebUri(uri: string): boolean {
  const url = parseUri(uri);
  return url !== undefined && /^https?:\/\//i.test(uri) && url.username === "" && url.password === "";
}

/**
 * Whether a text is a mailto: URI with one address and no header fields (RFC 6068), so that only the user decides what
 * to write.
 */
export const isMailUri = (uri: string): boolean =>
  uri.length <= 320 && /^mailto:[\w.!#$'*+/=^`{|}~-]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(uri);

/** Whether a text is an https address, or an http address on this machine. */
export const isSafeWebUri = (uri: string): boolean => isWebUri(uri) && isSafeWeb(new URL(uri));

const isSafeWeb = (url: URL): boolean => url.protocol === "https:" || isLoopbackHost(url.hostname);

function isRedirectUri(uri: string): boolean {
  const url = parseUri(uri);
  if (url === undefined || uri.includes("#")) return false;
  if (url.protocol === "http:" || url.protocol === "https:") return isWebUri(uri) && isSafeWeb(url);
  return /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/.test(url.protocol);
}
