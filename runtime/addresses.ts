import type { Config } from "./config.ts";

type AddressConfig = Partial<
  Config<"PORT" | "REALMPASS_BASE_URL" | "REALMPASS_AUTH_URL" | "REALMPASS_PUBLICATION_URL" | "REALMPASS_TLS_URL">
>;

/** The address that clients reach the API under, without a slash at its end. */
export const baseUrl = ({ REALMPASS_BASE_URL, PORT = 3000 }: AddressConfig): string =>
  REALMPASS_BASE_URL ?? `http://localhost:${PORT}`;

/** The address of the authorization server, which is the issuer of its tokens. */
export const authUrl = (config: AddressConfig): string => config.REALMPASS_AUTH_URL ?? baseUrl(config);

/** Where identity providers send people back to, below the address of the authorization server. */
export const upstreamCallbackPath = "/login/upstream/callback";

/** The plain http address that certificates point to (RFC 5280 section 8: no https there, or checking it would need itself). */
export const publicationUrl = (config: AddressConfig): string =>
  config.REALMPASS_PUBLICATION_URL ?? baseUrl(config).replace(/^https:/, "http:");

/** The address of our own TLS listener, which asks for client certificates. */
export const tlsUrl = (config: AddressConfig, port: number): string =>
  config.REALMPASS_TLS_URL ?? `https://${new URL(authUrl(config)).hostname}:${port}`;
