import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/**
 * Ranges of addresses. An IPv4-mapped IPv6 address (RFC 4291) counts as its IPv4 address, and no other IPv6 range
 * contains it.
 */
export interface Networks {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
  readonly isEmpty: boolean;
}

/** Names for ranges, as in Express. */
const namedRanges = new Map<string, readonly string[]>([
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["linklocal", ["169.254.0.0/16", "fe80::/10"]],
  ["uniquelocal", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/**
 * Reads addresses, ranges in CIDR notation (for IPv4 also with a netmask) and the names loopback, linklocal and
 * uniquelocal, separated by commas. Throws an error that lists all invalid parts.
 */
export const parseNetworks = (text: string): Networks => networksOf(text, readRange);

/**
 * Returns a function that checks whether an address is a trusted proxy's. The text has the form of {@link
 * parseNetworks}, without ranges that contain every address: with them, each sender could choose its apparent address.
 */
export function parseTrustedProxies(text: string): (address: string) => boolean {
  const proxies = networksOf(text, (part) => {
    const range = readRange(part);
    if (range.prefix === (range.mapped ? ipv4MappedPrefix : 0)) throw new Error("every address would be a proxy's");
    return range;
  });
  return (address) => isWithin(proxies, address);
}

/**
 * The response header of the discovery document if the api does not trust the proxy before it. Doctor looks for this
 * header; a client without a proxy gets it only if the client sends X-Forwarded-For itself.
 */
export const untrustedProxyHeader = "x-untrusted-proxy";

/** Returns whether an address is in one of the networks. Ignores a zone (RFC 4007). */
export function isWithin({ ipv4, ipv6 }: Networks, address: string): boolean {
  if (isIPv4(address)) return ipv4.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  return isMapped(address) ? ipv4.check(address, "ipv6") : ipv6.check(address, "ipv6");
}

interface Range {
  address: string;
  family: "ipv4" | "ipv6";
  prefix: number;
  mapped: boolean;
}

function networksOf(text: string, read: (part: string) => Range): Networks {
  const ipv4 = new BlockList();
  const ipv6 = new BlockList();
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const faults: string[] = [];
  for (const part of parts) {
    try {
      for (const { address, family, prefix, mapped } of (namedRanges.get(part) ?? [part]).map(read)) {
        (mapped || family === "ipv4" ? ipv4 : ipv6).addSubnet(address, prefix, family);
      }
    } catch (error) {
      faults.push(`${JSON.stringify(part)}: ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new Error(faults.join("; "));
  return { ipv4, ipv6, isEmpty: parts.length === 0 };
}

function readRange(part: string): Range {
  const [, address = "", length] = /^([^/]+)(?:\/(.*))?$/.exec(part) ?? [];
  if (isIP(address) === 0) {
    throw new Error("must be an IP address, a range in CIDR notation, loopback, linklocal or uniquelocal");
  }
  if (address.includes("%")) throw new Error("must be without a zone");
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const mapped = isMapped(address);
  const prefixMin = mapped ? ipv4MappedPrefix : 0;
  const prefixMax = family === "ipv4" ? 32 : 128;
  const prefix = length === undefined ? prefixMax : readPrefix(length, family);
  if (prefix === undefined || prefix < prefixMin || prefix > prefixMax) {
    throw new Error(`the length of its prefix must be from ${prefixMin} to ${prefixMax}`);
  }
  return { address, family, prefix, mapped };
}

/** Returns the length of a prefix, given as a number or as an IPv4 netmask; undefined for any other text. */
function readPrefix(text: string, family: Range["family"]): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  if (family !== "ipv4" || !isIPv4(text)) return undefined;
  const bits = text
    .split(".")
    .map((octet) => Number(octet).toString(2).padStart(8, "0"))
    .join("");
  return /^1*0*$/.test(bits) ? bits.replaceAll("0", "").length : undefined;
}

const ipv4MappedPrefix = 96;
const everyIpv4 = new BlockList();
everyIpv4.addSubnet("0.0.0.0", 0, "ipv4");

/** Returns whether an address is IPv4-mapped: a {@link BlockList} of IPv4 ranges also finds such addresses. */
const isMapped = (address: string): boolean => isIPv6(address) && everyIpv4.check(address, "ipv6");
