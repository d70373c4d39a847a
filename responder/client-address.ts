import { isIP } from "node:net";
import { parseTrustedProxies } from "../runtime/config/networks.ts";

/** Returns the client's address, as far as proxies reveal it. */
export type ClientAddress = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Creates a function that returns the last address in X-Forwarded-For that is not a trusted proxy's, if a trusted proxy
 * sends the request; otherwise the sender's address. This machine is always trusted: an API on it forwards requests.
 */
export function createClientAddress(trustedProxies: string): ClientAddress {
  const isTrusted = parseTrustedProxies(`loopback,${trustedProxies}`);

  return (remoteAddress, forwardedFor) => {
    let address = plain(remoteAddress ?? "");
    if (forwardedFor === undefined || forwardedFor.length > 1_000) return address;
    const hops = forwardedFor.split(",").map((hop) => plain(hop.trim()));
    while (isTrusted(address)) {
      const hop = hops.pop();
      if (hop === undefined || isIP(hop) === 0) break;
      address = hop;
    }
    return address;
  };
}

/** Returns an IPv4 address in IPv4 notation, even if a listener reports it as an IPv6 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
