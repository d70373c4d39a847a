import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { paginated } from "../../contract/endpoint.ts";
import { AuditEntryView, auditEntryView } from "../../contract/views/audit-entry-view.ts";
import { auditFilter } from "./audit-filter.ts";

export const listAuditEntries = paginated({
  operation: "listAuditEntries",
  summary: "What was changed in the realm, and by whom",
  path: "/api/audit",
  access: "staff",
  scope: "audit.read",
  item: AuditEntryView,
  sort: audit.auditSortKeys,
  filter: auditFilter,
  errors: [],

  async handle({ principal: { realmId }, page, deps: { db } }) {
    const { items, total } = await audit.list(db, { realmId, page });
    return { items: items.map(auditEntryView), total };
  },
});
