import type { HeldVlan } from "../../domain/people/vlan.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as vlans from "../queries/people/vlans.ts";
import type { UserChange } from "./user-change.ts";

/**
 * Sets a person's VLANs, with the audit entry if one changes. Call in a transaction, with the person's row locked.
 */
export async function set(
  tx: Db,
  { realmId, userId, before, after, source, actor, at }: UserChange<HeldVlan, "console" | "provider">,
): Promise<void> {
  if (before.given === after.given && before.fromProvider === after.fromProvider) return;
  await vlans.update(tx, { realmId, userId, ...after });
  await audit.record(tx, {
    realmId,
    event: "user_vlan_update",
    actor,
    at,
    properties: { userID: userId, before: viewOf(before), after: viewOf(after), source },
  });
}

const viewOf = ({ given, fromProvider }: HeldVlan): HeldVlan => ({ given, fromProvider });
