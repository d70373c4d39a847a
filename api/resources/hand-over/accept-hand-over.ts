import type { Db } from "../../../db/client.ts";
import * as profiles from "../../../db/operations/accept-profile.ts";
import * as replacement from "../../../db/operations/replacement.ts";
import type { HandOver } from "../../../db/queries/issuance/hand-overs.ts";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import type { GuestProfileRefusal, ProfileRefusal } from "../../../domain/certificate/entitlement.ts";
import { acceptGuestProfile } from "../guest-profile/accept-guest-profile.ts";

/** Why a further profile can be refused. */
export type Objection = ProfileRefusal | GuestProfileRefusal;

/** The request for the profile of a hand-over. */
export interface HandOverRequest {
  id: string;
  format: CertificateFormat;
  /** The application that asks on the owner's behalf; null: the owner's browser. */
  clientId: string | null;
  at: Date;
  /** For the log. */
  requestId: string;
}

/**
 * Accepts the profile that a hand-over permits, with the owner's row locked: once committed, the request will be
 * finished. Returns the reason of a refusal; undefined if the request is accepted. Call in the transaction that uses
 * the hand-over, and roll that transaction back after a refusal.
 */
export function acceptHandOver(
  tx: Db,
  { realmId, userId, guestAccountId, name, deviceType, deviceHash, renewsSerialNumber }: HandOver,
  { clientId, ...wanted }: HandOverRequest,
): Promise<Objection | undefined> {
  const device = { ...wanted, deviceType };
  if (userId === null) return acceptGuestProfile(tx, { realmId, guestAccountId, ...device });
  const request = { realmId, userId, name, allowAuth: false, actor: { userId, clientId }, ...device, deviceHash };
  return renewsSerialNumber === null
    ? profiles.acceptProfile(tx, request)
    : replacement.acceptReplacement(tx, { ...request, renews: renewsSerialNumber });
}
