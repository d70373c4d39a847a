import type { Db } from "../../db/client.ts";
import * as auditEntries from "../../db/queries/audit/audit-entries.ts";
import * as realms from "../../db/queries/realm/realms.ts";
import { operatorActor } from "../../domain/audit/audit.ts";

/** Records in the audit log of each realm that a secret of the installation was replaced. Call in a transaction. */
export async function recordReplacement(
  tx: Db,
  { at, ...properties }: { secret: string; checkValue: string | null; forgotten?: true; at: Date },
): Promise<void> {
  for (const { id: realmId } of await realms.list(tx)) {
    await auditEntries.record(tx, { realmId, event: "secret_replace", actor: operatorActor, at, properties });
  }
}
