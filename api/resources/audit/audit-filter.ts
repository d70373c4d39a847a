import { z } from "zod";
import type { AuditFilter } from "../../../db/queries/audit/audit-entries.ts";
import { auditEvents } from "../../../domain/audit.ts";
import { UserID } from "../../../domain/ids.ts";
import { filters } from "../../contract/filters.ts";
import type { ListOptions } from "../../contract/paging.ts";

/** What the audit log can be filtered by, in the list and in the export. */
export const auditFilter: ListOptions<AuditFilter, never>["filter"] = {
  event: filters.list(z.enum(auditEvents, "there is no such event")),
  minDate: filters.instant,
  maxDate: filters.instant,
  user: UserID,
  client: filters.text,
};
