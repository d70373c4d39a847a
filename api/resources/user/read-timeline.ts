import { z } from "zod";
import type { Db } from "../../../db/client.ts";
import type { TimelineRow } from "../../../db/queries/audit/timeline.ts";
import * as activity from "../../../db/queries/certificates/profile-activity.ts";
import { isTimelineType, timelineDetail, type TimelineType } from "../../../domain/audit/timeline.ts";
import type { Scope } from "../../../domain/people/scopes.ts";
import { filters } from "../../contract/filters.ts";
import { hasStaffScope, type PrincipalFor } from "../../contract/access.ts";
import type { TimelineItemView } from "../../contract/views/timeline-view.ts";
import * as people from "../../../db/queries/people/people.ts";
import { UserID } from "../../../domain/ids.ts";
import { nameOf, readActors } from "../profile/acted-by.ts";

/** The query parameters of a timeline. */
export const timelineQuery = z.object({
  before: filters.instant.optional().describe("Only earlier events. Default: all."),
  limit: z.coerce
    .number("must be a whole number from 1 to 200")
    .int()
    .min(1)
    .max(200)
    .default(50)
    .describe("Events at the same instant as the last one are added."),
});

/** Later than anything that has happened. */
export const endOfTime = new Date("9999-12-31T00:00:00.000Z");

/** Returns a timeline's rows in the API's format. */
export async function timelineItems(
  db: Db,
  {
    rows,
    ownerId,
    principal,
  }: { rows: readonly TimelineRow[]; ownerId: string | null; principal: PrincipalFor["staff"] },
): Promise<TimelineItemView[]> {
  const { realmId } = principal;
  const serialOf = ({ type, serialNumber }: TimelineRow): string | null => {
    const scope = scopeOfSerial(type);
    return scope === undefined || hasStaffScope(principal, scope) ? serialNumber : null;
  };
  const serialNumbers = rows.flatMap((row) => serialOf(row) ?? []);
  const concerned = rows.map((row) => otherPerson(row, ownerId)).filter((id) => id !== null);
  const userIds = hasStaffScope(principal, "user.read") ? [...new Set(concerned)] : [];
  const [nameActor, found, names] = await Promise.all([
    readActors(db, { principal, actors: rows }),
    userIds.length === 0 ? [] : people.listByIds(db, { realmId, userIds }),
    activity.namesOfProfiles(db, { realmId, serialNumbers: [...new Set(serialNumbers)] }),
  ]);
  const nameById = new Map(found.map((person) => [person.id, nameOf(person)]));
  return rows.flatMap((row): TimelineItemView[] => {
    const { at, type, auditId, properties } = row;
    const serialNumber = serialOf(row);
    const userID = otherPerson(row, ownerId);
    // A newer version of the service wrote this entry.
    if (!isTimelineType(type)) return [];
    return [
      {
        at: at.toISOString(),
        type,
        by: auditId === null ? null : nameActor(row, { ownerId, unrecorded: whoElse(type, properties ?? {}) }),
        about: userID === null ? null : { userID, name: nameById.get(userID) ?? null },
        serial: serialNumber,
        name: serialNumber === null ? null : (names.get(serialNumber) ?? null),
        auditID: auditId,
        detail: detailOf(row),
      },
    ];
  });
}

/** Returns the userID of the person concerned, if that person is not the owner of the timeline. */
function otherPerson({ properties }: TimelineRow, ownerId: string | null): string | null {
  const id = UserID.safeParse(properties?.["userID"] ?? properties?.["user"]).data;
  return id === undefined || id === ownerId ? null : id;
}

/**
 * Returns the scope for seeing the profile of a server or guest. Such profiles occur in the timeline of the person who
 * made or revoked them.
 */
function scopeOfSerial(type: string): Scope | undefined {
  if (type.startsWith("infrastructure_profile_")) return "infrastructure.read";
  return type.startsWith("guest_profile_") ? "guest.view" : undefined;
}

function detailOf({ type, error, properties, isAbout }: TimelineRow): Record<string, unknown> {
  if (type === "profile_check") return { result: error ?? "good" };
  if (type === "issuance_fail") return { error };
  return properties !== null && isAbout ? timelineDetail(properties) : {};
}

/**
 * Returns the actor of an entry that records none: the service for jobs and upkeep, a guest for their own profiles,
 * otherwise the operator.
 */
function whoElse(
  type: TimelineType,
  { replayed, reason, job, unfetched }: Readonly<Record<string, unknown>>,
): "operator" | "service" | "owner" {
  if (type === "guest_profile_create") return "owner";
  if (type === "user_forget" || type === "crl_publish" || job !== undefined || unfetched !== undefined)
    return "service";
  const isUpkeep = (type === "profile_revoke" && reason === 4) || (type === "guest_profile_revoke" && reason === 5);
  return isUpkeep && replayed === undefined ? "service" : "operator";
}
