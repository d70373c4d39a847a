import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { paginated } from "../../contract/endpoint.ts";
import { searchesOf, searchingByText } from "../../contract/list-search.ts";
import {
  AuditEntryView,
  auditEntryView,
  devicesIn,
  guestsIn,
  peopleIn,
} from "../../contract/views/audit-entry-view.ts";
import { DevicesView, includedDevices } from "../../contract/included-devices.ts";
import { GuestsView, includedGuests } from "../../contract/included-guests.ts";
import { includedPeople, PeopleView } from "../../contract/views/person-view.ts";
import { auditFilter } from "./audit-filter.ts";

export const listAuditEntries = paginated({
  operation: "listAuditEntries",
  summary: "The changes in the realm, and who made them",
  description:
    "With `include=people` the answer has those who acted and those whom it happened to as `people`, by userID, which needs " +
    "`user.read`. With `include=devices` it has the profiles concerned as `devices`, by serial, which needs " +
    "`profile.read`, and with `include=guests` the guest accounts concerned as `guests`, by id, which needs " +
    "`guest.view`. The search finds at most 20 people, profiles, guest accounts, applications and jobs each.",
  path: "/api/audit",
  access: "staff",
  scope: "audit.read",
  item: AuditEntryView,
  search: "whatever the filter `text` finds, as if it was that filter,",
  sort: audit.auditSortKeys,
  filter: auditFilter,
  includes: { people: PeopleView, devices: DevicesView, guests: GuestsView },
  errors: [],

  async handle(call) {
    const {
      principal,
      page,
      deps: { db, clock },
    } = call;
    const searching = { realmId: principal.realmId, at: clock.now(), ...searchesOf("audit", principal) };
    const { items, total } = await audit.list(db, { ...searching, page: searchingByText(page) });
    const [people, devices, guests] = await Promise.all([
      includedPeople(call, items.flatMap(peopleIn)),
      includedDevices(call, items.flatMap(devicesIn)),
      includedGuests(call, items.flatMap(guestsIn)),
    ]);
    return { items: items.map(auditEntryView), total, included: { ...people, ...devices, ...guests } };
  },
});
