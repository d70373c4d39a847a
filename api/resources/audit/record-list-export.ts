import { z } from "zod";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import { exportedLists, type ExportedList } from "../../../domain/audit/exported-lists.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { requireStaffScope } from "../../contract/access.ts";
import { Done, done, endpoint } from "../../contract/endpoint.ts";
import { actorOf } from "../../contract/principal.ts";

const scopeOf = {
  users: "user.read",
  profiles: "profile.read",
  guest_accounts: "guest.view",
  guest_profiles: "guest.view",
  infrastructure_profiles: "infrastructure.read",
  jobs: "job.read",
  applications: "application.read",
} as const satisfies Record<ExportedList, Scope>;

/** Filters whose values can name people. Their values are not recorded, because audit entries are never deleted. */
const texts: ReadonlySet<string> = new Set(["text", "email", "search"]);

export const recordListExport = endpoint({
  operation: "recordListExport",
  summary: "Record that a list is saved as a file",
  description:
    "For programs that save a list of people, profiles and the like as a file: writes the audit entry `list_export`. " +
    "Needs the scope of the list. Texts that people are searched by are recorded as `…`.",
  method: "post",
  path: "/api/audit/list-exports",
  access: "staff",
  body: z.object({
    list: z.enum(exportedLists, "there is no such list"),
    rows: z.int().min(0),
    filter: z.record(z.string().max(64), z.string().max(256)).optional().describe("The search is its `search`."),
  }),
  data: Done,
  changes: true,
  errors: [],

  async handle({ principal, body: { list, rows, filter = {} }, change, deps: { clock } }) {
    requireStaffScope(principal, scopeOf[list]);
    const recorded = Object.fromEntries(
      Object.entries(filter).map(([key, value]) => [key, texts.has(key) ? "…" : value]),
    );
    return change(async (tx) => {
      await audit.record(tx, {
        realmId: principal.realmId,
        event: "list_export",
        actor: actorOf(principal),
        at: clock.now(),
        properties: { list, rows, filter: recorded },
      });
      return done;
    });
  },
});
