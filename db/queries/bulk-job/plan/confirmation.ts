import { isBeyondShare, kindsOfJob, type JobKind } from "../../../../domain/bulk-job/job.ts";
import type { Db } from "../../../client.ts";
import * as removals from "../../realm/removals.ts";
import { unconfirmedRemovalsMax } from "../../../../domain/limits.ts";

/**
 * Returns whether a job of the kind changes so many of the realm's people, or profiles, that a user must confirm their
 * number. For a kind that removes access, other removals within the hour count as well.
 */
export async function needsConfirmation(
  db: Db,
  { realmId, kind, expectedChange, at }: { realmId: string; kind: JobKind; expectedChange: number; at: Date },
): Promise<boolean> {
  const { confirmed, of, takesAway } = kindsOfJob[kind];
  if (!confirmed || expectedChange === 0) return false;
  const { before, sharePercent } = await removals.find(db, { realmId, at });
  const others = takesAway ? before : 0;
  if (others + expectedChange <= unconfirmedRemovalsMax) return false;
  const active = await removals.countActive(db, { of, realmId, at });
  return isBeyondShare(others + expectedChange, { active: active + others, sharePercent });
}
