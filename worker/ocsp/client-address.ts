import { BlockList, isIP } from "node:net";

/** Answers who asked, in so far as it can be known. */
export type ClientAddress = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/** Names for ranges, the same as the API knows. */
const namedRanges: Record<string, readonly string[]> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/**
 * The address of whoever asked: the last one of X-Forwarded-For that is no proxy's, when the request comes from a trusted
 * proxy. This machine is always trusted: an API on it passes requests on.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const range of ["loopback", ...trustedProxies].flatMap((each) => namedRanges[each] ?? [each])) {
    const [address = "", prefix] = range.split("/");
    const family = isIP(address);
    if (family === 0) continue;
    const length = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix);
    if (Number.isInteger(length) && length >= 0 && length <= (family === 4 ? 32 : 128)) {
      trusted.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
    }
  }
  const isTrusted = (address: string): boolean => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 4 ? "ipv4" : "ipv6");
  };

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
