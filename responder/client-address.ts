import { isIP } from "node:net";
import { parseTrustedProxies } from "../runtime/networks.ts";

/** Answers the client's address, as far as it can be known. */
export type ClientAddress = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * The address of the client: the last one in X-Forwarded-For that is not a trusted proxy's, when the request comes from a
 * trusted proxy. This machine is always trusted: an API on it passes requests on.
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

/** An IPv4 address as it is written, also where a listener sees it as an IPv6 one. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
