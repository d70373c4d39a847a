import { BlockList, isIP, isIPv4 } from "node:net";

/** Addresses and ranges in CIDR notation, separated by commas. Throws for what is neither. */
export function parseNetworks(text: string): BlockList {
  const networks = new BlockList();
  const parts = text.split(",").map((part) => part.trim());
  for (const part of parts.filter((each) => each !== "")) {
    const [, address = "", length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    if (isIP(address) === 0) throw new Error(`${part} is no address`);
    const most = isIPv4(address) ? 32 : 128;
    const prefix = length === undefined ? most : Number(length);
    if (prefix > most) throw new Error(`${part} is no range`);
    networks.addSubnet(address, prefix, familyOf(address));
  }
  return networks;
}

/** Whether a text is what {@link parseNetworks} reads. */
export function areNetworks(text: string): boolean {
  try {
    parseNetworks(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether an address is in one of the networks. */
export const isWithin = (networks: BlockList, address: string): boolean =>
  isIP(address) !== 0 && networks.check(address, familyOf(address));

const familyOf = (address: string): "ipv4" | "ipv6" => (isIPv4(address) ? "ipv4" : "ipv6");
