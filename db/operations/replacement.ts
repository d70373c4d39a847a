import { limitOf, profileRefusal, type ProfileRefusal, type UserState } from "../../domain/certificate/entitlement.ts";
import { revocationReasons } from "../../domain/certificate/revocation.ts";
import type { Db } from "../client.ts";
import * as replacing from "../queries/certificates/replacing.ts";
import * as issuances from "../queries/issuance/issuances.ts";
import * as profiles from "./accept-profile.ts";
import type { ProfileRequest } from "./acceptance.ts";
import * as revocations from "./revocations.ts";

/** The profile of a user that a new profile replaces. */
interface Wanted {
  realmId: string;
  userId: string;
  /** The serial number of the profile to replace. */
  renews: string;
  at: Date;
}

/**
 * Accepts, as {@link acceptProfile} does, a request for a profile that replaces another profile of the user, whatever
 * its age, or the newest successor of that profile. If none of them is active, nothing is replaced: the new profile is
 * for a new device. While both profiles are active, the user may exceed the limit by one. If there is no room, profiles
 * that were replaced before are revoked now, oldest first.
 */
export async function acceptReplacement(
  tx: Db,
  { renews, ...request }: ProfileRequest & { renews: string },
): Promise<ProfileRefusal | undefined> {
  const { realmId, userId, at } = request;
  const owner = await issuances.lockOwner(tx, request);
  if (owner === undefined) return "user_not_found";
  const { refusal, old, ended } = await plan(tx, owner, { realmId, userId, renews, at });
  if (refusal !== undefined) return refusal;
  if (ended.length > 0) {
    await revocations.revokeMany(tx, {
      realmId,
      serialNumbers: ended.map(({ serialNumber }) => serialNumber),
      kind: "user",
      reason: revocationReasons.superseded,
      actor: { userId: null, clientId: null },
      at,
    });
  }
  await issuances.create(tx, { ...profiles.issuanceOf(request, owner), renewsCertificateId: old?.id });
  return undefined;
}

/** Returns why {@link acceptReplacement} would refuse now, for display: the result may change a moment later. */
export const replacementRefusal = async (
  db: Db,
  owner: UserState,
  wanted: Wanted,
): Promise<Exclude<ProfileRefusal, "user_not_found"> | undefined> => (await plan(db, owner, wanted)).refusal;

/** Returns the reason for a refusal, if any, the profile to replace, and the profiles to revoke to make room. */
async function plan(db: Db, owner: UserState, { realmId, userId, renews, at }: Wanted) {
  const old = await replacing.findReplaceable(db, { realmId, userId, serialNumber: renews, at });
  if (old === undefined) return { refusal: profileRefusal(owner, at), old, ended: [] };
  const replaced = await replacing.listReplaced(db, { realmId, userId, at });
  const excess = Math.max(0, owner.count - limitOf(owner));
  const ended = replaced.filter(({ id }) => id !== old.id).slice(0, excess);
  const refusal = profileRefusal({ ...owner, count: owner.count - ended.length }, at, { replaces: true });
  return { refusal, old, ended };
}
