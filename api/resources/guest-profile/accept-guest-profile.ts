import type { Db } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { CertificateFormat } from "../../../domain/certificate/format.ts";
import { keyTypeFor, type DeviceType, type KeyType } from "../../../domain/certificate/device.ts";
import { profileRefusal, type GuestProfileRefusal } from "../../../domain/certificate/entitlement.ts";

/** A profile that a guest wants. */
export interface WantedGuestProfile {
  /** What its issuance will be known by. */
  id: string;
  realmId: string;
  guestAccountId: string;
  deviceType: DeviceType;
  format: CertificateFormat;
  keyType?: KeyType | undefined;
  csr?: string | undefined;
  at: Date;
  /** The request that wants it, for the log. */
  requestId: string;
}

/**
 * Accepts a request for a guest's profile with the account's row locked: from the commit on it will be finished. Answers
 * why it is refused; undefined when it is accepted. Call in a transaction.
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

/** Guests choose no names: what devices show is the account's. */
export const guestProfileNameOf = ({ name }: { name: string }): string =>
  Array.from(name).slice(0, profileNameLengthMax).join("");
