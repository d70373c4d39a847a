import { z } from "zod";
import { deviceTypes, keyTypes, type DeviceType, type KeyType } from "../../domain/certificate/device.ts";
import { readSerial } from "../../domain/serial-digits.ts";
import { text } from "../../domain/text.ts";
import { roles, type Role } from "../../domain/people/roles.ts";
import { DirectoryAttribute, directoryAttributesMax } from "../../domain/people/directory-attributes.ts";
import { VlanRule, vlanRulesMax } from "../../domain/people/vlan.ts";
import { ClaimName, mayUseMax, roleRulesMax } from "../../domain/people/upstream-claims.ts";

/** Reads `on` or `off`. */
export const Switch = z.enum(["on", "off"], { error: "must be on or off" }).transform((value) => value === "on");

const iso = "must be an ISO 8601 instant, such as 2027-01-31T12:00:00Z, or a day";

/** Reads an instant with its offset from UTC, or a date, which means the beginning of that day in UTC. */
export const Instant = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: iso })
  .transform((value) => new Date(value));

/** Reads a claim and its required value: `NAME=VALUE`. */
export const ClaimValue = z
  .string()
  .refine((given) => given.includes("="), "must be a claim and a value, such as groups=wifi-admins")
  .transform((given) => {
    const at = given.indexOf("=");
    return { claim: given.slice(0, at), value: given.slice(at + 1) };
  })
  .pipe(z.object({ claim: ClaimName, value: text(1, 255) }));

/** Reads the rules for who may use the realm, each as `NAME=VALUE`. */
export const MayUse = z.array(ClaimValue).max(mayUseMax, `must be at most ${mayUseMax}`);

/** Reads the rules for people's VLANs in their order, each as `NAME=VALUE=VLAN`. */
export const VlanRules = z
  .array(
    z
      .string()
      .refine((given) => given.split("=").length > 2, "must be a claim, a value and a VLAN, such as groups=staff=30")
      .transform((given) => {
        const [from, to] = [given.indexOf("="), given.lastIndexOf("=")];
        return { claim: given.slice(0, from), value: given.slice(from + 1, to), vlan: given.slice(to + 1) };
      })
      .pipe(VlanRule),
  )
  .max(vlanRulesMax, `must be at most ${vlanRulesMax}`);

/** Reads the SCIM attributes that replace claims, each as `NAME=PATH`. */
export const DirectoryAttributes = z
  .array(
    z
      .string()
      .refine((given) => given.includes("="), "must be a claim and a SCIM attribute, such as department=department")
      .transform((given) => ({ claim: given.slice(0, given.indexOf("=")), path: given.slice(given.indexOf("=") + 1) }))
      .pipe(DirectoryAttribute),
  )
  .max(directoryAttributesMax, `must be at most ${directoryAttributesMax}`);

/** Reads the key types of kinds of devices, each as `DEVICE=TYPE`. */
export const KeyTypeOfDevices = z
  .array(
    z
      .string()
      .transform((given) => given.split("="))
      .pipe(
        z.tuple([z.enum(deviceTypes), z.enum(keyTypes)], {
          error: `must be a device type and a key type, such as Android=rsa-2048, out of ${deviceTypes.join(", ")} and ${keyTypes.join(", ")}`,
        }),
      ),
  )
  .refine(
    (given) => new Set(given.map(([device]) => device)).size === given.length,
    "must not name a device type twice",
  )
  .transform((given): Partial<Record<DeviceType, KeyType>> => Object.fromEntries(given));

/** Reads names of roles, separated by commas. */
export const RoleNames = z
  .string()
  .transform((given) => given.split(","))
  .pipe(z.array(z.enum(roles, { error: `must name roles, separated by commas, out of ${roles.join(", ")}` })));

/** Reads the rules for roles, each as `ROLE=NAME=VALUE`. */
export const RoleClaims = z
  .array(
    z
      .string()
      .refine(
        (given) => given.split("=").length > 2,
        "must be a role, a claim and a value, such as help_desk=groups=it",
      )
      .transform((given) => {
        const at = given.indexOf("=");
        return { role: given.slice(0, at), rule: given.slice(at + 1) };
      })
      .pipe(
        z.object({
          role: z.enum(roles, { error: `must begin with a role out of ${roles.join(", ")}` }),
          rule: ClaimValue,
        }),
      ),
  )
  .transform((given) => {
    const rules = new Map<Role, z.output<typeof ClaimValue>[]>();
    for (const { role, rule } of given) rules.set(role, [...(rules.get(role) ?? []), rule]);
    return Object.fromEntries(rules);
  })
  .refine(
    (rules) => Object.values(rules).every(({ length }) => length <= roleRulesMax),
    `must be at most ${roleRulesMax} for one role`,
  );

/**
 * Reads a serial number of at most 20 octets (RFC 5280 section 4.1.2.2) in any spelling of {@link readSerial}, and
 * returns its decimal digits.
 */
export const SerialNumber = z
  .string()
  .transform((given) => readSerial(given))
  .pipe(z.string("must be a serial number: decimal, 0x… or AA:BB:…"))
  .transform((digits) => BigInt(digits))
  .refine((number) => number > 0n && number < 1n << 160n, "must be positive and at most 20 octets")
  .transform(String);
