import type { Config } from "./config.ts";

type AddressConfig = Partial<
  Config<"PORT" | "REALMPASS_BASE_URL" | "REALMPASS_AUTH_URL" | "REALMPASS_PUBLICATION_URL" | "REALMPASS_TLS_URL">
>;

/** Returns the API's address for clients, without a slash at its end. */
export const baseUrl = ({ REALMPASS_BASE_URL, PORT = 3000 }: AddressConfig): string =>
  REALMPASS_BASE_URL ?? `http://localhost:${PORT}`;

/** Returns the address of the authorization server, which is the issuer of its tokens. */
export const authUrl = (config: AddressConfig): string => config.REALMPASS_AUTH_URL ?? baseUrl(config);

/** The path below the authorization server at which a sign-in through an identity provider begins. */
export const upstreamStartPath = "/login/upstream";

/** Path below the authorization server to which identity providers redirect users. */
export const upstreamCallbackPath = "/login/upstream/callback";

/**
 * Returns the plain http address in certificates. RFC 5280 section 8 rules out https: checking the certificate of an
 * https server would need this address.
 */
export const publicationUrl = (config: AddressConfig): string =>
  config.REALMPASS_PUBLICATION_URL ?? baseUrl(config).replace(/^https:/, "http:");

/** Returns the address of our own TLS listener, which requests client certificates. */
export const tlsUrl = (config: AddressConfig, port: number): string =>
  config.REALMPASS_TLS_URL ?? `https://${new URL(authUrl(config)).hostname}:${port}`;
