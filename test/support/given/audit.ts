import { sql } from "../../../db/sql.ts";
import type { TestDatabase } from "../run/database.ts";

export interface AuditRow {
  event: string;
  userId: string | null;
  clientId: string | null;
  properties: Record<string, unknown>;
}

/** Returns the audit entries whose property has this value, in the order in which they were written. */
export const auditOf = (
  { owner }: TestDatabase,
  property: "userID" | "clientID" | "sid" | "serial" | "guestAccountID" | "issuerID",
  value: string,
): Promise<AuditRow[]> =>
  owner.query<AuditRow>(sql`
    select event, user_id as "userId", client_id as "clientId", properties
      from audit_entries
     where properties ->> ${property} = ${value}
     order by id
  `);
