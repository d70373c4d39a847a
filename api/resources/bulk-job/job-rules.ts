import type { Db } from "../../../db/client.ts";
import * as access from "../../../db/queries/bulk-job/access.ts";
import type { Job } from "../../../db/queries/bulk-job/jobs.ts";
import { profileScope, scopesOfJob } from "../../../domain/bulk-job/job.ts";
import { scheduledDaysMax } from "../../../domain/lifetimes.ts";
import { hasStaffScope, requireStaffScope, type PrincipalFor } from "../../contract/access.ts";
import type { Fail } from "../../contract/endpoint.ts";
import { hasMade } from "../../contract/principal.ts";

/** Explains why a job in its grace period can be neither stopped nor changed. */
export const graceDescription =
  "Everybody in this job is already locked out, and their devices go offline later. An undo lets them in again.";

/** Describes the scopes that every action on a job needs in addition to the scope for jobs. */
export const scopesDescription =
  "Needs the scopes of what the job does: `user.modify`, `user.delete` or `profile.delete`, and `profile.create` where rows ask for profiles.";

/** Throws unless the caller has the scopes for what a job does. */
export async function requireScopesOf(
  db: Db,
  principal: PrincipalFor["staff"],
  { id, kind, hasOutput }: Job,
): Promise<void> {
  const profiles = hasOutput || (await access.asksForProfiles(db, id));
  for (const scope of scopesOfJob(kind, { profiles })) requireStaffScope(principal, scope);
}

/** Fails if a job is scheduled further ahead than allowed. */
export function requireNear(executeAt: Date | null, at: Date, fail: Fail<"invalid_request">): void {
  if (executeAt === null || executeAt.getTime() - at.getTime() <= scheduledDaysMax * 24 * 3_600_000) return;
  throw fail("invalid_request", {
    fields: [{ path: "executeAt", reason: `must be within ${scheduledDaysMax} days` }],
  });
}

/**
 * Returns true if the caller may read a job's files and keys: only its creator may, through the same client and with
 * the scope for creating profiles.
 */
export const mayReadOutput = (principal: PrincipalFor["staff"], job: Job): boolean =>
  hasMade(principal, job) && hasStaffScope(principal, profileScope);
