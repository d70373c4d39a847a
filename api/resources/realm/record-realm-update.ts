import * as audit from "../../../db/queries/audit/audit-entries.ts";
import type { Db } from "../../../db/client.ts";
import { differences } from "../../contract/audit-changes.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";

type Settings = Readonly<Record<string, unknown>>;

/**
 * Records the changed settings of the caller's realm, before and after, in the audit log. Records nothing if no setting
 * changed.
 */
export async function recordRealmUpdate(
  tx: Db,
  { principal, at, before, after }: { principal: Principal; at: Date; before: Settings; after: Settings },
): Promise<void> {
  const changes = differences(before, after);
  if (changes === undefined) return;
  await audit.record(tx, {
    realmId: principal.realmId,
    event: "realm_update",
    actor: actorOf(principal),
    at,
    properties: { ...changes },
  });
}
