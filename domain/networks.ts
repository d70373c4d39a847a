import { z } from "zod";

const networksMax = 64;

/** An IP address, or a network in CIDR notation (RFC 4632, RFC 4291 section 2.3). */
const AddressOrNetwork = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: "must be an IP address or a network in CIDR notation, such as 192.0.2.0/28",
  })
  .refine((written) => !/\/0+$/.test(written), "must not be every address")
  .refine((written) => !/^[0:]*:ffff:/i.test(written), "must be written as an IPv4 address");

/**
 * Addresses and networks: those of a realm's RADIUS servers, or those from which a static token is accepted; an empty
 * list means every address.
 */
export const Networks = z
  .array(AddressOrNetwork)
  .max(networksMax, `must be given at most ${networksMax} times`)
  .refine(
    (written) => new Set(written.map((one) => one.toLowerCase())).size === written.length,
    "must not name an address twice",
  );
