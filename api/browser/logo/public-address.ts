import { isIPv4, isIPv6 } from "node:net";
import { isWithin, parseNetworks } from "../../../runtime/networks.ts";

/**
 * IPv4 that is not everybody's (IANA's registry of special purposes, RFC 6890): this machine, private and shared
 * networks, link-local with the clouds' metadata, documentation, multicast and what is reserved. The last is the one
 * public address that a cloud answers itself.
 */
const specialIpv4 = parseNetworks(
  `0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.0.2.0/24,
   192.88.99.0/24, 192.168.0.0/16, 198.18.0.0/15, 198.51.100.0/24, 203.0.113.0/24, 224.0.0.0/4, 240.0.0.0/4,
   168.63.129.16`,
);

/** All that has been given out of IPv6 (RFC 4291 section 2.4). */
const globalIpv6 = parseNetworks("2000::/3");

/** Of that: what protocols use, documentation, and addresses that carry an IPv4 address on to somewhere else. */
const specialIpv6 = parseNetworks("2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20");

/**
 * Whether an IP address is on the public Internet. Anything but the usual way to write one is no address here: others
 * read more into it.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !isWithin(specialIpv4, address);
  return isIPv6(address) && !address.includes("%") && isWithin(globalIpv6, address) && !isWithin(specialIpv6, address);
}
