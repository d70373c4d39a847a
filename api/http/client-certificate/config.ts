import { createSecureContext } from "node:tls";
import { tlsUrl } from "../../../runtime/config/addresses.ts";
import { ConfigError, type Config } from "../../../runtime/config/config.ts";
import { parseNetworks } from "../../../runtime/config/networks.ts";

export interface TlsListenerOptions {
  port: number;
  /** PEM, the listener's own certificate first. */
  certificate: string;
  /** PEM. */
  key: string;
}

export interface ClientCertificateSettings {
  /** The header in which a trusted proxy forwards a client's certificate. */
  header?: string;
  /** The address of our own TLS listener, without a trailing slash. */
  listenerUrl?: string;
}

type ListenerConfig = Config<"REALMPASS_TLS_PORT" | "REALMPASS_TLS_CERTIFICATE" | "REALMPASS_TLS_KEY">;
type HeaderConfig = Parameters<typeof tlsUrl>[0] &
  Config<"REALMPASS_CLIENT_CERTIFICATE_HEADER" | "REALMPASS_TRUSTED_PROXIES">;

/**
 * Returns the TLS listener of a configuration, if any. Throws a {@link ConfigError} if it is incomplete or cannot work.
 */
export function tlsListenerOf(config: ListenerConfig): TlsListenerOptions | undefined {
  const { REALMPASS_TLS_PORT: port, REALMPASS_TLS_CERTIFICATE: certificate, REALMPASS_TLS_KEY: key } = config;
  if (port === undefined && certificate === undefined && key === undefined) return undefined;
  if (port === undefined || certificate === undefined || key === undefined) {
    throw new ConfigError([
      "REALMPASS_TLS_PORT: the TLS listener needs REALMPASS_TLS_PORT, REALMPASS_TLS_CERTIFICATE and REALMPASS_TLS_KEY",
    ]);
  }
  try {
    createSecureContext({ cert: certificate, key });
  } catch (cause) {
    const fault = cause instanceof Error && "code" in cause ? String(cause.code) : "unreadable";
    throw new ConfigError([`REALMPASS_TLS_CERTIFICATE: cannot be used with REALMPASS_TLS_KEY (${fault})`]);
  }
  return { port, certificate, key };
}

/**
 * Returns where users sign in with profiles, if anywhere. Throws a {@link ConfigError} for a header without a trusted
 * proxy.
 */
export function clientCertificatesOf(
  config: HeaderConfig,
  tlsPort: number | undefined,
): ClientCertificateSettings | undefined {
  const { REALMPASS_CLIENT_CERTIFICATE_HEADER: header, REALMPASS_TRUSTED_PROXIES: proxies } = config;
  if (header !== undefined && parseNetworks(proxies).isEmpty) {
    throw new ConfigError(["REALMPASS_CLIENT_CERTIFICATE_HEADER: it is trusted only from REALMPASS_TRUSTED_PROXIES"]);
  }
  if (header === undefined && tlsPort === undefined) return undefined;
  return {
    ...(header !== undefined && { header }),
    ...(tlsPort !== undefined && { listenerUrl: tlsUrl(config, tlsPort) }),
  };
}
