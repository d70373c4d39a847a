import { isActive } from "./entitlement.ts";

/** A profile can be renewed from so long before its end. */
export const renewalDays = 30;

/** For so long a profile and its successor may both be active although the owner's limit has no room for both. */
export const renewalHoursMax = 24;

const dayMs = 24 * 60 * 60 * 1000;

/** Whether a profile ends soon enough to be renewed, and has not ended yet. */
export const isRenewable = (profile: { revokedAt: Date | null; notAfter: Date }, at: Date): boolean =>
  isActive(profile, at) && endsSoon(profile, at);

/** Whether a profile has no more than {@link renewalDays} left. */
export const endsSoon = ({ notAfter }: { notAfter: Date }, at: Date): boolean =>
  notAfter.getTime() - at.getTime() <= renewalDays * dayMs;
