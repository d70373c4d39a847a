import type { Actor } from "../../domain/audit/audit.ts";
import { isBeyondShare } from "../../domain/bulk-job/job.ts";
import { unconfirmedRemovalsMax } from "../../domain/limits.ts";
import type { Db } from "../client.ts";
import * as audit from "../queries/audit/audit-entries.ts";
import * as held from "../queries/bulk-job/run/held.ts";
import * as certificates from "../queries/certificates/certificates.ts";
import * as scimUsers from "../queries/people/scim-users.ts";
import type { LockedUser } from "../queries/people/users.ts";
import * as removals from "../queries/realm/removals.ts";
import * as offboarding from "./offboarding.ts";

/**
 * The result of a deactivation. `revoked`: the person is offboarded. `held`: the person is locked out but keeps their
 * devices until a person confirms the job; `isFirst`: this deactivation created the job. `unchanged`: the person was
 * offboarded before.
 */
export type Leaving = { outcome: "revoked" | "unchanged" } | { outcome: "held"; jobId: string; isFirst: boolean };

/**
 * Offboards a person whom their directory has deactivated. A faulty directory may deactivate everybody, and revocation
 * is permanent: once a further person would exceed the realm's share within an hour, this person and the next ones are
 * held and keep their devices. While there is a held job, everybody with a device joins it until a person decides.
 * People without a device lose nothing and are never held. `jobId` is for a new held job. Call in a transaction, with
 * the user's row locked as `found`.
 */
export async function leave(
  tx: Db,
  {
    realmId,
    userId,
    found,
    jobId,
    requestId,
    actor,
    at,
    also,
  }: {
    realmId: string;
    userId: string;
    found: LockedUser;
    jobId: string;
    requestId: string;
    actor: Actor;
    at: Date;
    also: Readonly<Record<string, unknown>>;
  },
): Promise<Leaving> {
  if (found.offboardedAt !== null) return { outcome: "unchanged" };
  const leaver = { realmId, userId, actor, at, also };
  const profiles = await certificates.listActiveOfUser(tx, { realmId, userId, at });
  if (profiles.length === 0) {
    await offboarding.offboard(tx, { ...leaver, reason: offboarding.offboardingReason });
    return { outcome: "revoked" };
  }

  await scimUsers.lockGuard(tx, realmId);
  const open = await held.lockOpen(tx, { realmId });
  if (open === undefined && !(await isBeyond(tx, { realmId, at }))) {
    await offboarding.offboard(tx, { ...leaver, reason: offboarding.offboardingReason });
    await scimUsers.setOffboardedAt(tx, { realmId, userId, at });
    await removals.add(tx, { realmId, count: 1, at });
    return { outcome: "revoked" };
  }
  if (open === undefined) {
    await held.create(tx, { realmId, jobId, actor, at, requestId });
    await audit.record(tx, {
      realmId,
      event: "job_create",
      actor,
      at,
      properties: { job: jobId, kind: "offboarding", dryRun: false, origin: "scim" },
    });
    await audit.record(tx, { realmId, event: "scim_hold", actor, at, properties: { job: jobId } });
  }
  const job = open ?? jobId;
  const serials = profiles.map(({ serialNumber }) => serialNumber);
  await offboarding.hold(tx, { ...leaver, jobId: job, found, serials });
  return { outcome: "held", jobId: job, isFirst: open === undefined };
}

/**
 * Returns whether one more person would exceed the realm's share; false until {@link unconfirmedRemovalsMax} people
 * have been removed.
 */
async function isBeyond(tx: Db, { realmId, at }: { realmId: string; at: Date }): Promise<boolean> {
  const { revoked, sharePercent } = await scimUsers.countRevoked(tx, { realmId, at });
  if (revoked < unconfirmedRemovalsMax) return false;
  const active = await removals.countActive(tx, { of: "people", realmId, at });
  return isBeyondShare(revoked + 1, { active: active + revoked, sharePercent });
}
