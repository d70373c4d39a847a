import { z } from "zod";
import type { VlanOfUser } from "../../../db/queries/people/vlans.ts";
import { vlanOf } from "../../../domain/people/vlan.ts";

const vlan = z.string().nullable();

/** A person's VLAN on the wire. */
export const UserVlanView = z
  .object({
    vlan: vlan.describe("The VLAN of the user's devices: `given`, else `fromProvider`, else `realmDefault`."),
    given: vlan.describe("Set here."),
    fromProvider: vlan.describe("By the realm's rules, at the latest sign-in through the identity provider."),
    realmDefault: vlan.describe("Null: the RADIUS server decides."),
  })
  .meta({ id: "UserVLAN" });
export type UserVlanView = z.infer<typeof UserVlanView>;

export const userVlanView = (held: VlanOfUser): UserVlanView => ({
  vlan: vlanOf(held, held.realmDefault),
  given: held.given,
  fromProvider: held.fromProvider,
  realmDefault: held.realmDefault,
});
