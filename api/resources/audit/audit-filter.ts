import { z } from "zod";
import type { AuditSearchFilter } from "../../../db/queries/audit/audit-entries.ts";
import { auditEvents } from "../../../domain/audit/audit.ts";
import type { AuditSubject } from "../../../db/queries/audit/audit-subjects.ts";
import { AuditEntryID, BulkJobID, ClientID, GuestAccountID, SerialNumber, UserID } from "../../../domain/ids.ts";
import { filters } from "../../contract/filters.ts";
import { textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";

/** The subject of an entry: `user:64`, `profile:SERIAL`, `guest:5` or `application:CLIENT`. */
const Subject = z.string().transform((text, context): AuditSubject => {
  const [, kind, id] = /^(user|profile|guest|application):(.+)$/s.exec(text) ?? [];
  const read = kind === undefined ? undefined : subjectIds[kind as keyof typeof subjectIds].safeParse(id);
  if (read?.success === true) return `${kind as keyof typeof subjectIds}:${read.data}`;
  context.addIssue({ code: "custom", message: "must be user:ID, profile:SERIAL, guest:ID or application:CLIENT" });
  return z.NEVER;
});

const subjectIds = { user: UserID, profile: SerialNumber, guest: GuestAccountID, application: ClientID } as const;

/** The filters of the audit log, in the list and in the export. */
export const auditFilter: ListOptions<AuditSearchFilter, never>["filter"] = {
  event: filters.list(z.enum(auditEvents, "there is no such event")),
  minDate: filters.instant,
  maxDate: filters.instant,
  user: UserID,
  client: filters.text,
  about: filters.list(Subject),
  id: filters.list(AuditEntryID),
  job: BulkJobID.describe("Entries about this bulk job, and all that it wrote."),
  jobSteps: filters.flag.describe(
    "`false`: each bulk job is one entry, the one of its end or, until then, of its beginning. Default: all entries.",
  ),
  text: textFilter(
    "who acted, and what the entry is about: people, profiles, guest accounts, applications and jobs; also ids of jobs and entries, and whole serial numbers, which need no further scope",
  ),
};
