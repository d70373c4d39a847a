import type { Actor, AuditEvent } from "../../domain/audit.ts";
import type { Db } from "../client.ts";
import { sql } from "../sql.ts";

export interface NewAuditEntry {
  realmId: string;
  event: AuditEvent;
  actor: Actor;
  at: Date;
  /** Whom and what it is about, before and after: ids and settings, never a secret. */
  properties: Readonly<Record<string, unknown>>;
}

/** Appends one entry. Call it in the transaction of the change, so that neither is ever without the other. */
export async function record(tx: Db, { realmId, event, actor, at, properties }: NewAuditEntry): Promise<void> {
  await tx.query(sql`
    insert into audit_entries (realm_id, at, event, user_id, client_id, properties)
    values (${realmId}, ${at}, ${event}, ${actor.userId}, ${actor.clientId}, ${JSON.stringify(properties)}::jsonb)
  `);
}
