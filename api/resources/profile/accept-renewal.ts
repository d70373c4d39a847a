import type { Db } from "../../../db/client.ts";
import type { ProfileRequest } from "../../../db/operations/acceptance.ts";
import * as certificates from "../../../db/queries/certificates/certificates.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { Renewal } from "../../../db/queries/issuance/issuances.ts";
import { profileRefusal, type ProfileRefusal } from "../../../domain/certificate/entitlement.ts";
import { isRenewable } from "../../../domain/certificate/renewal.ts";
import { renewalHoursMax } from "../../../domain/lifetimes.ts";
import { issuanceOf } from "./accept-profile.ts";

/** Why a renewal is refused. */
export type RenewalRefusal = ProfileRefusal | "not_renewable" | "renewed_already";

/**
 * Accepts a request for a profile that replaces another one, as {@link acceptProfile} does. The old one must be the
 * user's own, active, near its end, and not renewed within a day. The limit may be exceeded by one, since both are
 * active until the old one is revoked.
 */
export async function acceptRenewal(
  tx: Db,
  { renews, ...wanted }: ProfileRequest & { renews: string },
): Promise<RenewalRefusal | undefined> {
  const { realmId, userId, at } = wanted;
  const owner = await issuances.lockOwner(tx, wanted);
  if (owner === undefined) return "user_not_found";
  const refusal = profileRefusal(owner, at, { replaces: true });
  if (refusal !== undefined) return refusal;

  const old = await certificates.findOfUser(tx, { realmId, userId, serialNumber: renews });
  if (old === undefined || !isRenewable(old, at)) return "not_renewable";
  const renewals = await issuances.listRenewalsOfUser(tx, { userId });
  if (isRenewedLately(renewals, old, at)) return "renewed_already";

  const beyondLimit = profileRefusal(owner, at) === "profile_limit_reached";
  const renewal = { certificateId: old.id, beyondLimit };
  await issuances.create(tx, { ...issuanceOf(wanted, owner), renewal });
  return undefined;
}

/** Returns true if a profile was renewed within a day: another renewal has to wait. */
export const isRenewedLately = (renewals: readonly Renewal[], { id }: { id: string }, at: Date): boolean =>
  renewals.some(
    ({ certificateId, createdAt }) =>
      certificateId === id && at.getTime() - createdAt.getTime() < renewalHoursMax * 3_600_000,
  );
