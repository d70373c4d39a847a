import type { Db } from "../client.ts";
import type { ProfileRequest } from "./acceptance.ts";
import * as issuances from "../queries/issuance/issuances.ts";
import type { NewIssuance, UserRow } from "../queries/issuance/issuances.ts";
import { keyTypeFor } from "../../domain/certificate/device.ts";
import { profileRefusal, type ProfileRefusal } from "../../domain/certificate/entitlement.ts";

/**
 * Accepts a request for a user's profile, with the owner's row locked. Once committed, the request will be settled.
 * Returns the reason for a refusal; undefined if the request is accepted. Call in a transaction.
 */
export async function acceptProfile(tx: Db, wanted: ProfileRequest): Promise<ProfileRefusal | undefined> {
  const owner = await issuances.lockOwner(tx, wanted);
  if (owner === undefined) return "user_not_found";
  const refusal = profileRefusal(owner, wanted.at);
  if (refusal !== undefined) return refusal;
  await issuances.create(tx, issuanceOf(wanted, owner));
  return undefined;
}

/** Returns the row for an accepted request. */
export const issuanceOf = (wanted: ProfileRequest, owner: UserRow): NewIssuance => ({
  id: wanted.id,
  realmId: wanted.realmId,
  kind: "user",
  userId: wanted.userId,
  guestAccountId: null,
  name: wanted.name,
  description: null,
  deviceType: wanted.deviceType,
  format: wanted.format,
  keyType: keyTypeFor(wanted, owner),
  csr: wanted.csr ?? null,
  authable: wanted.allowAuth,
  validityMonths: owner.validityMonths,
  at: wanted.at,
  actor: wanted.actor,
  requestId: wanted.requestId,
  deviceHash: wanted.deviceHash ?? null,
});
