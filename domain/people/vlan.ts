import { z } from "zod";
import { ClaimRule, type UpstreamClaims } from "./upstream-claims.ts";

/**
 * A VLAN as RADIUS writes it in Tunnel-Private-Group-Id (RFC 3580 section 3.31): an IEEE 802.1Q number, or a name
 * configured on the switches.
 */
export const Vlan = z
  .string()
  .regex(
    /^(?:[1-9]\d{0,3}|[A-Za-z][A-Za-z0-9_.-]{0,31})$/,
    "must be a number from 1 to 4094, or a name of letters, digits, - _ and .",
  )
  .refine((vlan) => !(Number(vlan) > 4094), "must be at most 4094");

/** The most VLAN rules a realm may have. */
export const vlanRulesMax = 100;

/** People with this value of a claim get this VLAN. */
export const VlanRule = ClaimRule.extend({ vlan: Vlan });
export type VlanRule = z.output<typeof VlanRule>;

/** The claims and VLAN rules that apply to a sign-in through a realm's identity provider. */
export interface SignInClaims extends UpstreamClaims {
  vlanRules?: readonly VlanRule[];
}

/** Returns a rule as people type and read it. */
export const writtenVlanRule = ({ claim, value, vlan }: VlanRule): string => `${claim}=${value}=${vlan}`;

/**
 * A person's VLANs: the VLAN set by hand, and the VLAN that the realm's rules set at the latest sign-in or update from
 * the directory. Null if not set.
 */
export interface HeldVlan {
  given: string | null;
  fromProvider: string | null;
}

/**
 * Returns the VLAN that applies: the VLAN set by hand, else by the rules, else the realm's default; null: RADIUS
 * decides.
 */
export const vlanOf = ({ given, fromProvider }: HeldVlan, realmDefault: string | null): string | null =>
  given ?? fromProvider ?? realmDefault;
