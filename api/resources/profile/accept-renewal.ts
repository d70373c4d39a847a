import type { Db } from "../../../db/client.ts";
import { findOfUser } from "../../../db/queries/certificates/certificates.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { Renewal } from "../../../db/queries/issuance/issuances.ts";
import { isRenewable, renewalHoursMax } from "../../../domain/renewal.ts";
import { issuanceOf, type WantedProfile } from "./accept-profile.ts";
import { objectionTo, type ProfileObjection } from "./profile-creation.ts";

/** What can stand against a renewal. */
export type RenewalObjection = ProfileObjection | "not_renewable" | "renewed_already";

/**
 * Accepts a request for a profile that takes another one's place, as {@link acceptProfile} does. The other one must be the
 * user's own, active, near its end, and not renewed within a day; the limit may be exceeded by one, since both are active
 * until the old one is revoked.
 */
export async function acceptRenewal(
  tx: Db,
  { renews, ...wanted }: WantedProfile & { renews: string },
): Promise<RenewalObjection | undefined> {
  const { realmId, userId, at } = wanted;
  const owner = await issuances.lockOwner(tx, wanted);
  const objection = objectionTo(owner && { ...owner, limit: owner.limit + 1 }, at);
  if (owner === undefined || objection !== undefined) return objection ?? "user_not_found";

  const old = await findOfUser(tx, { realmId, userId, serialNumber: renews });
  if (old === undefined || !isRenewable(old, at)) return "not_renewable";
  const renewals = await issuances.listRenewalsOfUser(tx, { userId });
  if (isRenewedLately(renewals, old, at)) return "renewed_already";

  const renewal = { certificateId: old.id, beyondLimit: owner.count >= owner.limit };
  await issuances.create(tx, { ...issuanceOf(wanted, owner), renewal });
  return undefined;
}

/** Whether a profile has been renewed within a day: another renewal has to wait. */
export const isRenewedLately = (renewals: readonly Renewal[], { id }: { id: string }, at: Date): boolean =>
  renewals.some(
    ({ certificateId, createdAt }) =>
      certificateId === id && at.getTime() - createdAt.getTime() < renewalHoursMax * 3_600_000,
  );
