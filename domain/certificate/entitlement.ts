import type { IssuanceState } from "./issuance-state.ts";
import { hasEnded } from "../people/guest-account.ts";

/** The rules about who may have another profile, and until when. The same rules in SQL are in `db/rules.ts`. */

/** Returns how many profiles a user may have: the user's own limit, else the realm's. */
export const limitOf = ({ profileOverride, maxProfiles }: { profileOverride: number; maxProfiles: number }): number =>
  profileOverride > 0 ? profileOverride : maxProfiles;

/** Whether a profile is neither revoked nor expired. */
export const isActive = ({ revokedAt, notAfter }: { revokedAt: Date | null; notAfter: Date }, at: Date): boolean =>
  revokedAt === null && notAfter > at;

/** Whether an issuance is still queued or signing. Until it is settled, it counts against its owner's limit. */
export const isUnsettled = (state: IssuanceState): boolean => state === "queued" || state === "signing";

/** Adds months as Postgres does in UTC: the same day of the month, or the last day of a shorter month. */
export function addMonths(at: Date, months: number): Date {
  const moved = new Date(at);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  if (moved.getUTCDate() !== at.getUTCDate()) moved.setUTCDate(0);
  return moved;
}

/** Returns when a profile made at `at` ends: after `months`, and no later than `cap`. */
export function profileEnd({ months, cap = null }: { months: number; cap?: Date | null }, at: Date): Date {
  const longest = addMonths(at, months);
  return cap !== null && cap < longest ? cap : longest;
}

/** The facts about an owner of any kind that decide whether the owner can get another profile. */
interface Issuing {
  /** How long a profile is valid. */
  validityMonths: number;
  /** When the issuer ends; null: the realm has no issuer. */
  issuerNotAfter: Date | null;
}

export interface UserState extends Issuing {
  kind: "user";
  offboardedAt: Date | null;
  lockedAt: Date | null;
  profileOverride: number;
  maxProfiles: number;
  /** The number of active profiles and unsettled issuances. */
  count: number;
}

export interface GuestAccountState extends Issuing {
  kind: "guest";
  revokedAt: Date | null;
  expiresAt: Date;
  /** Null: unlimited. */
  limit: number | null;
  count: number;
}

export interface InfrastructureState extends Issuing {
  kind: "infrastructure";
}

/** The facts that decide whether a profile's owner can get another profile. */
export type OwnerState = UserState | GuestAccountState | InfrastructureState;

export type IssuerRefusal = "no_issuer" | "issuer_expiring";

/** Why a user cannot get another profile. */
export type ProfileRefusal =
  "user_not_found" | "user_offboarded" | "user_locked" | "profile_limit_reached" | IssuerRefusal;

/** Why a guest account cannot get another profile. */
export type GuestProfileRefusal = "guest_account_ended" | "profile_limit_reached" | IssuerRefusal;

/**
 * Returns why an owner cannot get another profile at `at`; undefined if they can. With `replaces` the new profile
 * replaces an active one. Old and new may be active together for a while, so the limit allows one more.
 */
export function profileRefusal(owner: InfrastructureState, at: Date): IssuerRefusal | undefined;
export function profileRefusal(owner: GuestAccountState, at: Date): GuestProfileRefusal | undefined;
export function profileRefusal(
  owner: UserState,
  at: Date,
  options?: { replaces?: boolean },
): Exclude<ProfileRefusal, "user_not_found"> | undefined;
export function profileRefusal(
  owner: OwnerState,
  at: Date,
  { replaces = false }: { replaces?: boolean } = {},
): ProfileRefusal | GuestProfileRefusal | undefined {
  if (owner.kind === "user") {
    if (owner.offboardedAt !== null) return "user_offboarded";
    if (owner.lockedAt !== null) return "user_locked";
    if (owner.count >= limitOf(owner) + (replaces ? 1 : 0)) return "profile_limit_reached";
  }
  if (owner.kind === "guest") {
    if (hasEnded(owner, at)) return "guest_account_ended";
    if (owner.limit !== null && owner.count >= owner.limit) return "profile_limit_reached";
  }
  if (owner.issuerNotAfter === null) return "no_issuer";
  const cap = owner.kind === "guest" ? owner.expiresAt : null;
  return profileEnd({ months: owner.validityMonths, cap }, at) > owner.issuerNotAfter ? "issuer_expiring" : undefined;
}

/** Returns the name that a supplicant must find in the RADIUS server's certificate. */
export const radiusServerName = ({ radiusCn, domain }: { radiusCn: string | null; domain: string }): string =>
  radiusCn ?? `radius.${domain}`;

/** Returns every name that a supplicant accepts in a RADIUS server's certificate, the main one first. */
export function radiusServerNames(realm: {
  radiusCn: string | null;
  domain: string;
  radiusNames: readonly string[];
}): string[] {
  const main = radiusServerName(realm);
  return [main, ...realm.radiusNames.filter((name) => name.toLowerCase() !== main.toLowerCase())];
}
