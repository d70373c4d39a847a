import type { components } from "../../contract-types/api-types.ts";

type UserVlan = components["schemas"]["UserVLAN"];

/** Returns a sentence with a person's VLAN and the source of that VLAN. */
export function userVlanText(pairwiseID: string, { given, fromProvider, realmDefault }: UserVlan): string {
  if (given !== null) return `${pairwiseID}: VLAN ${given}, set by hand.`;
  if (fromProvider !== null) return `${pairwiseID}: VLAN ${fromProvider}, by the realm's rules.`;
  if (realmDefault !== null) return `${pairwiseID}: VLAN ${realmDefault}, the realm's default.`;
  return `${pairwiseID}: no VLAN; the RADIUS server decides.`;
}
