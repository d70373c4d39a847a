import type { Db } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import { keyTypeFor, type DeviceType, type KeyType } from "../../../domain/certificate/device.ts";
import { profileRefusal, type GuestProfileRefusal } from "../../../domain/certificate/entitlement.ts";

/** A guest's request for a profile. */
export interface WantedGuestProfile {
  /** The id of the profile's issuance. */
  id: string;
  realmId: string;
  guestAccountId: string;
  deviceType: DeviceType;
  format: CertificateFormat;
  keyType?: KeyType | undefined;
  csr?: string | undefined;
  at: Date;
  /** The id of the HTTP request, for the log. */
  requestId: string;
}

/**
 * Accepts a request for a guest's profile with the account's row locked: once committed, the request will be finished.
 * Returns the reason of a refusal; undefined if the request is accepted. Call in a transaction.
 */
export async function acceptGuestProfile(tx: Db, wanted: WantedGuestProfile): Promise<GuestProfileRefusal | undefined> {
  const { realmId, guestAccountId, at } = wanted;
  const account = await issuances.lockGuestAccount(tx, { realmId, guestAccountId, at });
  if (account === undefined) return "guest_account_ended";
  const refusal = profileRefusal(account, at);
  if (refusal !== undefined) return refusal;
  await issuances.create(tx, {
    id: wanted.id,
    realmId,
    kind: "guest",
    userId: null,
    guestAccountId,
    name: guestProfileNameOf(account),
    description: null,
    deviceType: wanted.deviceType,
    format: wanted.format,
    keyType: keyTypeFor(wanted, account),
    csr: wanted.csr ?? null,
    authable: false,
    validityMonths: account.validityMonths,
    at,
    actor: { userId: null, clientId: null },
    requestId: wanted.requestId,
  });
  return undefined;
}

const profileNameLengthMax = 64;

/**
 * Returns the name of a guest's profile, which devices show: the account's name, cut if it is too long. Guests do not
 * choose a name.
 */
export const guestProfileNameOf = ({ name }: { name: string }): string =>
  Array.from(name).slice(0, profileNameLengthMax).join("");
