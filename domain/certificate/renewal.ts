import { isActive } from "./entitlement.ts";
import { renewalDays } from "../lifetimes.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Whether a profile ends soon enough to be renewed, and has not ended yet. */
export const isRenewable = (profile: { revokedAt: Date | null; notAfter: Date }, at: Date): boolean =>
  isActive(profile, at) && endsSoon(profile, at);

/** Whether a profile has no more than {@link renewalDays} left. */
export const endsSoon = ({ notAfter }: { notAfter: Date }, at: Date): boolean =>
  notAfter.getTime() - at.getTime() <= renewalDays * dayMs;
