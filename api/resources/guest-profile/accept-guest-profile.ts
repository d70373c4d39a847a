import type { Db } from "../../../db/client.ts";
import * as issuances from "../../../db/queries/issuance/issuances.ts";
import type { LockedGuestAccount } from "../../../db/queries/issuance/issuances.ts";
import { addMonths } from "../../../domain/add-months.ts";
import type { CertificateFormat } from "../../../domain/certificate-format.ts";
import { keyTypeFor, type DeviceType, type KeyType } from "../../../domain/device.ts";
import { endOfGuestProfile, hasEnded } from "../../../domain/guest-account.ts";

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
}

/** What can stand against a further profile of a guest account. */
export type GuestProfileObjection = "guest_account_ended" | "profile_limit_reached" | "no_issuer" | "issuer_expiring";

/**
 * Accepts a request for a guest's profile with the account's row locked: from the commit on it will be finished. Answers
 * what stands against it; undefined when it is accepted. Call in a transaction.
 */
export async function acceptGuestProfile(
  tx: Db,
  wanted: WantedGuestProfile,
): Promise<GuestProfileObjection | undefined> {
  const { realmId, guestAccountId, at } = wanted;
  const account = await issuances.lockGuestAccount(tx, { realmId, guestAccountId, at });
  const objection = guestObjectionTo(account, at);
  if (account === undefined || objection !== undefined) return objection ?? "guest_account_ended";
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
    validityMonths: account.maxValidMonths,
    at,
    actor: { userId: null, clientId: null },
  });
  return undefined;
}

/** Why a guest account gets no further profile now; undefined when nothing stands against it. */
export function guestObjectionTo(account: LockedGuestAccount | undefined, at: Date): GuestProfileObjection | undefined {
  if (account === undefined || hasEnded(account, at)) return "guest_account_ended";
  if (account.limit !== null && account.count >= account.limit) return "profile_limit_reached";
  if (account.issuerNotAfter === null) return "no_issuer";
  const end = endOfGuestProfile(addMonths(at, account.maxValidMonths), account);
  return end > account.issuerNotAfter ? "issuer_expiring" : undefined;
}

const profileNameLengthMax = 64;

/** Guests choose no names: what devices show is the account's. */
export const guestProfileNameOf = ({ name }: { name: string }): string =>
  Array.from(name).slice(0, profileNameLengthMax).join("");
