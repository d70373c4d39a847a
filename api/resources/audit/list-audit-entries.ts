import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { paginated } from "../../contract/endpoint.ts";
import { AuditEntryView, auditEntryView, peopleIn } from "../../contract/views/audit-entry-view.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";
import { auditFilter } from "./audit-filter.ts";

export const listAuditEntries = paginated({
  operation: "listAuditEntries",
  summary: "The changes in the realm, and who made them",
  description:
    "With `include=people` the answer has those who acted and those whom it happened to as `people`, by userID, which needs " +
    "`user.read`.",
  path: "/api/audit",
  access: "staff",
  scope: "audit.read",
  item: AuditEntryView,
  sort: audit.auditSortKeys,
  filter: auditFilter,
  includes: { people: PeopleView },
  errors: [],

  async handle(call) {
    const {
      principal: { realmId },
      page,
      deps: { db },
    } = call;
    const { items, total } = await audit.list(db, { realmId, page });
    return { items: items.map(auditEntryView), total, included: await includedPeople(call, items.flatMap(peopleIn)) };
  },
});
