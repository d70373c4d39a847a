import { isIPv4, isIPv6 } from "node:net";
import { isWithin, parseNetworks } from "./config/networks.ts";

/**
 * IPv4 addresses that are not public (IANA's special-purpose registry, RFC 6890): this machine, private and shared
 * networks, link-local with the clouds' metadata, documentation, benchmarks, 6to4 relays, multicast and reserved
 * addresses. The last entry is a public address at which a cloud itself responds.
 */
const specialIpv4 = parseNetworks(
  `0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24,
   192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4,
   168.63.129.16`,
);

/** The range from which IANA allocates public IPv6 addresses (RFC 4291 section 2.4). */
const globalIpv6 = parseNetworks("2000::/3");

/**
 * Exceptions to {@link globalIpv6}: protocol assignments, documentation, and addresses that embed an IPv4 address to
 * forward to.
 */
const specialIpv6 = parseNetworks("2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20");

/**
 * Returns whether an IP address is on the public Internet. Accepts only the usual notation: other programs may read
 * unusual notations differently.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !isWithin(specialIpv4, address);
  return isIPv6(address) && !address.includes("%") && isWithin(globalIpv6, address) && !isWithin(specialIpv6, address);
}
