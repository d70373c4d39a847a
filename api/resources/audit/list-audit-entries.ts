import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { paginated } from "../../contract/endpoint.ts";
import { searchesOf, searchingByText, textFilter } from "../../contract/list-search.ts";
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
  search: "whatever the filter `text` finds, as if it was that filter,",
  filter: {
    ...auditFilter,
    text: textFilter("who acted, and what the entry is about: people, profiles, guest accounts, applications and jobs"),
  },
  includes: { people: PeopleView },
  errors: [],

  async handle(call) {
    const {
      principal,
      page,
      deps: { db, clock },
    } = call;
    const searching = { realmId: principal.realmId, at: clock.now(), ...searchesOf("audit", principal) };
    const { items, total } = await audit.list(db, { ...searching, page: searchingByText(page) });
    return { items: items.map(auditEntryView), total, included: await includedPeople(call, items.flatMap(peopleIn)) };
  },
});
